//! The labels of triage by their definitions: EventRacer, §5.3 and §5.4; EventRacer Android, §7.3.2
//! and §8.2.
//!
//! Every label is a predicate over one race that quantifies over the whole trace. What the trace
//! says about an access (value, stack, declared kinds) is taken as it is; who ran what, in which
//! order and under which locks is derived again. Nothing is shared with `triage`.

use std::collections::BTreeSet;

use trace::{EventId, Frame, LocationId, LocationKind, Op, OpId, Provenance, Trace};

use super::facts::{Facts, is_initialised};
use super::{Coverage, Model, Order, Race};

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
}

/// Types of input that ask for something to be done.
const COMMANDS: [&[u8]; 10] = [
    b"click",
    b"dblclick",
    b"contextmenu",
    b"submit",
    b"change",
    b"input",
    b"keydown",
    b"keypress",
    b"paste",
    b"drop",
];

/// The data from which labels are decided.
pub struct Labels<'a> {
    trace: &'a Trace,
    facts: Facts,
    model: Model,
    order: &'a Order,
    races: &'a [Race],
    coverage: Coverage<'a>,
    listed: &'a Listed<'a>,
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
        Self { trace, facts: Facts::of(trace), model, order, races, coverage, listed }
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
            ("lazy-init", self.initialises_lazily(x)),
            ("commuting", self.commutes(race)),
            ("unload", self.races_with_unload(x)),
            ("framework-only", [race.first, race.second].iter().all(|&a| self.in_framework(a))),
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
            "unload",
            "object-reuse",
        ];
        let of_race = ["commuting", "framework-only", "lock-protected"];
        self.races.iter().zip(harmless).any(|(&other, labels)| {
            let has = |among: &[&str]| among.iter().any(|label| labels.contains(label));
            let same_location = self.location(other.first) == self.location(race.first);
            same_location && has(&of_location) || other == race && has(&of_race)
        })
    }

    fn writes_same_value(&self, x: LocationId) -> bool {
        let counted: Vec<Race> = self
            .races_on(x)
            .filter(|&race| !self.covered(race.first, race.second))
            .filter(|&race| {
                let local = self.is_local_read(race.first) || self.is_local_read(race.second);
                !(local && self.coverage.eligible(race))
            })
            .collect();
        let ops: Vec<OpId> = counted.iter().flat_map(|race| [race.first, race.second]).collect();
        let values: BTreeSet<Option<&[u8]>> = ops.iter().map(|&op| self.value(op)).collect();
        ops.iter().all(|&op| self.writes(op)) && values.len() == 1 && !values.contains(&None)
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
        kind == Some(LocationKind::Handler) && !both_write && !self.loses_a_command(race)
    }

    /// Whether a command of the user may find no handler, though the page has loaded.
    fn loses_a_command(&self, race: Race) -> bool {
        let (read, write) = if self.writes(race.first) {
            (race.second, race.first)
        } else {
            (race.first, race.second)
        };
        let certain = |w: OpId| self.writes(w) && w < read && self.order.holds(w, read);
        let is_load = |&begin: &OpId| {
            let name = self.trace.attributes(begin).event_name;
            self.facts.begun(begin).is_some()
                && self.facts.event_type(begin) == Some(b"load")
                && name.is_some_and(|name| self.trace.text(name) == b"load")
                && self.facts.thread(begin) == self.facts.thread(write)
        };
        let last = self.facts.ops().filter(|&op| op < write).rfind(is_load);
        let loaded = last.and_then(|begin| self.facts.begun(begin));
        self.model == Model::Web
            && self.event_type(read).is_some_and(|of_type| COMMANDS.contains(&of_type))
            && !self.accesses(self.location(read)).any(certain)
            && loaded.zip(self.facts.event(write)).is_some_and(|(load, event)| {
                self.facts.task(load) != self.facts.task(event)
                    && self.order.holds(last.expect("of the load"), write)
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
        self.trace.location_kind(x) == Some(LocationKind::Cookie)
            || self.listed.commuting_locations.contains(&self.name(x))
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
