//! Implements the original's rules a second time, from scratch and without regard to speed: lists
//! of lists, a search for every query, names compared as text. Ops are plain numbers throughout.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use eventracer::ActionLog;
use eventracer::log::{Command, OpKind};

/// Ordered successor and predecessor lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Lists {
    pub(crate) next: Vec<Vec<usize>>,
    pub(crate) previous: Vec<Vec<usize>>,
}

impl Lists {
    fn add(&mut self, a: usize, b: usize) {
        if a != b && !self.next[a].contains(&b) {
            self.next[a].push(b);
            self.previous[b].push(a);
        }
    }

    fn remove(&mut self, a: usize, b: usize) {
        self.next[a].retain(|&op| op != b);
        self.previous[b].retain(|&op| op != a);
    }

    /// Searches forward from a, expanding only ops smaller than b.
    fn reach(&self, a: usize, b: usize) -> bool {
        let mut seen = BTreeSet::from([a]);
        let mut queue = VecDeque::from([a]);
        while let Some(op) = queue.pop_front() {
            if op == b {
                return true;
            }
            if op < b {
                queue.extend(self.next[op].iter().filter(|&&op| seen.insert(op)));
            }
        }
        false
    }

    fn need(&mut self, a: usize, b: usize) -> usize {
        if self.reach(a, b) {
            return 0;
        }
        self.add(a, b);
        1
    }
}

/// An access: op, command, whether a read.
pub(crate) type Access = (usize, usize, bool);

/// A race: cell, op1, command1, op2, command2.
pub(crate) type Race = (String, usize, usize, usize, usize);

/// The intermediate results of the reference, up to the races.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reference {
    pub(crate) graph: Lists,
    pub(crate) deleted: BTreeSet<usize>,
    /// dropped, independent, script arcs, target arcs, timed, timer arcs.
    pub(crate) counters: [usize; 6],
    /// The names of VARS in order, new ones at the end.
    pub(crate) names: Vec<String>,
    /// Accesses of each name.
    pub(crate) accesses: BTreeMap<String, Vec<Access>>,
    clocks: Vec<Vec<usize>>,
    chain: Vec<usize>,
    pub(crate) chains: usize,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Reference {
    pub(crate) fn new(log: &ActionLog, needed: bool) -> Self {
        let mut this = Self::default();
        let ops = log.op_count();
        this.names = log.vars.iter().map(|(_, name)| text(name)).collect();
        this.graph = Lists { next: vec![Vec::new(); ops], previous: vec![Vec::new(); ops] };
        for arc in &log.arcs {
            let (tail, head) = (arc.tail.index(), arc.head.index());
            if needed {
                this.graph.need(tail, head);
            } else {
                this.graph.add(tail, head);
            }
        }
        this.drop_ops(log);
        this.explore(log);
        let cells = this.order_cells(log);
        this.order_timers(log);
        this.decompose(ops);
        for (name, access) in cells {
            this.accesses.entry(name).or_default().push(access);
        }
        this
    }

    fn live(&self, op: usize) -> bool {
        !self.deleted.contains(&op)
    }

    fn drop_ops(&mut self, log: &ActionLog) {
        for op in (0..log.op_count()).rev() {
            let id = log.op_ids().nth(op).expect("in range");
            if self.graph.next[op].is_empty() && log.commands(id).is_empty() {
                for before in self.graph.previous[op].clone() {
                    self.graph.remove(before, op);
                }
                self.deleted.insert(op);
            }
        }
        self.counters[0] = self.deleted.len();
    }

    fn explore(&mut self, log: &ActionLog) {
        let (mut ui, mut auto, mut user, mut pending) = (None, None, None, Vec::new());
        for id in log.op_ids() {
            let op = id.index();
            if !self.live(op) || log.kind(id) != OpKind::UserInterface {
                continue;
            }
            let explored = match log.commands(id).first() {
                Some(Command::Enter(scope)) => log.scope_text(*scope) == b"auto:explore",
                _ => false,
            };
            if explored {
                if let (Some(last), Some(user), true) = (auto, user, ui == auto) {
                    self.graph.remove(last, op);
                    self.graph.add(user, op);
                    pending.push(last);
                    self.counters[1] += 1;
                }
                auto = Some(op);
            } else {
                for explored in pending.drain(..) {
                    self.graph.add(explored, op);
                }
                user = Some(op);
            }
            ui = Some(op);
        }
    }

    /// Runs stages C and D, and returns every access with its cell's final name, in trace order.
    fn order_cells(&mut self, log: &ActionLog) -> Vec<(String, Access)> {
        let mut cells = Vec::new();
        for id in log.op_ids() {
            for (index, command) in log.commands(id).iter().enumerate() {
                let Some(cell) = command.cell() else { continue };
                let is_read = matches!(command, Command::Read(_));
                cells.push((text(log.var_name(cell)), (id.index(), index, is_read)));
            }
        }
        let mut last: BTreeMap<String, usize> = BTreeMap::new();
        for (name, (op, ..)) in &cells {
            for prefix in ["CachedResource-", "ScriptRunner-"] {
                if let Some(key) = name.strip_prefix(prefix)
                    && let Some(before) = last.insert(key.to_owned(), *op)
                {
                    self.counters[2] += self.graph.need(before, *op);
                }
            }
        }
        last.clear();
        for (name, (op, _, is_read)) in &mut cells {
            let Some(key) = name.strip_prefix("NodeTree:").map(str::to_owned) else { continue };
            if !*is_read {
                last.insert(key.clone(), *op);
            }
            let Some(&write) = last.get(&key) else { continue };
            if *is_read {
                self.counters[3] += self.graph.need(write, *op);
            }
            *name = format!("{name}-{}", log.number(log.op_ids().nth(write).expect("in range")));
            if !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
        cells
    }

    fn order_timers(&mut self, log: &ActionLog) {
        let mut timers: Vec<(usize, usize, u32)> = log
            .arcs
            .iter()
            .filter(|arc| self.live(arc.tail.index()) && self.live(arc.head.index()))
            .filter_map(|arc| Some((arc.tail.index(), arc.head.index(), arc.delay?)))
            .collect();
        timers.sort_by_key(|&(a, b, _)| (a, b));
        self.counters[4] = timers.len();
        let mut least = vec![0x3fff_ffff; self.graph.next.len()];
        let mut out: Vec<Vec<(usize, u32)>> = vec![Vec::new(); self.graph.next.len()];
        for (a, b, d) in timers {
            let mut seen = BTreeSet::from([a]);
            let mut covered = BTreeSet::new();
            let mut queue = VecDeque::from([a]);
            while let Some(x) = queue.pop_front() {
                if least[x] <= d {
                    for &(h, e) in out[x].iter().rev() {
                        if seen.contains(&h) {
                            continue;
                        }
                        if e <= d {
                            if !covered.contains(&h) {
                                self.counters[5] += self.graph.need(h, b);
                            }
                            covered.extend(self.graph.previous[h].iter().copied());
                        }
                        if e == d {
                            break;
                        }
                    }
                }
                if least[x] != d {
                    for &before in &self.graph.previous[x] {
                        if seen.insert(before) {
                            queue.push_back(before);
                        }
                    }
                }
            }
            least[a] = least[a].min(d);
            out[a].push((b, d));
        }
    }

    fn decompose(&mut self, ops: usize) {
        const NONE: usize = usize::MAX;
        self.chain = vec![NONE; ops];
        for start in (0..ops).filter(|&op| !self.deleted.contains(&op)) {
            if self.chain[start] != NONE {
                continue;
            }
            let mut at = Some(start);
            for _ in 0..32_766 {
                let Some(op) = at else { break };
                if self.chain[op] == NONE {
                    self.chain[op] = self.chains;
                }
                let next = &self.graph.next[op];
                at = next.iter().find(|&&op| self.chain[op] == NONE).or(next.first()).copied();
            }
            self.chains += 1;
        }
        self.clocks = vec![vec![0; self.chains]; ops];
        for op in (0..ops).filter(|&op| !self.deleted.contains(&op)) {
            for &before in self.graph.previous[op].iter().filter(|&&before| before < op) {
                for chain in 0..self.chains {
                    self.clocks[op][chain] = self.clocks[op][chain].max(self.clocks[before][chain]);
                }
            }
            self.clocks[op][self.chain[op]] += 1;
        }
    }

    pub(crate) fn le(&self, a: usize, b: usize) -> bool {
        a == b || (a < b && self.clocks[a][self.chain[a]] <= self.clocks[b][self.chain[a]])
    }

    /// The races, by id.
    pub(crate) fn races(&self) -> Vec<Race> {
        let mut races = Vec::new();
        for name in &self.names {
            let Some(accesses) = self.accesses.get(name) else { continue };
            let mut note = |x: Access, y: Access| {
                if !self.le(x.0, y.0) {
                    races.push((name.clone(), x.0, x.1, y.0, y.1));
                }
            };
            for (i, &access) in accesses.iter().enumerate() {
                if let Some(&write) = accesses[..i].iter().rev().find(|access| !access.2) {
                    note(write, access);
                }
            }
            for (i, &read) in accesses.iter().enumerate().rev().filter(|(_, access)| access.2) {
                if let Some(&write) = accesses[i..].iter().find(|access| !access.2) {
                    note(read, write);
                }
            }
        }
        races.sort_by_key(|race| (race.3, race.4));
        races
    }

    /// For each race, the top race that covers it; top races are those without.
    pub(crate) fn single(&self, races: &[Race]) -> Vec<Option<usize>> {
        let mut by = vec![None; races.len()];
        for (j, top) in races.iter().enumerate() {
            if by[j].is_none() {
                for (i, race) in races.iter().enumerate().skip(j + 1) {
                    if self.le(top.3, race.3) && self.le(race.1, top.1) {
                        by[i] = Some(j);
                    }
                }
            }
        }
        by
    }

    /// The first race path over the races `tops`.
    pub(crate) fn path(
        &self,
        races: &[Race],
        tops: &[usize],
        (from, to, command): (usize, usize, usize),
    ) -> Option<Vec<usize>> {
        if from > to {
            return None;
        }
        if self.le(from, to) {
            return Some(Vec::new());
        }
        let start = tops.iter().copied().filter(|&race| self.le(from, races[race].1));
        let mut queue: VecDeque<Vec<usize>> = start.map(|race| vec![race]).collect();
        let mut visited: BTreeSet<usize> = queue.iter().map(|path| path[0]).collect();
        while let Some(path) = queue.pop_front() {
            let last = path[path.len() - 1];
            let (second, index) = (races[last].3, races[last].4);
            if second > to {
                continue;
            }
            if (second == to && index < command) || (second < to && self.le(second, to)) {
                return Some(path);
            }
            for &race in tops.iter().filter(|&&race| race > last) {
                if self.le(second, races[race].1) && visited.insert(race) {
                    queue.push_back(path.iter().copied().chain([race]).collect());
                }
            }
        }
        None
    }
}
