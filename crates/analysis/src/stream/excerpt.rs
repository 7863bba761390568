//! The excerpt that a report on a pass shows: the accesses of the races, and their events.

use std::collections::{BTreeMap, HashMap};

use codec::native::{Excerpted, Shown, SyncRow};
use order::{Causes, HappensBefore, KeptId, Places, Point, Settled};
use races::stream::{Found, Mark};
use races::{Race, RaceId};
use trace::{Attributes, EventId, Id, LocationId, Op, OpId, Trace};

use super::events::Events;
use super::{Pass, class};

/// Returns the operations of an excerpt that shows some races, and other events besides, by number.
pub(super) fn operations<'a>(
    events: &Events,
    races: impl Iterator<Item = &'a Found> + Clone,
    besides: impl Iterator<Item = EventId>,
) -> Vec<Excerpted> {
    let mut operations: BTreeMap<u64, Excerpted> = BTreeMap::new();
    let mut add = |row: Option<SyncRow>| {
        if let Some(row) = row {
            let (number, thread) = (row.number as u32, row.thread);
            let attributes = row.attributes;
            let excerpted = Excerpted { number, thread, op: row.op, attributes, stack: None };
            operations.insert(row.number, excerpted);
        }
    };
    events.attached.iter().for_each(|&row| add(Some(row)));
    let racing = races.clone().flat_map(|found| [found.first.event, found.second.event]).flatten();
    for event in racing.flat_map(|event| events.ancestors(event)).chain(besides) {
        let known = events.get(event);
        [known.post, known.begin, known.end].into_iter().for_each(&mut add);
    }
    for found in races {
        let accesses = [(found.first, found.first_writes), (found.second, found.second_writes)];
        for (mark, writes) in accesses {
            operations.insert(mark.number, access(&mark, found.location, writes));
        }
    }
    operations.into_values().collect()
}

fn access(mark: &Mark, location: LocationId, writes: bool) -> Excerpted {
    let attributes = Attributes { value: mark.value, source: mark.source, ..Attributes::default() };
    Excerpted {
        number: mark.number as u32,
        thread: mark.thread,
        op: if writes { Op::Write(location) } else { Op::Read(location) },
        attributes,
        stack: mark.stack,
    }
}

/// The id of a racy location in an excerpt.
pub(super) fn location_in(shown: Option<&Shown>, location: LocationId) -> LocationId {
    shown.map_or(location, |shown| shown.location(location).expect("the excerpt shows races"))
}

/// The order of the accesses and events of an excerpt.
pub(crate) struct ExcerptOrder {
    settled: Settled,
    accesses: HashMap<OpId, (Point, Option<KeptId>)>,
    events: Vec<Option<EventId>>,
    /// What the excerpt shows; none if it is the whole trace.
    shown: Option<Shown>,
}

impl ExcerptOrder {
    /// The causes of the events that the excerpt shows.
    pub(super) fn causes(&self, trace: &Trace) -> Causes {
        let shown = |event| match &self.shown {
            Some(shown) => shown.event(event),
            None => Some(event),
        };
        self.settled.causes(trace.names().events.len(), shown)
    }

    /// The id of an event in the pass.
    fn in_pass(&self, event: EventId) -> EventId {
        self.shown.as_ref().map_or(event, |shown| shown.events[event.index()])
    }
}

impl HappensBefore for ExcerptOrder {
    /// Compares what is no second access of a race by its event.
    fn before(&self, a: OpId, b: OpId) -> bool {
        let event = |op: OpId| self.events.get(op.0 as usize).copied().flatten();
        let point = self.accesses.get(&a).map(|&(point, _)| point);
        let moment = self.accesses.get(&b).and_then(|&(_, moment)| moment);
        match (point.zip(moment), event(a).zip(event(b))) {
            _ if a >= b => false,
            (Some((point, moment)), _) => self.settled.before(point, moment),
            (None, Some((t, u))) => t == u || self.event_before(t, u),
            (None, None) => false,
        }
    }

    fn event_before(&self, t: EventId, u: EventId) -> bool {
        self.settled.event_before(self.in_pass(t), self.in_pass(u))
    }

    fn places(&self) -> Option<Places<'_>> {
        Some(self.settled.places(self.shown.as_ref().map(|shown| &shown.events[..])))
    }
}

/// Returns the races of a pass that is over, as races of the trace that shows them, and their order.
/// `shown` states what the trace shows, unless it is the whole trace.
pub(super) fn races(trace: &Trace, shown: Option<Shown>, pass: Pass) -> (Vec<Race>, ExcerptOrder) {
    let Pass { stream, mut listed, events, .. } = pass;
    listed.sort_by_key(|found| (found.second.number, found.first.number));
    let orders_operations = !stream.orders_events();
    let settled = stream.into_settled();
    let origins = events.origins();
    let operations: HashMap<u32, OpId> = trace.ops().map(|op| (trace.number(op), op)).collect();
    let mut accesses: HashMap<OpId, (Point, Option<KeptId>)> = HashMap::new();
    let mut races = Vec::with_capacity(listed.len());
    for (i, found) in listed.into_iter().enumerate() {
        let origin = |event: Option<EventId>| event.and_then(|e| origins.get(&e).copied());
        let class = class(
            &found,
            [origin(found.first.event), origin(found.second.event)],
            orders_operations
                .then_some(|t, u| settled.event_before(t, u) || settled.event_before(u, t)),
        );
        let Found { location, first, second, lock_protected, separately_locked, .. } = found;
        let op = |mark: &Mark| operations[&(mark.number as u32)];
        accesses.entry(op(&first)).or_insert((first.point, None));
        accesses.insert(op(&second), (second.point, Some(found.moment)));
        races.push(Race {
            id: RaceId(i as u32),
            location: location_in(shown.as_ref(), location),
            first: op(&first),
            second: op(&second),
            class,
            lock_protected,
            separately_locked,
            covered_by: Vec::new(),
        });
    }
    let events = trace.ops().map(|op| trace.event_of(op)).collect();
    (races, ExcerptOrder { settled, accesses, events, shown })
}
