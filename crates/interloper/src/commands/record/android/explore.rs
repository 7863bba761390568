//! Explores an app as DroidRacer's UI Explorer does: depth-first over sequences of inputs. A
//! sequence starts the app anew, so backtracking is replaying.
//!
//! All sequences up to a length are explored, because two inputs can race although neither changes
//! what the app shows. The order of the inputs of a state is random, by a seed, so the same app and
//! seed give the same sequences.

use std::collections::BTreeSet;

/// What the app offers in a state.
pub(super) struct Offer {
    /// The activity and a hash of what it shows.
    pub(super) state: String,
    /// Possible steps.
    pub(super) actions: Vec<String>,
}

/// A state on the current path, and the actions that are left to try in it.
struct Frame {
    left: Vec<String>,
}

/// The exploration so far.
pub(super) struct Explorer {
    depth: usize,
    random: Random,
    /// The actions that lead to the frames after the first.
    path: Vec<String>,
    frames: Vec<Frame>,
    offered: BTreeSet<String>,
    done: BTreeSet<String>,
    has_begun: bool,
}

impl Explorer {
    pub(super) fn new(depth: usize, seed: u64) -> Explorer {
        Explorer {
            depth,
            random: Random(seed),
            path: Vec::new(),
            frames: Vec::new(),
            offered: BTreeSet::new(),
            done: BTreeSet::new(),
            has_begun: false,
        }
    }

    /// Returns the steps that the next sequence begins with, or `None` if nothing is left to try.
    pub(super) fn next_sequence(&mut self) -> Option<Vec<String>> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(Vec::new());
        }
        while let Some(frame) = self.frames.last_mut() {
            if let Some(action) = frame.left.pop() {
                self.path.truncate(self.frames.len() - 1);
                self.path.push(action);
                return Some(self.path.clone());
            }
            self.frames.pop();
        }
        None
    }

    /// Notes that a step was performed in a state.
    pub(super) fn performed(&mut self, state: &str, action: &str) {
        self.done.insert(name(state, action));
    }

    /// Takes what the app offers at the end of the path, and returns the step to go on with.
    pub(super) fn go_on(&mut self, offer: &Offer) -> Option<String> {
        for action in &offer.actions {
            self.offered.insert(name(&offer.state, action));
        }
        if self.path.len() >= self.depth {
            return None;
        }
        let mut actions = offer.actions.clone();
        self.random.shuffle(&mut actions);
        let action = actions.pop()?;
        self.frames.push(Frame { left: actions });
        self.path.push(action.clone());
        Some(action)
    }

    /// Returns how many inputs were performed and offered, counted once for each activity.
    pub(super) fn coverage(&self) -> (usize, usize) {
        (self.done.len(), self.offered.len())
    }
}

/// Names an action by its activity.
fn name(state: &str, action: &str) -> String {
    let activity = state.split(' ').next().unwrap_or(state);
    format!("{activity} {action}")
}

/// `SplitMix64`: the same seed gives the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn shuffle(&mut self, items: &mut [String]) {
        for end in (1..items.len()).rev() {
            let other = self.next() % (end as u64 + 1);
            items.swap(end, other as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Explores an app that has these actions in each state.
    fn explore(actions: &[&str], depth: usize, seed: u64) -> Vec<Vec<String>> {
        let mut explorer = Explorer::new(depth, seed);
        let mut sequences = Vec::new();
        while let Some(mut sequence) = explorer.next_sequence() {
            loop {
                let state = format!("Main {}", sequence.join("/"));
                let actions = actions.iter().map(ToString::to_string).collect();
                match explorer.go_on(&Offer { state: state.clone(), actions }) {
                    Some(action) => {
                        explorer.performed(&state, &action);
                        sequence.push(action);
                    }
                    None => break,
                }
            }
            sequences.push(sequence);
        }
        sequences
    }

    #[test]
    fn all_sequences_are_explored_once() {
        let mut sequences = explore(&["a", "b", "c"], 3, 7);
        assert_eq!(sequences.len(), 27);
        sequences.sort();
        sequences.dedup();
        assert_eq!(sequences.len(), 27);
        assert!(sequences.iter().all(|sequence| sequence.len() == 3));
    }

    #[test]
    fn the_seed_decides_the_order() {
        let actions = ["a", "b", "c", "d"];
        assert_eq!(explore(&actions, 2, 1), explore(&actions, 2, 1));
        assert_ne!(explore(&actions, 2, 1), explore(&actions, 2, 2));
    }

    #[test]
    fn coverage_counts_an_input_of_an_activity_once() {
        let mut explorer = Explorer::new(3, 1);
        explorer.next_sequence();
        let actions = || vec!["a".to_owned(), "b".to_owned()];
        for state in ["M 1", "M 2"] {
            let action = explorer.go_on(&Offer { state: state.to_owned(), actions: actions() });
            explorer.performed(state, &action.expect("more"));
        }
        let (done, offered) = explorer.coverage();
        assert!(done <= 2 && offered == 2, "{done} of {offered}");
    }
}
