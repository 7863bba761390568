//! Tasks of model `web`: an event and its parts.
//!
//! Events of type `microtask` and `listener` are parts of the task that the nearest earlier event of
//! their thread started which is neither; without such an event they are tasks of their own.

use trace::{EventId, Id, OpId, Trace};

/// The tasks of a trace.
pub struct Tasks {
    /// By event; messages that never began stand for themselves.
    heads: Vec<EventId>,
}

impl Tasks {
    /// Tells parts from tasks. O(events log events).
    pub fn new(trace: &Trace) -> Self {
        let mut begun: Vec<(OpId, EventId)> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
        begun.sort_unstable();
        let mut heads: Vec<EventId> = (0..trace.events().len()).map(EventId::new).collect();
        let mut current: Vec<Option<EventId>> = vec![None; trace.names().threads.len()];
        for (begin, event) in begun {
            let of_type = trace.attributes(begin).event_type.map(|text| trace.text(text));
            let of_thread = &mut current[trace.thread_of(begin).index()];
            if matches!(of_type, Some(b"microtask" | b"listener")) {
                heads[event.index()] = of_thread.unwrap_or(event);
            } else {
                *of_thread = Some(event);
            }
        }
        Self { heads }
    }

    /// The event that started the task of `event`.
    pub fn head(&self, event: EventId) -> EventId {
        self.heads[event.index()]
    }
}
