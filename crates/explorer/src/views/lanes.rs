//! The lanes of the timeline: where the events of a run are drawn.
//!
//! A page has a lane for each source of tasks (the queue that a task was posted to, or the type of its event);
//! its microtasks and listeners stand in the lane of their task. Other programs have a lane for each thread.

use std::collections::HashMap;

use serde::Serialize;
use trace::{EventId, Id, Trace};

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
    /// Assigns each event that has begun to a lane. Lanes are in the order in which they are first used.
    pub(crate) fn new(run: &Analysed) -> Self {
        let trace = run.trace();
        let mut begun: Vec<_> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
        begun.sort_unstable();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        let (mut lanes, mut of) = (Vec::new(), vec![0; trace.events().len()]);
        for (_, event) in begun {
            let name = lane_of(run, trace, event);
            let lane = *numbers.entry(name).or_insert_with_key(|name| {
                lanes.push(Lane { name: name.clone(), events: 0 });
                (lanes.len() - 1) as u32
            });
            lanes[lane as usize].events += 1;
            of[event.index()] = lane;
        }
        Self { lanes, of }
    }

    pub(crate) fn of(&self, event: EventId) -> u32 {
        self.of[event.index()]
    }
}

fn lane_of(run: &Analysed, trace: &Trace, event: EventId) -> String {
    let head = run.tasks().map_or(event, |tasks| tasks.head(event));
    let begin = trace.event(head).begin.or(trace.event(event).begin);
    let thread =
        begin.map(|begin| report::name::text(trace.names().threads.get(trace.thread_of(begin))));
    let thread = thread.unwrap_or_default();
    if run.tasks().is_none() {
        return thread;
    }
    let posted = trace.posting_of(head).map(|enqueue| trace.names().queues.get(enqueue.queue));
    let source = match posted {
        Some(queue) => report::name::text(queue),
        None => report::describe::event_type(trace, head).unwrap_or_else(|| "other".to_owned()),
    };
    if trace.names().threads.len() > 1 { format!("{thread}: {source}") } else { source }
}
