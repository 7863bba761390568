//! Tasks of model `web`: an event and its parts.
//!
//! Events of type `microtask` and `listener` are parts of the task that the nearest earlier event of
//! their thread started which is neither; without such an event they are tasks of their own.

use trace::{EventId, Id, OpId};

use crate::facts::{Dispatched, Facts};

/// Whether an event is a part of the task before it.
fn is_part(facts: &Facts<'_>, event: &Dispatched) -> bool {
    let event_type = facts.trace.attributes(event.begin).event_type;
    matches!(event_type.map(|t| facts.trace.text(t)), Some(b"microtask" | b"listener"))
}

/// The events of each task, in the order they begin; tasks in the order they start.
pub(crate) fn tasks(facts: &Facts<'_>) -> Vec<Vec<Dispatched>> {
    let mut tasks: Vec<Vec<Dispatched>> = Vec::new();
    let mut current: Vec<Option<usize>> = vec![None; facts.trace.names().threads.len()];
    for event in &facts.events {
        let of_thread = &mut current[event.thread.index()];
        match (is_part(facts, event), *of_thread) {
            (true, Some(task)) => tasks[task].push(*event),
            (true, None) => tasks.push(vec![*event]),
            (false, _) => {
                *of_thread = Some(tasks.len());
                tasks.push(vec![*event]);
            }
        }
    }
    tasks
}

/// Pairs (t, u) of `events`, which are sorted by begin, whose transitive closure is all pairs of
/// which t has ended when u begins. As many as events, if they do not overlap.
pub(crate) fn one_after_another(events: &[Dispatched]) -> Vec<(EventId, EventId)> {
    let mut pairs = Vec::new();
    let mut ended = Ended::default();
    for event in events {
        ended.advance(event.begin);
        pairs.extend(ended.last.iter().map(|e| (e.event, event.event)));
        ended.running.extend(event.end.is_some().then_some(event));
    }
    pairs
}

/// The events of `events`, which are sorted by begin, that end and that no other follows.
pub(crate) fn last_of(events: &[Dispatched]) -> Vec<Dispatched> {
    let mut ended = Ended::default();
    for event in events {
        ended.advance(event.begin);
        ended.running.extend(event.end.is_some().then_some(event));
    }
    ended.advance(OpId(u32::MAX));
    ended.last
}

#[derive(Default)]
struct Ended {
    running: Vec<Dispatched>,
    /// Ended, and none of them ended before another began.
    last: Vec<Dispatched>,
}

impl Ended {
    fn advance(&mut self, now: OpId) {
        self.running.sort_by_key(|e| e.end);
        let ended = self.running.partition_point(|e| e.end < Some(now));
        for done in self.running.drain(..ended) {
            self.last.retain(|e| e.end > Some(done.begin));
            self.last.push(done);
        }
    }
}
