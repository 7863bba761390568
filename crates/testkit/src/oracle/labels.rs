//! The labels of triage by their definitions: EventRacer, §5.3 and §5.4; EventRacer Android, §7.3.2
//! and §8.2.
//!
//! Every label is a predicate over one race that quantifies over the whole trace. What the trace
//! says about an access (value, stack, declared kinds) is taken as it is; who ran what, in which
//! order and under which locks is derived again. Nothing is shared with `triage`.

pub(super) mod page;
mod worth;

use std::collections::{BTreeMap, BTreeSet};

use trace::{EventId, Frame, LocationId, LocationKind, Op, OpId, Provenance, Trace};

use super::facts::{Facts, is_initialised};
use super::{Coverage, Hints, Model, Order, Race};

/// Entries of lists, as exact names.
#[derive(Clone, Debug, Default)]
pub struct Listed<'a> {
    /// Functions that commute with everything.
    pub commutes: Vec<&'a str>,
    /// Pairs of functions that commute.
    pub commuting_pairs: Vec<(&'a str, &'a str)>,
    /// Locations on which everything commutes.
    pub commuting_locations: Vec<&'a str>,
    /// Functions that belong to the framework if the trace does not state their provenance.
    pub framework: Vec<&'a str>,
    /// Locations of recycled objects.
    pub recycled: Vec<&'a str>,
    /// Files of libraries.
    pub library: Vec<&'a str>,
    /// Locations by which libraries synchronise.
    pub may_cover: Vec<&'a str>,
}

/// Whether a race with these labels covers nothing in model `web`.
fn withdraw(labels: &BTreeSet<&str>) -> bool {
    let any = |of: &[&str]| of.iter().any(|label| labels.contains(label));
    any(&WITHDRAW) || any(&["brief", "settled", "unseen"]) && !any(&SYNCHRONISE)
}

/// The labels of what may be ad hoc synchronisation.
const SYNCHRONISE: [&str; 4] = ["tested-only", "lazy-init", "cancelled", "enabled"];

/// The labels whose races cover nothing in model `web`.
const WITHDRAW: [&str; 8] = [
    "same-value",
    "only-local-reads",
    "unchanged",
    "layout",
    "focus-read",
    "commuting",
    "framework-only",
    "library",
];

/// The data from which labels are decided.
pub struct Labels<'a> {
    trace: &'a Trace,
    facts: Facts,
    model: Model,
    order: &'a Order,
    races: &'a [Race],
    coverage: Coverage<'a>,
    /// In model `web`, whether a race counts as covered.
    covered: BTreeMap<Race, bool>,
    listed: &'a Listed<'a>,
    hints: Hints<'a>,
}

impl<'a> Labels<'a> {
    /// Labels of `races` under `order`, with `coverage` among them.
    pub fn new(
        trace: &'a Trace,
        model: Model,
        order: &'a Order,
        races: &'a [Race],
        coverage: Coverage<'a>,
        listed: &'a Listed<'a>,
    ) -> Self {
        let (facts, covered) = (Facts::of(trace), BTreeMap::new());
        let hints = Hints::new(trace, model, order, &[]);
        let mut labels =
            Self { trace, facts, model, order, races, coverage, covered, listed, hints };
        if model == Model::Web {
            let harmless: Vec<_> = races.iter().map(|&race| labels.harmless(race)).collect();
            let meant = |race: Race| {
                let at =
                    races.iter().position(|&other| other == race).expect("a race of the trace");
                let (location, _) = trace.op(race.first).access().expect("a race is of accesses");
                let name = trace.names().locations.get(location);
                let synchronises = listed.may_cover.iter().any(|x| x.as_bytes() == name);
                synchronises || !withdraw(&harmless[at])
            };
            labels.coverage = labels.coverage.by(meant);
            labels.covered = labels.standing(&harmless);
        }
        labels
    }

    /// In model `web`, whether races cover each of the races. Where one race covers another between the
    /// same two tasks, the one that a person sees most of counts as uncovered.
    fn standing(&self, harmless: &[BTreeSet<&str>]) -> BTreeMap<Race, bool> {
        let cover = |race: Race| {
            let eligible = self.coverage.eligible(race);
            eligible.then(|| self.coverage.covered_by_search(race)).flatten()
        };
        let guard = |race: Race| self.guard(race, harmless).map(|by| vec![by]);
        let covers = self.races.iter().map(|&race| cover(race).or_else(|| guard(race)));
        let covers: Vec<Option<Vec<Race>>> = covers.collect();
        let hidden = |at: usize| harmless[at].iter().any(|&label| label != "inside-atomic-region");
        let tasks = |race: Race| {
            [race.first, race.second].map(|op| self.facts.event(op).map(|e| self.facts.task(e)))
        };
        let at = |race: Race| self.races.iter().position(|&other| other == race).expect("listed");
        let seen = |race: Race| self.seen(self.location(race.first));
        let mut standing: BTreeMap<Race, bool> =
            self.races.iter().zip(&covers).map(|(&race, by)| (race, by.is_some())).collect();
        for (i, &by) in self.races.iter().enumerate() {
            let stands_for = |&(j, cover): &(usize, &Option<Vec<Race>>)| {
                let race = self.races[j];
                cover.as_deref() == Some(&[by])
                    && at(race) == j
                    && !hidden(j)
                    && tasks(race) == tasks(by)
                    && seen(race) > seen(by)
            };
            let most = covers.iter().enumerate().filter(stands_for);
            // Of equally visible ones, the first.
            let most = most.rev().max_by_key(|&(j, _)| seen(self.races[j]));
            if let Some((j, _)) = most.filter(|_| covers[i].is_none() && !hidden(i)) {
                standing.insert(by, true);
                standing.insert(self.races[j], false);
            }
        }
        standing
    }

    /// The first race that says whether the first access of `race` happens at all: that of its task's
    /// cancellation, which comes before the second access, or that of a test before it, of something that
    /// the task of the second access writes.
    fn guard(&self, race: Race, harmless: &[BTreeSet<&str>]) -> Option<Race> {
        let (first, second) = (race.first, race.second);
        let (early, late) = (self.facts.event(first)?, self.facts.event(second)?);
        let task = |op: OpId| self.facts.event(op).map(|event| self.facts.task(event));
        let guards = |&(&by, labels): &(&Race, &BTreeSet<&str>)| {
            let (c, d) = (by.first, by.second);
            let of_d = self.facts.event(d);
            let ends = of_d == Some(late) && d < second
                || of_d.is_some_and(|event| {
                    let begin = self.facts.begin(event).expect("it began");
                    event != late && self.order.holds(begin, second)
                });
            let is_of_request = task(c).is_some_and(|c| self.requests(early).contains(&c));
            let cancels = labels.contains("cancelled") && is_of_request && ends;
            let tests = labels.contains("tested-only")
                && !self.writes(c)
                && self.facts.event(c) == Some(early)
                && c < first
                && self.gesture(d) == self.gesture(second);
            by != race
                && (cancels || tests)
                && self.facts.event(c).is_some()
                && of_d.is_some()
                && !withdraw(labels)
        };
        let found = self.races.iter().zip(harmless).find(guards);
        found.map(|(&by, _)| by)
    }

    /// The first task of the gesture of an operation: of the tasks of input that follow each other, each
    /// with an arc to the next.
    fn gesture(&self, op: OpId) -> Option<EventId> {
        let mut task = self.facts.task(self.facts.event(op)?);
        let is_input =
            |event: EventId| page::is_input(self.facts.type_of(event).unwrap_or_default());
        loop {
            let begin = self.facts.begin(task)?;
            let starts = |&event: &EventId| {
                self.facts.task(event) == event
                    && self.facts.begin(event).is_some_and(|other| {
                        other < begin && self.facts.thread(other) == self.facts.thread(begin)
                    })
            };
            let before = self.facts.messages().filter(starts).max_by_key(|&e| self.facts.begin(e));
            let Some(before) = before else { return Some(task) };
            let has_arc = self.facts.ops().any(|op| self.facts.op(op) == Op::Arc(before, task));
            if !(has_arc && is_input(before) && is_input(task)) {
                return Some(task);
            }
            task = before;
        }
    }

    /// How much a person sees of a location.
    fn seen(&self, x: LocationId) -> u8 {
        page::seen(self.trace, x)
    }

    /// Whether races cover each of the races, in the order of the races.
    pub fn covered_races(&self) -> Vec<bool> {
        self.races.iter().map(|race| self.covered(race.first, race.second)).collect()
    }

    /// The labels of every race, in the order of the races.
    pub fn all(&self) -> Vec<BTreeSet<&'static str>> {
        let harmless: Vec<_> = self.races.iter().map(|&race| self.harmless(race)).collect();
        let mut all = harmless.clone();
        for (labels, &race) in all.iter_mut().zip(self.races) {
            let flagged = self.flagged(race, &harmless);
            if self.is_uninitialised(race) && !flagged {
                labels.insert("uninitialised");
            }
            if self.has_readystate(race) && !flagged {
                labels.insert("readystate");
            }
        }
        all
    }

    /// All labels but the likely harmful ones.
    fn harmless(&self, race: Race) -> BTreeSet<&'static str> {
        let x = self.location(race.first);
        let held = [
            ("same-value", self.writes_same_value(x)),
            ("only-local-reads", self.has_only_local_reads(x)),
            ("late-handler", self.attaches_late(race)),
            ("immediate", self.attaches_at_once(race)),
            ("lazy-init", self.initialises_lazily(x)),
            ("tested-only", self.is_web() && self.is_guarded(race)),
            ("restored", self.is_web() && self.is_restored(x)),
            ("unchanged", self.is_web() && self.changes_nothing(race)),
            ("cancelled", self.is_web() && self.is_pending(x)),
            ("enabled", self.is_web() && self.is_enabled(race)),
            ("layout", self.is_web() && self.is_layout(race)),
            ("focus-read", self.is_web() && self.asks_for_focus(race)),
            ("brief", self.is_web() && self.is_brief(race)),
            ("settled", self.is_web() && self.is_settled(race)),
            ("unseen", self.is_web() && self.is_unseen(race)),
            ("commuting", self.commutes(race)),
            ("unload", self.races_with_unload(x)),
            ("framework-only", [race.first, race.second].iter().all(|&a| self.in_framework(a))),
            ("library", self.is_web() && self.is_of_libraries(race)),
            ("object-reuse", self.listed.recycled.contains(&self.name(x))),
            ("lock-protected", race.lock_protected),
            ("inside-atomic-region", self.in_atomic_regions(race)),
        ];
        held.into_iter().filter(|&(_, holds)| holds).map(|(label, _)| label).collect()
    }

    /// Whether a filter called the location, or this race, likely harmless.
    fn flagged(&self, race: Race, harmless: &[BTreeSet<&str>]) -> bool {
        let of_location = [
            "same-value",
            "only-local-reads",
            "late-handler",
            "lazy-init",
            "restored",
            "cancelled",
            "unload",
            "object-reuse",
        ];
        let of_race = [
            "immediate",
            "tested-only",
            "unchanged",
            "enabled",
            "layout",
            "focus-read",
            "brief",
            "settled",
            "unseen",
            "commuting",
            "framework-only",
            "library",
            "lock-protected",
        ];
        self.races.iter().zip(harmless).any(|(&other, labels)| {
            let has = |among: &[&str]| among.iter().any(|label| labels.contains(label));
            let same_location = self.location(other.first) == self.location(race.first);
            same_location && has(&of_location) || other == race && has(&of_race)
        })
    }

    fn writes_same_value(&self, x: LocationId) -> bool {
        let counted: Vec<Race> = self
            .races_on(x)
            .filter(|&race| self.model == Model::Web || !self.covered(race.first, race.second))
            .filter(|&race| {
                let local = self.is_local_read(race.first) || self.is_local_read(race.second);
                !(local && self.coverage.eligible(race))
            })
            .collect();
        let ops: Vec<OpId> = counted.iter().flat_map(|race| [race.first, race.second]).collect();
        let values: BTreeSet<Option<&[u8]>> = ops.iter().map(|&op| self.value(op)).collect();
        ops.iter().all(|&op| self.writes(op)) && values.len() == 1 && !values.contains(&None)
    }

    fn is_web(&self) -> bool {
        self.model == Model::Web
    }

    fn has_only_local_reads(&self, x: LocationId) -> bool {
        let reads: Vec<OpId> = self.accesses(x).filter(|&a| !self.writes(a)).collect();
        !reads.is_empty()
            && reads.iter().all(|&read| self.is_local_read(read))
            && self.races_on(x).all(|race| self.coverage.eligible(race))
    }

    fn attaches_late(&self, race: Race) -> bool {
        let kind = self.trace.location_kind(self.location(race.first));
        let both_write = self.writes(race.first) && self.writes(race.second);
        let is_kept = || self.is_web() && (self.is_tested(race) || self.matters(race));
        kind == Some(LocationKind::Handler) && !both_write && !is_kept()
    }

    /// arc(t, u, step), and the access of the race that reads is in u
    fn is_tested(&self, race: Race) -> bool {
        let read = if self.writes(race.first) { race.second } else { race.first };
        let Some(input) = self.facts.event(read) else { return false };
        self.facts.ops().any(|op| {
            matches!(self.facts.op(op), Op::Arc(_, to) if to == input)
                && self.facts.event_type(op) == Some(b"step")
        })
    }

    fn initialises_lazily(&self, x: LocationId) -> bool {
        let writes: Vec<OpId> = self.accesses(x).filter(|&a| self.writes(a)).collect();
        let [write] = writes[..] else { return false };
        let event = self.facts.event(write);
        let earlier: Vec<OpId> = self.accesses(x).filter(|&a| a < write).collect();
        let [check] = earlier[..] else { return false };
        let found = self.value(check);
        event.is_some()
            && self.facts.event(check) == event
            && (found == Some(b"undefined") || found == Some(b"null"))
            && self.accesses(x).any(|a| a > write && self.facts.event(a) != event)
            && self.races_on(x).all(|race| self.coverage.eligible(race))
    }

    fn commutes(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let inside = |op, function: &&str| {
            self.frames(op).iter().any(|frame| self.function(frame) == function.as_bytes())
        };
        let (a, b) = (race.first, race.second);
        let is_listed = self.trace.location_kind(x) == Some(LocationKind::Cookie)
            || self.listed.commuting_locations.contains(&self.name(x));
        if is_listed {
            return !self.contradict(race);
        }
        self.is_web() && self.are_updates(race)
            || self.listed.commutes.iter().any(|f| inside(a, f) || inside(b, f))
            || self
                .listed
                .commuting_pairs
                .iter()
                .any(|(f, g)| inside(a, f) && inside(b, g) || inside(a, g) && inside(b, f))
    }

    fn races_with_unload(&self, x: LocationId) -> bool {
        let leaves = |op| match self.event_type(op) {
            Some(b"unload") => true,
            Some(b"pagehide") => self.model == Model::Web,
            _ => false,
        };
        self.races_on(x).all(|race| leaves(race.first) || leaves(race.second))
    }

    fn in_framework(&self, op: OpId) -> bool {
        let frames = self.frames(op);
        let is_framework = |frame: &Frame| match frame.provenance {
            Some(provenance) => provenance == Provenance::Framework,
            None => self.listed.framework.iter().any(|f| f.as_bytes() == self.function(frame)),
        };
        !frames.is_empty() && frames.iter().all(is_framework)
    }

    fn in_atomic_regions(&self, race: Race) -> bool {
        let (a, b) = (self.facts.lockset(race.first), self.facts.lockset(race.second));
        let may_overlap =
            !matches!(self.model, Model::Event | Model::Web) && !self.coverage.eligible(race);
        may_overlap && !a.is_empty() && !b.is_empty() && a.is_disjoint(&b)
    }

    fn is_uninitialised(&self, race: Race) -> bool {
        let (write, read) = (race.first, race.second);
        let racing = |w: OpId| !self.order.holds(w, read) && !self.covered(w, read);
        !is_initialised(self.trace, self.location(read))
            && self.writes(write)
            && !self.writes(read)
            && self
                .accesses(self.location(read))
                .filter(|&w| self.writes(w) && w < read)
                .all(racing)
    }

    fn has_readystate(&self, race: Race) -> bool {
        let is_handler = |op| self.event_type(op) == Some(b"readystatechange");
        !self.covered(race.first, race.second)
            && (is_handler(race.first) || is_handler(race.second))
    }

    /// Whether races cover the racing pair (a, b), listed or not.
    fn covered(&self, first: OpId, second: OpId) -> bool {
        let race = Race { first, second, lock_protected: false };
        if let Some(&covered) = self.covered.get(&race) {
            return covered;
        }
        self.coverage.eligible(race) && self.coverage.covered_by_search(race).is_some()
    }

    /// Whether `read` reads after a write of its own event.
    fn is_local_read(&self, read: OpId) -> bool {
        let event: Option<EventId> = self.facts.event(read);
        let own = |w: OpId| self.writes(w) && w < read && self.facts.event(w) == event;
        !self.writes(read) && event.is_some() && self.accesses(self.location(read)).any(own)
    }

    fn accesses(&self, x: LocationId) -> impl Iterator<Item = OpId> {
        self.facts.ops().filter(move |&op| {
            self.facts.op(op).access().is_some_and(|(location, _)| location == x)
        })
    }

    fn races_on(&self, x: LocationId) -> impl Iterator<Item = Race> {
        self.races.iter().copied().filter(move |race| self.location(race.first) == x)
    }

    fn location(&self, op: OpId) -> LocationId {
        self.facts.op(op).access().expect("races are between accesses").0
    }

    fn writes(&self, op: OpId) -> bool {
        matches!(self.facts.op(op), Op::Write(_))
    }

    fn name(&self, x: LocationId) -> &str {
        std::str::from_utf8(self.trace.names().locations.get(x)).unwrap_or_default()
    }

    fn value(&self, op: OpId) -> Option<&[u8]> {
        self.trace.attributes(op).value.map(|value| self.trace.text(value))
    }

    fn event_type(&self, op: OpId) -> Option<&[u8]> {
        self.facts.task_type(op, self.model)
    }

    fn frames(&self, op: OpId) -> Vec<Frame> {
        self.trace.stacks().frames(self.trace.stack_of(op)).collect()
    }

    fn function(&self, frame: &Frame) -> &[u8] {
        self.trace.names().functions.get(frame.function)
    }
}
