//! What a report states of an event: where it was posted, began and ended, and its ancestors.
//!
//! An event is kept as long as the engine keeps it, and for good once it has a race.

use hashbrown::{HashMap, HashSet};

use codec::native::SyncRow;
use order::Word;
use races::Origin;
use trace::{EventId, Op, ThreadId};

/// The operations of an event.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) post: Option<SyncRow>,
    pub(super) begin: Option<SyncRow>,
    pub(super) end: Option<SyncRow>,
    /// The origin of the event that posted it: as far as it was known at the begin, and all of it once
    /// that event is dropped.
    inherited: Origin,
    /// Whether the event contains a `trigger` so far.
    is_trigger: bool,
    /// The event that started the task of which the event is a part.
    head: Option<EventId>,
}

impl Known {
    /// The origin of the event, from that of the event that posted it.
    fn origin(&self, event: EventId, parent: Origin) -> Origin {
        let posting = self.post.and_then(|post| match post.op {
            Op::Enqueue(enqueue) => Some(enqueue.posting),
            _ => None,
        });
        let ran = self.post.zip(self.begin);
        let crosses = ran.is_some_and(|(post, begin)| post.thread != begin.thread);
        let mut origin = Origin::of(parent, event, posting, crosses);
        if self.is_trigger {
            origin.trigger = Some(event);
        }
        origin
    }
}

/// The events that are kept.
#[derive(Default)]
pub(super) struct Events {
    known: HashMap<EventId, Known>,
    pinned: HashSet<EventId>,
    /// The event that started the current task of each thread, in models that have tasks.
    heads: HashMap<ThreadId, EventId>,
    /// The operations by which threads attach queues.
    pub(super) attached: Vec<SyncRow>,
}

/// How many ancestors of an event with a race are kept.
const ANCESTORS: usize = 8;

/// The least number of events at which those that are not needed are dropped.
const LEAST: usize = if cfg!(debug_assertions) { 8 } else { 1024 };

impl Events {
    /// Notes an operation on an event or a queue. `word` is what its type says, in models that have
    /// tasks.
    pub(super) fn note(&mut self, row: &SyncRow, word: Option<Word>) {
        match row.op {
            Op::Attach(_) => self.attached.push(*row),
            Op::Enqueue(enqueue) => {
                self.known.entry(enqueue.event).or_default().post.get_or_insert(*row);
            }
            Op::Begin(event) if row.event == Some(event) => self.begin(event, row, word),
            Op::End(event) if row.event == Some(event) => {
                self.known.entry(event).or_default().end.get_or_insert(*row);
            }
            Op::Trigger(_) => {
                if let Some(event) = row.event {
                    self.known.entry(event).or_default().is_trigger = true;
                }
            }
            _ => {}
        }
    }

    fn begin(&mut self, event: EventId, row: &SyncRow, word: Option<Word>) {
        let known = self.known.entry(event).or_default();
        if known.begin.is_some() {
            return;
        }
        known.begin = Some(*row);
        match word {
            None | Some(Word::Settlement) => {}
            Some(Word::Microtask | Word::Listener | Word::Module) => {
                known.head = self.heads.get(&row.thread).copied();
            }
            Some(_) => {
                self.heads.insert(row.thread, event);
            }
        }
        let poster = known.post.and_then(|post| post.event);
        if let Some(poster) = poster.filter(|poster| self.known.contains_key(poster)) {
            let inherited = self.origin_so_far(poster);
            self.known.entry(event).or_default().inherited = inherited;
        }
    }

    /// The event that an operation makes the trigger of its origin.
    pub(super) fn trigger_of(&self, row: &SyncRow) -> Option<EventId> {
        let event = row.event.filter(|_| matches!(row.op, Op::Begin(_) | Op::Trigger(_)))?;
        (self.origin_so_far(event).trigger == Some(event)).then_some(event)
    }

    pub(super) fn get(&self, event: EventId) -> Known {
        self.known.get(&event).copied().unwrap_or_default()
    }

    /// The origin of an event, as far as it is known: an ancestor may still contain a `trigger`.
    pub(super) fn origin_so_far(&self, event: EventId) -> Origin {
        let known = self.get(event);
        known.origin(event, known.inherited)
    }

    /// The origins of all events that are kept.
    pub(super) fn origins(&self) -> HashMap<EventId, Origin> {
        let begin = |known: &Known| known.begin.map_or(u64::MAX, |begin| begin.number);
        let mut all: Vec<(EventId, &Known)> = self.known.iter().map(|(&e, k)| (e, k)).collect();
        // A parent begins before its children, unless the trace contradicts itself.
        all.sort_by_key(|&(event, known)| (begin(known), event));
        let mut origins: HashMap<EventId, Origin> = HashMap::with_capacity(all.len());
        for (event, known) in all {
            let poster = known.post.and_then(|post| post.event);
            let is_kept = |poster: &EventId| self.known.contains_key(poster);
            let parent = match poster.filter(is_kept) {
                Some(poster) => origins.get(&poster).copied().unwrap_or_default(),
                None => known.inherited,
            };
            origins.insert(event, known.origin(event, parent));
        }
        origins
    }

    /// An event, the one that started its task, the one that posted it, and so on.
    pub(super) fn ancestors(&self, event: EventId) -> Vec<EventId> {
        let mut found = vec![event];
        let mut at = 0;
        while at < found.len() && found.len() < ANCESTORS {
            let known = self.get(found[at]);
            let poster = known.post.and_then(|post| post.event);
            for ancestor in known.head.into_iter().chain(poster) {
                if !found.contains(&ancestor) {
                    found.push(ancestor);
                }
            }
            at += 1;
        }
        found
    }

    /// Keeps an event and its ancestors.
    pub(super) fn pin(&mut self, event: EventId) {
        self.pinned.extend(self.ancestors(event));
    }

    /// The events that are kept for good.
    pub(super) fn pinned(&self) -> impl Iterator<Item = EventId> + '_ {
        self.pinned.iter().copied()
    }

    /// Drops events that the engine does not keep, once they are more than those it does, and calls
    /// `each` for them. Returns the events whose order may still be asked for, if it dropped any.
    pub(super) fn prune(
        &mut self,
        is_kept: impl Fn(EventId) -> bool,
        kept: usize,
        mut each: impl FnMut(EventId),
    ) -> Option<HashSet<EventId>> {
        if self.known.len() <= LEAST + 2 * (kept + self.pinned.len()) {
            return None;
        }
        let origins = self.origins();
        let pinned = &self.pinned;
        let stays = |event: EventId| pinned.contains(&event) || is_kept(event);
        for known in self.known.values_mut() {
            let poster = known.post.and_then(|post| post.event);
            if let Some(poster) = poster.filter(|&poster| !stays(poster))
                && let Some(&origin) = origins.get(&poster)
            {
                known.inherited = origin;
            }
        }
        self.known.retain(|&event, _| {
            let stays = stays(event);
            if !stays {
                each(event);
            }
            stays
        });
        let triggers = self.known.keys().filter_map(|event| origins[event].trigger);
        Some(triggers.chain(pinned.iter().copied()).collect())
    }
}
