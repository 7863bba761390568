//! The connections to shared workers: the names under which pages and workers record them.
//!
//! A page adds the name of a connection before it connects, and the worker takes it when the
//! connection arrives. Connections to one worker arrive in the order in which they were made.

use std::collections::{HashMap, VecDeque};

/// The number of connections that may wait. A page that makes more of them does not get names for
/// the others.
const MOST: usize = 10_000;

/// The names of the connections that the workers have not received yet.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// By the origin and the worker.
    waiting: HashMap<(String, String), VecDeque<String>>,
    count: usize,
}

impl Connections {
    /// Adds the name of a connection to a worker of an origin.
    pub(super) fn add(&mut self, origin: String, worker: String, name: String) {
        if self.count < MOST {
            self.count += 1;
            self.waiting.entry((origin, worker)).or_default().push_back(name);
        }
    }

    /// Takes the name of the next connection to a worker.
    pub(super) fn take(&mut self, origin: String, worker: String) -> Option<String> {
        let name = self.waiting.get_mut(&(origin, worker))?.pop_front()?;
        self.count -= 1;
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_in_order_by_the_worker_they_are_for() {
        let mut connections = Connections::default();
        for name in ["1", "2"] {
            connections.add("a".into(), "w".into(), name.into());
        }
        connections.add("b".into(), "w".into(), "3".into());
        let mut take = |origin: &str| connections.take(origin.into(), "w".into());
        assert_eq!(take("a").as_deref(), Some("1"));
        assert_eq!(take("b").as_deref(), Some("3"));
        assert_eq!(take("b"), None);
        assert_eq!(take("a").as_deref(), Some("2"));
    }

    #[test]
    fn a_page_cannot_fill_the_memory() {
        let mut connections = Connections::default();
        for _ in 0..2 * MOST {
            connections.add("a".into(), "w".into(), "n".into());
        }
        assert_eq!(connections.count, MOST);
        connections.take("a".into(), "w".into()).expect("one waits");
        assert_eq!(connections.count, MOST - 1);
    }
}
