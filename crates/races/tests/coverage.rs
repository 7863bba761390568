//! Compares the fast coverage with the definition and with the paper's algorithm.

use std::collections::VecDeque;

use proptest::prelude::*;
use races::coverage::{Candidate, CandidateId, ChainClocks, Covered, NodeId, cover};

/// A random trace: events with arcs between them, each with accesses to a few cells.
#[derive(Clone, Debug)]
struct Trace {
    /// The predecessors of each event, all smaller than the event.
    predecessors: Vec<Vec<usize>>,
    /// The thread of each event. Events of one thread run one after the other.
    threads: Vec<bool>,
    /// Every access in trace order: its event, its cell, and whether it is a write.
    accesses: Vec<(usize, u8, bool)>,
}

/// A race between two positions of the trace.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    a: usize,
    b: usize,
}

fn trace(events: std::ops::Range<usize>, cells: u8) -> impl Strategy<Value = Trace> {
    traces(events, cells, Just(false))
}

/// A trace of two threads, whose events overlap.
fn overlapping(events: std::ops::Range<usize>, cells: u8) -> impl Strategy<Value = Trace> {
    traces(events, cells, any::<bool>())
}

fn traces(
    events: std::ops::Range<usize>,
    cells: u8,
    thread: impl Strategy<Value = bool>,
) -> impl Strategy<Value = Trace> {
    let event = (
        prop::collection::vec(any::<prop::sample::Index>(), 0..3),
        prop::collection::vec((0..cells, any::<bool>()), 0..4),
        thread,
    );
    let turns = prop::collection::vec(any::<bool>(), 16);
    (prop::collection::vec(event, events), turns).prop_map(|(events, turns)| {
        let predecessors = events.iter().enumerate().map(|(i, (arcs, ..))| match i {
            0 => Vec::new(),
            i => arcs.iter().map(|arc| arc.index(i)).collect(),
        });
        let threads: Vec<bool> = events.iter().map(|&(.., thread)| thread).collect();
        let of_events: Vec<_> = events.iter().map(|(_, accesses, _)| &accesses[..]).collect();
        let accesses = interleave(&of_events, &threads, &turns);
        Trace { predecessors: predecessors.collect(), threads, accesses }
    })
}

/// Returns the accesses of all events in an order in which the events begin one after the other. An
/// event ends when the next one of its thread begins; until then `turns` decides, again and again,
/// which thread continues.
fn interleave(
    of_events: &[&[(u8, bool)]],
    threads: &[bool],
    turns: &[bool],
) -> Vec<(usize, u8, bool)> {
    let mut running: [Vec<(usize, u8, bool)>; 2] = [Vec::new(), Vec::new()];
    let mut order = Vec::new();
    let mut turns = turns.iter().copied().cycle();
    for (event, accesses) in of_events.iter().enumerate() {
        order.append(&mut running[usize::from(threads[event])]);
        running[usize::from(threads[event])] =
            accesses.iter().map(|&(cell, writes)| (event, cell, writes)).collect();
        while turns.next() == Some(true) && running.iter().any(|rest| !rest.is_empty()) {
            let thread = usize::from(turns.next() == Some(true));
            let thread = if running[thread].is_empty() { 1 - thread } else { thread };
            order.push(running[thread].remove(0));
        }
    }
    order.extend(running.into_iter().flatten());
    order
}

impl Trace {
    /// Returns, for each event, the events at or before it.
    fn closure(&self) -> Vec<Vec<bool>> {
        let count = self.predecessors.len();
        let mut below = vec![vec![false; count]; count];
        for event in 0..count {
            below[event][event] = true;
            for &predecessor in &self.predecessors[event] {
                let (before, rest) = below.split_at_mut(event);
                for (below, &also) in rest[0].iter_mut().zip(&before[predecessor]) {
                    *below |= also;
                }
            }
        }
        below
    }

    /// Returns every race, sorted by second, then first access.
    fn all_races(&self, below: &[Vec<bool>]) -> Vec<Pair> {
        let flat = &self.accesses;
        let mut races = Vec::new();
        for (b, &(second, cell, writes)) in flat.iter().enumerate() {
            for (a, &(first, other, also_writes)) in flat[..b].iter().enumerate() {
                let is_conflict = cell == other && (writes || also_writes);
                let is_one_thread = self.threads[first] == self.threads[second];
                if is_conflict && is_one_thread && !below[second][first] {
                    races.push(Pair { a, b });
                }
            }
        }
        races
    }

    /// Returns the races among the pairs of §4.2: adjacent writes of a thread, and reads with the
    /// writes around them.
    fn candidate_races(&self, below: &[Vec<bool>]) -> Vec<Pair> {
        let flat = &self.accesses;
        let writes_between = |a: usize, b: usize| {
            let (event, cell, _) = flat[a];
            flat[a + 1..b].iter().any(|&(other, other_cell, writes)| {
                writes && other_cell == cell && self.threads[other] == self.threads[event]
            })
        };
        let mut races = self.all_races(below);
        races.retain(|race| !writes_between(race.a, race.b));
        races
    }

    fn clocks(&self) -> ChainClocks {
        let lists = self.predecessors.iter();
        ChainClocks::of_predecessors(lists.map(|list| list.iter().map(|&op| NodeId::new(op))))
    }

    fn candidates(&self, races: &[Pair]) -> Vec<Candidate> {
        let flat = &self.accesses;
        let candidate = |race: &Pair| Candidate {
            first: NodeId::new(flat[race.a].0),
            second: NodeId::new(flat[race.b].0),
            position: race.b as u64,
            may_cover: true,
        };
        races.iter().map(candidate).collect()
    }
}

/// Returns whether `races[links[0]]`, … cover `race`, by the definition.
fn covers(trace: &Trace, below: &[Vec<bool>], races: &[Pair], links: &[usize], race: Pair) -> bool {
    let event = |position: usize| trace.accesses[position].0;
    let le = |first: usize, second: usize| below[event(second)][event(first)];
    let (Some(&first), Some(&last)) = (links.first(), links.last()) else { return false };
    le(race.a, races[first].a)
        && links.windows(2).all(|pair| le(races[pair[0]].b, races[pair[1]].a))
        && le(races[last].b, race.b)
        && (event(races[last].b) != event(race.b) || races[last].b < race.b)
}

/// Returns the least covering chain by trying all chains, shortest and smallest first.
fn least_chain(
    trace: &Trace,
    below: &[Vec<bool>],
    races: &[Pair],
    race: Pair,
) -> Option<Vec<usize>> {
    let event = |position: usize| trace.accesses[position].0;
    let le = |first: usize, second: usize| below[event(second)][event(first)];
    let starts = (0..races.len()).filter(|&i| le(race.a, races[i].a)).map(|i| vec![i]);
    let mut queue: VecDeque<Vec<usize>> = starts.collect();
    let mut reached = vec![false; races.len()];
    while let Some(chain) = queue.pop_front() {
        if covers(trace, below, races, &chain, race) {
            return Some(chain);
        }
        let last = chain[chain.len() - 1];
        // A chain that is no longer and no larger has reached this race before.
        if std::mem::replace(&mut reached[last], true) {
            continue;
        }
        for next in (0..races.len()).filter(|&i| le(races[last].b, races[i].a)) {
            queue.push_back(chain.iter().copied().chain([next]).collect());
        }
    }
    None
}

/// The algorithm of the paper's §4.3: removes the races that a remaining race covers, then searches
/// the graph of the rest.
fn paper_uncovered(order: &ChainClocks, races: &[Candidate]) -> Vec<bool> {
    let before =
        |a: &Candidate, b: &Candidate| a.position < b.position && order.le(a.second, b.second);
    let mut remaining: Vec<usize> = Vec::new();
    for (i, race) in races.iter().enumerate() {
        let is_covered =
            |&j: &usize| order.le(race.first, races[j].first) && before(&races[j], race);
        if !remaining.iter().any(is_covered) {
            remaining.push(i);
        }
    }
    let follows = |i: usize, j: usize| order.le(races[i].second, races[j].first);
    let mut uncovered = vec![false; races.len()];
    for &target in &remaining {
        let mut reached: Vec<usize> = remaining
            .iter()
            .copied()
            .filter(|&i| order.le(races[target].first, races[i].first) && i != target)
            .collect();
        let mut next = 0;
        while next < reached.len() {
            for &j in &remaining {
                if follows(reached[next], j) && !reached.contains(&j) {
                    reached.push(j);
                }
            }
            next += 1;
        }
        uncovered[target] = !reached.iter().any(|&i| before(&races[i], &races[target]));
    }
    uncovered
}

/// Compares states and chains with the definition.
fn check_definition(trace: &Trace) -> Result<(), TestCaseError> {
    let below = trace.closure();
    let clocks = trace.clocks();
    let all = trace.all_races(&below);
    for races in [trace.candidate_races(&below), all.clone()] {
        let candidates = trace.candidates(&races);
        let coverage = cover(&clocks, &candidates);
        let mut chains = coverage.chains();
        for (i, &race) in races.iter().enumerate() {
            let id = CandidateId::new(i);
            let by_any = least_chain(trace, &below, &all, race);
            prop_assert_eq!(coverage.of(id) == Covered::Uncovered, by_any.is_none());
            let least = least_chain(trace, &below, &races, race).unwrap_or_default();
            let expected = match least.len() {
                0 => Covered::Uncovered,
                1 => Covered::Singly,
                _ => Covered::Multiply,
            };
            prop_assert_eq!(coverage.of(id), expected);
            let by: Vec<usize> = chains.of(id).iter().map(|by| by.index()).collect();
            prop_assert_eq!(by, least);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn coverage_is_the_definition(trace in trace(1..9, 3)) {
        check_definition(&trace)?;
    }

    #[test]
    fn coverage_is_the_definition_if_events_overlap(trace in overlapping(1..24, 4)) {
        check_definition(&trace)?;
    }

    #[test]
    fn chain_clocks_are_reachability(trace in trace(1..40, 1)) {
        let (below, clocks) = (trace.closure(), trace.clocks());
        for (b, below) in below.iter().enumerate() {
            for (a, &reaches) in below.iter().enumerate() {
                prop_assert_eq!(clocks.le(NodeId::new(a), NodeId::new(b)), reaches);
            }
        }
    }

    #[test]
    fn an_order_from_an_oracle_covers_alike(trace in trace(1..12, 2)) {
        let below = trace.closure();
        let oracle =
            ChainClocks::of_oracle(below.len(), |a, b| below[b.index()][a.index()]);
        let clocks = trace.clocks();
        let candidates = trace.candidates(&trace.candidate_races(&below));
        let (ours, theirs) = (cover(&clocks, &candidates), cover(&oracle, &candidates));
        prop_assert_eq!(ours.states(), theirs.states());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn coverage_is_the_papers(trace in trace(60..120, 6)) {
        let clocks = trace.clocks();
        let candidates = trace.candidates(&trace.candidate_races(&trace.closure()));
        let coverage = cover(&clocks, &candidates);
        let ours: Vec<bool> =
            coverage.states().iter().map(|state| *state == Covered::Uncovered).collect();
        prop_assert_eq!(ours, paper_uncovered(&clocks, &candidates));
    }
}
