//! The lanes of the timeline: where the events of a run are drawn.
//!
//! A page has a lane for each source of tasks (the queue that a task was posted to, or the type of its event);
//! its microtasks and listeners stand in the lane of their task. Other programs have a lane for each thread.

use std::collections::HashMap;

use serde::Serialize;
use trace::{EventId, Id, QueueId, TextId, ThreadId};

use crate::columns::Numbered;
use crate::session::Analysed;

/// A lane.
#[derive(Serialize)]
pub(crate) struct Lane {
    pub(crate) name: String,
    pub(crate) events: u32,
}

/// The lanes of a run, and the lane of each event.
pub(crate) struct Lanes {
    pub(crate) lanes: Vec<Lane>,
    of: Vec<u32>,
}

impl Lanes {
    /// Assigns each event that has begun to a lane. O(events log events). Lanes are in the order in which they are first used.
    pub(crate) fn new(run: &Analysed) -> Self {
        let trace = run.trace();
        let mut begun: Vec<_> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
        begun.sort_unstable();
        // Events of one source are in one lane, and two sources may have one name.
        let mut numbers: HashMap<Source, u32> = HashMap::new();
        let mut names: Numbered<String> = Numbered::default();
        let (mut events, mut of) = (Vec::new(), vec![0; trace.events().len()]);
        for (_, event) in begun {
            let lane = *numbers
                .entry(Source::of(run, event))
                .or_insert_with_key(|source| names.number(source.name(run)));
            events.resize(names.values().len(), 0);
            events[lane as usize] += 1;
            of[event.index()] = lane;
        }
        let lane = |(name, &events): (&String, &u32)| Lane { name: name.clone(), events };
        Self { lanes: names.values().iter().zip(&events).map(lane).collect(), of }
    }

    pub(crate) fn of(&self, event: EventId) -> u32 {
        self.of[event.index()]
    }
}

/// Where an event comes from.
#[derive(PartialEq, Eq, Hash)]
struct Source {
    thread: Option<ThreadId>,
    /// The queue that a task of a page was posted to, or the type of its event.
    queue: Option<QueueId>,
    of_type: Option<TextId>,
}

impl Source {
    fn of(run: &Analysed, event: EventId) -> Self {
        let trace = run.trace();
        let head = run.tasks().map_or(event, |tasks| tasks.head(event));
        let begin = trace.event(head).begin.or(trace.event(event).begin);
        let thread = begin.map(|begin| trace.thread_of(begin));
        if run.tasks().is_none() {
            return Self { thread, queue: None, of_type: None };
        }
        let queue = trace.posting_of(head).map(|enqueue| enqueue.queue);
        let begin = trace.event(head).begin.filter(|_| queue.is_none());
        let of_type = begin.and_then(|begin| trace.attributes(begin).event_type);
        Self { thread, queue, of_type }
    }

    fn name(&self, run: &Analysed) -> String {
        let names = run.trace().names();
        let thread = self.thread.map(|thread| report::name::text(names.threads.get(thread)));
        let thread = thread.unwrap_or_default();
        if run.tasks().is_none() {
            return thread;
        }
        let source = match (self.queue, self.of_type) {
            (Some(queue), _) => report::name::text(names.queues.get(queue)),
            (None, Some(text)) => report::name::text(run.trace().text(text)),
            (None, None) => "other".to_owned(),
        };
        if names.threads.len() > 1 { format!("{thread}: {source}") } else { source }
    }
}
