//! Tasks of model `web`: an event and its parts.
//!
//! An event of type `microtask`, `listener` or `module` is a part of a task. The task was started by the nearest
//! earlier event of the thread that has another type. If there is no such event, the microtask or
//! listener is a task of its own. An event of type `settlement` is recorded inside a task that it is no
//! part of: the platform settled a promise at some time before, and has no other part.

use trace::{EventId, Id, OpId, Trace};

/// The tasks of a trace.
pub struct Tasks {
    /// For each event the one that started its task; for a message that never began the message.
    heads: Vec<EventId>,
}

impl Tasks {
    /// Finds the task of every event. O(events log events).
    pub fn new(trace: &Trace) -> Self {
        let mut begun: Vec<(OpId, EventId)> =
            trace.events().filter_map(|(id, event)| Some((event.begin?, id))).collect();
        begun.sort_unstable();
        let mut heads: Vec<EventId> = (0..trace.events().len()).map(EventId::new).collect();
        let mut current: Vec<Option<EventId>> = vec![None; trace.names().threads.len()];
        for (begin, event) in begun {
            let of_type = trace.attributes(begin).event_type.map(|text| trace.text(text));
            let of_thread = &mut current[trace.thread_of(begin).index()];
            match of_type {
                Some(b"microtask" | b"listener" | b"module") => {
                    heads[event.index()] = of_thread.unwrap_or(event);
                }
                Some(b"settlement") => {}
                _ => *of_thread = Some(event),
            }
        }
        Self { heads }
    }

    /// Returns the event that started the task of `event`.
    pub fn head(&self, event: EventId) -> EventId {
        self.heads[event.index()]
    }
}
