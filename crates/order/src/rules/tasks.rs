//! The events of each task of model `web`, and how events follow each other.

use hashbrown::HashMap;
use trace::{EventId, OpId};

use crate::Tasks;
use crate::facts::{Dispatched, Facts};

/// The events of each task, in the order they begin; tasks in the order they start.
pub(crate) fn tasks(facts: &Facts<'_>) -> Vec<Vec<Dispatched>> {
    let of = Tasks::new(facts.trace);
    let mut tasks: Vec<Vec<Dispatched>> = Vec::new();
    let mut started: HashMap<EventId, usize> = HashMap::new();
    for event in &facts.events {
        let next = tasks.len();
        let task = *started.entry(of.head(event.event)).or_insert(next);
        if task == next {
            tasks.push(Vec::new());
        }
        tasks[task].push(*event);
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
