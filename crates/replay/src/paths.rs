//! The identity of tasks across executions of one program.
//!
//! The path of a task that another task posted is the path of that task, then the queue and the number
//! of the post among those of the same queue in that task: reordering what runs elsewhere renames
//! nothing. The path of any other task is its type and name, with the number of the task among those
//! with the same type and name in its document. Parts of a task, such as microtasks and listeners, post
//! in the task's name.
//!
//! Paths are computed while operations arrive, from a recorded trace or from a program that runs. The
//! runtime in a recorded page computes the same paths (`recorder/js/src/holds.ts`).
//!
//! Cost: O(1) hash operations an operation, and memory for the tasks that are posted and have not begun.

use std::collections::HashMap;
use std::hash::Hash;

/// The paths of tasks, whose events have the ids `K`.
pub struct Paths<K> {
    posted: HashMap<K, String>,
    running: HashMap<String, Running>,
    /// How many tasks of each type and name were not posted, by document.
    roots: HashMap<(u32, String), u32>,
}

/// The task that runs on a thread, or ran last.
#[derive(Default)]
struct Running {
    path: String,
    /// How many posts the task has made to each queue.
    posts: HashMap<String, u32>,
}

impl<K> Default for Paths<K> {
    fn default() -> Self {
        Self { posted: HashMap::new(), running: HashMap::new(), roots: HashMap::new() }
    }
}

/// Whether events of this type are parts of the task before them.
pub(crate) fn is_part(kind: &str) -> bool {
    matches!(kind, "microtask" | "listener" | "module" | "settlement")
}

/// A queue without the numbers of its document and its events, which differ between executions.
fn plain(queue: &str) -> &str {
    let is_number = |part: &str| {
        let digits = part.strip_prefix('r').unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut rest = queue;
    while let Some((first, after)) = rest.split_once('.')
        && is_number(first)
    {
        rest = after;
    }
    rest
}

impl<K: Eq + Hash> Paths<K> {
    /// Takes note that the task which runs on `thread` posts an event.
    pub fn enqueue(&mut self, thread: &str, event: K, queue: &str) {
        // Inputs are posted by no one.
        if matches!(queue, "input" | "explored") {
            return;
        }
        let Some(running) = self.running.get_mut(thread) else { return };
        let queue = plain(queue);
        let count = running.posts.entry(queue.to_owned()).or_default();
        *count += 1;
        self.posted.insert(event, format!("{}/{queue}#{count}", running.path));
    }

    /// Takes note that an event begins. Returns the path of the task, if the event begins one.
    pub fn begin(
        &mut self,
        thread: &str,
        document: u32,
        event: &K,
        kind: &str,
        name: &str,
    ) -> Option<&str> {
        if is_part(kind) {
            return None;
        }
        let path = if let Some(path) = self.posted.remove(event) {
            path
        } else {
            let root = format!("{kind}:{name}");
            let count = self.roots.entry((document, root.clone())).or_default();
            *count += 1;
            format!("{root}#{count}")
        };
        let running = self.running.entry(thread.to_owned()).or_default();
        *running = Running { path, posts: HashMap::new() };
        Some(&running.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_does_not_depend_on_what_runs_elsewhere() {
        let mut one = Paths::default();
        one.begin("main", 1, &1, "script", "a.js");
        one.enqueue("main", 2, "r1.timers");
        one.enqueue("main", 3, "r1.timers");
        one.begin("main", 1, &9, "microtask", "then");
        one.enqueue("main", 4, "network");
        one.begin("main", 1, &5, "click", "button#b");
        one.enqueue("main", 6, "r1.timers");
        assert_eq!(one.begin("main", 1, &3, "timer", "f"), Some("script:a.js#1/timers#2"));
        assert_eq!(one.begin("main", 1, &4, "response", "/x"), Some("script:a.js#1/network#1"));
        assert_eq!(one.begin("main", 1, &6, "timer", "g"), Some("click:button#b#1/timers#1"));
        assert_eq!(one.begin("main", 1, &7, "click", "button#b"), Some("click:button#b#2"));
        assert_eq!(one.begin("main", 2, &8, "click", "button#b"), Some("click:button#b#1"));
        assert_eq!(one.begin("main", 1, &9, "microtask", "then"), None);
    }

    #[test]
    fn queues_lose_the_numbers_of_their_documents() {
        for (queue, wanted) in [
            ("r12.timers", "timers"),
            ("r1.57.messages", "messages"),
            ("network", "network"),
            ("w1.in", "w1.in"),
        ] {
            assert_eq!(plain(queue), wanted);
        }
    }
}
