//! Learned synchronisation: pairs of tasks that replays tried and failed to turn round.
//!
//! A pair stands for all pairs of tasks whose paths differ only in their numbers, and that have as many of their
//! first links in common: two timers of one click are no example for the timers of two clicks. What ever was
//! turned round is kept too, and is never learned again. An edge names the race that stands for it by its
//! fingerprint: when a recording no longer has that race, the code has changed, and the edge is void.
//!
//! Cost: O(edges) for each pair that is looked up.

use serde::{Deserialize, Serialize};

use crate::paths::unnumbered;

/// The name of the file's form.
const SCHEMA: &str = "interloper-learned/1";

/// What replays have taught about the order of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Learned {
    /// Always `interloper-learned/1`.
    schema: String,
    /// The pairs that could not be turned round.
    #[serde(default)]
    pub edges: Vec<Edge>,
    /// The pairs that were turned round.
    #[serde(default)]
    pub flipped: Vec<Edge>,
}

/// A pair of tasks, the one that ran first in front.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    /// The paths of the two tasks, without numbers.
    pub pair: [String; 2],
    /// How many of their first links the two paths had in common, with numbers.
    #[serde(default)]
    pub common: usize,
    /// The fingerprint of the race that stands for the pair.
    pub race: String,
    /// The location of that race, for readers.
    #[serde(default)]
    pub location: String,
}

impl Edge {
    /// Returns the edge of a pair of tasks, by their paths, and of the race that stands for it.
    pub fn new(pair: &[String; 2], race: &str, location: &str) -> Edge {
        let [first, second] = pair;
        Edge {
            pair: [unnumbered(first), unnumbered(second)],
            common: common(first, second),
            race: race.to_owned(),
            location: location.to_owned(),
        }
    }

    /// Whether the edge stands for a pair of tasks, by their paths.
    pub fn is_of(&self, first: &str, second: &str) -> bool {
        unnumbered(first) == self.pair[0]
            && unnumbered(second) == self.pair[1]
            && common(first, second) == self.common
    }

    fn is_like(&self, other: &Edge) -> bool {
        self.pair == other.pair && self.common == other.common
    }
}

/// How many of their first links two paths have in common.
fn common(first: &str, second: &str) -> usize {
    first.split('/').zip(second.split('/')).take_while(|(one, other)| one == other).count()
}

impl Default for Learned {
    fn default() -> Self {
        Self { schema: SCHEMA.to_owned(), edges: Vec::new(), flipped: Vec::new() }
    }
}

impl Learned {
    /// Reads a file. The error is a sentence.
    pub fn read(bytes: &[u8]) -> Result<Learned, String> {
        let learned: Learned = serde_json::from_slice(bytes)
            .map_err(|error| format!("the learned orders cannot be read: {error}"))?;
        if learned.schema != SCHEMA {
            return Err(format!("the file has schema {:?}, not {SCHEMA:?}", learned.schema));
        }
        Ok(learned)
    }

    /// Returns the text of the file.
    pub fn write(&self) -> String {
        let text = serde_json::to_string_pretty(self).expect("it has only text and numbers");
        format!("{text}\n")
    }

    /// Takes note that a pair could not be turned round, unless it ever was.
    pub fn learn(&mut self, edge: Edge) {
        if !self.flipped.iter().chain(&self.edges).any(|known| known.is_like(&edge)) {
            self.edges.push(edge);
        }
    }

    /// Takes note that a pair was turned round.
    pub fn unlearn(&mut self, edge: Edge) {
        self.edges.retain(|known| !known.is_like(&edge));
        if !self.flipped.iter().any(|known| known.is_like(&edge)) {
            self.flipped.push(edge);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(first: &str, second: &str) -> Edge {
        Edge::new(&[first.to_owned(), second.to_owned()], "f", "x")
    }

    #[test]
    fn an_edge_stands_for_pairs_that_are_alike() {
        let inside = edge("click:a#1/network#1", "click:a#1/timers#2");
        assert!(inside.is_of("click:a#3/network#1", "click:a#3/timers#1"));
        assert!(!inside.is_of("click:a#3/network#1", "click:a#4/timers#1"));
        assert!(!inside.is_of("click:b#1/network#1", "click:b#1/timers#2"));
        let across = edge("click:a#1/network#1", "click:a#2/network#1");
        assert!(across.is_of("click:a#2/network#1", "click:a#5/network#1"));
        assert!(!across.is_of("click:a#2/network#1", "click:a#2/network#2"));
    }

    #[test]
    fn what_ever_flipped_is_never_learned() {
        let mut learned = Learned::default();
        learned.learn(edge("a#1", "b#1"));
        learned.learn(edge("a#2", "b#7"));
        assert_eq!(learned.edges.len(), 1);
        learned.unlearn(edge("a#2", "b#1"));
        assert!(learned.edges.is_empty());
        learned.learn(edge("a#1", "b#1"));
        assert!(learned.edges.is_empty());
        assert_eq!(Learned::read(learned.write().as_bytes()), Ok(learned));
    }

    #[test]
    fn other_files_are_refused() {
        for text in ["", "[]", "{}", "{\"schema\":\"interloper-learned/2\"}"] {
            assert!(Learned::read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
