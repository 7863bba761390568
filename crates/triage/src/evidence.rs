//! The input of filters and hints: a location with its accesses and races, the trace, the order and
//! the lists.

use std::collections::{BTreeMap, HashSet};

use order::{Closure, HappensBefore, Model, Tasks};
use races::{Covering, Race, RaceId, Races};
use trace::{EventId, LocationId, LocationKind, OpId, TextId, Trace};

use crate::code::Code;
use crate::label::Label;
use crate::lists::Lists;
use crate::page::{self, Page};
use crate::visibility::unnumbered;

/// The largest number of writes before a read that are examined. A read with more writes before it
/// never counts as having found the location uninitialised: a location written so often is hardly
/// initialised late, and examining every pair would take quadratic time.
pub(crate) const WRITES_ASKED: usize = 64;

/// The largest number of posts that are followed back from an event.
pub(crate) const ANCESTORS_ASKED: usize = 16;

/// The kind of a location that has a value before the first operation on it.
const INITIALISED: &[u8] = b"initialised";

/// The values of a read that found nothing, or whose value the recorder does not know.
pub(crate) const EMPTY: [&[u8]; 5] = [b"undefined", b"null", b"none", b"?", b""];

/// The trace, its order and its races, with what filters and hints derive from them.
pub(crate) struct Evidence<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) order: &'a dyn HappensBefore,
    pub(crate) model: &'a Model,
    pub(crate) races: &'a Races,
    pub(crate) lists: &'a Lists,
    pub(crate) code: Code<'a>,
    covering: Option<Covering<'a>>,
    /// The accesses of the locations that have races, in trace order.
    accesses: BTreeMap<LocationId, Vec<Access>>,
    by_location: BTreeMap<LocationId, Vec<RaceId>>,
    /// The tasks of the trace, in model `web` only.
    tasks: Option<Tasks>,
    /// What only pages have, in model `web` only.
    pub(crate) page: Page,
}

impl<'a> Evidence<'a> {
    pub(crate) fn new(
        trace: &'a Trace,
        order: &'a dyn HappensBefore,
        model: &'a Model,
        races: &'a Races,
        lists: &'a Lists,
    ) -> Self {
        let mut by_location: BTreeMap<LocationId, Vec<RaceId>> = BTreeMap::new();
        for race in &races.races {
            by_location.entry(race.location).or_default().push(race.id);
        }
        Self {
            trace,
            order,
            model,
            races,
            lists,
            code: Code::new(trace, lists),
            covering: None,
            accesses: accesses(trace, &by_location),
            by_location,
            tasks: model.has_tasks().then(|| Tasks::new(trace)),
            page: if model.in_browser { Page::of(trace) } else { Page::default() },
        }
    }

    /// Determines which races may cover others, from their likely harmless labels.
    pub(crate) fn set_labels(&mut self, labels: &[Vec<Label>]) {
        let Self { trace, order, model, races, lists, .. } = *self;
        // DroidRacer does not define coverage.
        let may_cover = |race: &Race| {
            let labels = &labels[race.id.0 as usize];
            let is_meant = !Label::withdraw_covering(labels);
            model.closure != Closure::DroidRacer
                && lists.may_cover(trace, model, race.location)
                && (is_meant || !model.in_browser)
        };
        self.covering = Some(Covering::new(trace, order, model, &races.races, &may_cover));
    }

    /// Returns the races as synchronisation. The likely harmless labels decide which of them count, so
    /// only likely harmful labels may ask.
    pub(crate) fn covering(&self) -> &Covering<'a> {
        self.covering.as_ref().expect("likely harmless labels come first")
    }

    /// Returns the locations that have races.
    pub(crate) fn locations(&self) -> impl Iterator<Item = RacyLocation<'_>> {
        self.by_location.iter().map(|(&id, races)| RacyLocation {
            evidence: self,
            id,
            accesses: &self.accesses[&id],
            races: races.iter().map(|race| &self.races.races[race.0 as usize]).collect(),
        })
    }

    /// Returns the type of the event in which an operation runs, if the trace states it. For a
    /// microtask or a call of a listener it is the type of its task.
    pub(crate) fn event_type(&self, op: OpId) -> Option<&[u8]> {
        self.type_of(self.trace.event_of(op)?).map(|text| self.trace.text(text))
    }

    /// Returns the type of an event, or of the task to which it belongs.
    pub(crate) fn type_of(&self, event: EventId) -> Option<TextId> {
        self.trace.attributes(self.trace.event(self.head(event)).begin?).event_type
    }

    /// Returns the event that started the task of an event.
    pub(crate) fn head(&self, event: EventId) -> EventId {
        self.tasks.as_ref().map_or(event, |tasks| tasks.head(event))
    }

    /// Returns whether the task of an event runs right after it was requested ([`page::is_prompt`]).
    pub(crate) fn is_prompt(&self, event: EventId) -> bool {
        self.tasks.is_some() && page::is_prompt(self.trace, self.head(event))
    }

    /// Returns whether a read is known to only test what it finds.
    pub(crate) fn is_test(&self, op: OpId) -> bool {
        let source = self.trace.attributes(op).source;
        source.is_some_and(|source| self.page.is_test(self.trace, source))
    }

    /// Returns the tasks that led to an event by posts, nearest first, the event's own task included.
    pub(crate) fn ancestors(&self, event: EventId) -> impl Iterator<Item = EventId> + '_ {
        let posted = |&event: &EventId| {
            let post = self.trace.event(event).enqueue?;
            self.trace.event_of(post).map(|parent| self.head(parent))
        };
        std::iter::successors(Some(self.head(event)), posted).take(ANCESTORS_ASKED)
    }

    /// Whether the trace is of a page in a browser.
    pub(crate) fn in_browser(&self) -> bool {
        self.model.in_browser
    }
}

/// One access of a location.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    pub(crate) op: OpId,
    pub(crate) is_write: bool,
    pub(crate) event: Option<EventId>,
    /// Whether the access is a read that follows a write in its own event.
    pub(crate) is_local_read: bool,
}

fn accesses(
    trace: &Trace,
    racy: &BTreeMap<LocationId, Vec<RaceId>>,
) -> BTreeMap<LocationId, Vec<Access>> {
    let mut accesses: BTreeMap<LocationId, Vec<Access>> = BTreeMap::new();
    let mut written: HashSet<(LocationId, EventId)> = HashSet::new();
    for op in trace.ops() {
        let Some((location, is_write)) = trace.op(op).access() else { continue };
        if !racy.contains_key(&location) {
            continue;
        }
        let event = trace.event_of(op);
        let is_local_read = !is_write && event.is_some_and(|e| written.contains(&(location, e)));
        if is_write {
            written.extend(event.map(|e| (location, e)));
        }
        let access = Access { op, is_write, event, is_local_read };
        accesses.entry(location).or_default().push(access);
    }
    accesses
}

/// A location with races.
pub(crate) struct RacyLocation<'a> {
    pub(crate) evidence: &'a Evidence<'a>,
    pub(crate) id: LocationId,
    /// The accesses, in trace order.
    pub(crate) accesses: &'a [Access],
    /// The races, by id.
    pub(crate) races: Vec<&'a Race>,
}

impl RacyLocation<'_> {
    /// Returns all races of the location if `flagged`, else none.
    pub(crate) fn all_if(&self, flagged: bool) -> Vec<RaceId> {
        self.races.iter().filter(|_| flagged).map(|race| race.id).collect()
    }

    /// Returns the races of the location for which `wanted` holds.
    pub(crate) fn races_where(&self, wanted: impl Fn(&Race) -> bool) -> Vec<RaceId> {
        self.races.iter().filter(|race| wanted(race)).map(|race| race.id).collect()
    }

    pub(crate) fn access(&self, op: OpId) -> Access {
        self.accesses[self.accesses.partition_point(|access| access.op < op)]
    }

    pub(crate) fn reads(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(|access| !access.is_write)
    }

    pub(crate) fn writes(&self) -> impl Iterator<Item = &Access> {
        self.accesses.iter().filter(|access| access.is_write)
    }

    /// Returns the accesses of a race in trace order if the first is a write and the second a read.
    /// A race may list them the other way round: DroidRacer prints the read first.
    pub(crate) fn write_before_read(&self, race: &Race) -> Option<(OpId, OpId)> {
        let (a, b) = (race.first.min(race.second), race.first.max(race.second));
        (self.access(a).is_write && !self.access(b).is_write).then_some((a, b))
    }

    /// Returns whether both accesses write.
    pub(crate) fn is_write_write(&self, race: &Race) -> bool {
        self.access(race.first).is_write && self.access(race.second).is_write
    }

    /// Returns whether the race lies between events that do not overlap.
    pub(crate) fn is_atomic(&self, race: &Race) -> bool {
        let Evidence { trace, model, .. } = *self.evidence;
        races::atomic_events(trace, model, race.first, race.second).is_some()
    }

    /// Returns the value read or written, if the trace states it.
    pub(crate) fn value(&self, op: OpId) -> Option<&[u8]> {
        let trace = self.evidence.trace;
        trace.attributes(op).value.map(|value| trace.text(value))
    }

    /// Returns whether an access is known to read or write `undefined` or `null`.
    pub(crate) fn is_nothing(&self, op: OpId) -> bool {
        self.value(op).is_some_and(|value| matches!(value, b"undefined" | b"null"))
    }

    /// Returns whether the location is known to have held something before its first access in the
    /// trace: a declaration states it, or the first access is a read that found something. A
    /// recorder does not record the accesses of an event to the objects that it makes.
    pub(crate) fn is_initialised(&self) -> bool {
        let trace = self.evidence.trace;
        let kind = trace.location_kind(self.id);
        let declared =
            matches!(kind, Some(LocationKind::Other(kind)) if trace.text(kind) == INITIALISED);
        declared
            || self.accesses.first().is_some_and(|first| {
                !first.is_write && self.value(first.op).is_some_and(|value| !EMPTY.contains(&value))
            })
    }

    /// Returns whether the location is an element of a collection, and the event of a read has read the number of
    /// its elements before.
    pub(crate) fn is_bounded(&self, read: OpId) -> bool {
        let names = &self.evidence.trace.names().locations;
        let name = names.get(self.id);
        let (plain, document) = name.split_at(unnumbered(name).len());
        let at = plain.iter().position(|&byte| byte == b'[').filter(|_| plain.ends_with(b"]"));
        let Some(at) = at else {
            return false;
        };
        let event = self.evidence.trace.event_of(read);
        [&b".length"[..], b".size"].iter().any(|end| {
            let number = names.find(&[&plain[..at], end, document].concat());
            let accesses = number.and_then(|id| self.evidence.accesses.get(&id));
            accesses.is_some_and(|accesses| {
                let before = &accesses[..accesses.partition_point(|access| access.op <= read)];
                before.iter().rev().any(|access| !access.is_write && access.event == event)
            })
        })
    }

    /// Returns whether an operation runs in an event of the given type.
    pub(crate) fn in_event_of_type(&self, op: OpId, event_type: &[u8]) -> bool {
        self.evidence.event_type(op) == Some(event_type)
    }

    /// Returns the writes before a read, if there are any and none of them is ordered before it.
    pub(crate) fn racing_writes_before(&self, read: OpId) -> Option<Vec<Access>> {
        let before = &self.accesses[..self.accesses.partition_point(|access| access.op < read)];
        let writes = before.iter().rev().filter(|access| access.is_write).copied();
        let mut racing = Vec::new();
        for write in writes {
            if racing.len() == WRITES_ASKED || self.evidence.order.before(write.op, read) {
                return None;
            }
            racing.push(write);
        }
        (!racing.is_empty()).then_some(racing)
    }
}
