//! The identity of tasks across executions of one program.
//!
//! The path of a task that another task posted is the path of that task, then the queue and the number
//! of the post among those of the same queue in that task: reordering what runs elsewhere renames
//! nothing. A post that repeats the last one, as in a chain of timers, adds to a number (`timers#1*7`), so
//! that the path of an endless chain stays short. The path of any other task is its type and name, without
//! the numbers of objects in the name, and with the number of the task among those with the same type and
//! name in its document; in a document after
//! the first one of the page, in another window and in a worker, it begins with the name of that
//! (`document 2|click:a#1`). Parts of a task, such as microtasks and listeners, post in the task's name.
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
    /// The documents of each thread, in the order in which they appeared.
    documents: HashMap<String, Vec<u32>>,
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
        Self {
            posted: HashMap::new(),
            running: HashMap::new(),
            roots: HashMap::new(),
            documents: HashMap::new(),
        }
    }
}

/// The path of a task as the runtime in its own document computes it: without the name of the document.
pub fn in_document(path: &str) -> &str {
    let is_name = |start: &str| {
        let words = start.trim_end_matches(|char: char| char.is_ascii_digit());
        let words = words
            .strip_suffix(" document ")
            .map_or(words, |thread| thread.trim_end_matches(|char: char| char.is_ascii_digit()));
        matches!(words, "document " | "page" | "frame" | "worker")
    };
    match path.split_once('|') {
        Some((start, rest)) if is_name(start) => rest,
        _ => path,
    }
}

/// A path without its numbers: the numbers of posts, of repetitions and of equal tasks.
pub fn unnumbered(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find(['#', '*']) {
        let (before, after) = rest.split_at(at + 1);
        let digits =
            after.len() - after.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let ends = matches!(after[digits..].bytes().next(), None | Some(b'/' | b'*'));
        plain.push_str(if digits > 0 && ends { &before[..at] } else { before });
        rest = &after[if digits > 0 && ends { digits } else { 0 }..];
    }
    plain.push_str(rest);
    plain
}

/// How often a path repeats its last post, if it does.
pub fn repeats(path: &str) -> u32 {
    let number = path.rsplit_once('*').map(|(_, number)| number.parse());
    number.and_then(Result::ok).unwrap_or(1)
}

/// The path of a task that the task with another path posts.
fn posted(path: &str, queue: &str, count: u32) -> String {
    let post = format!("/{queue}#{count}");
    if path.ends_with(&post) {
        return format!("{path}*2");
    }
    if let Some((before, number)) = path.rsplit_once('*')
        && before.ends_with(&post)
        && let Ok(number) = number.parse::<u32>()
    {
        return format!("{before}*{}", number.saturating_add(1));
    }
    format!("{path}{post}")
}

/// Whether events of this type are parts of the task before them.
pub(crate) fn is_part(kind: &str) -> bool {
    matches!(kind, "microtask" | "listener" | "module" | "settlement")
}

/// A queue without the numbers of its document, its worker and its events, which differ between executions.
fn plain(queue: &str) -> &str {
    let is_number = |part: &str| {
        let digits = part.strip_prefix(['r', 'w']).unwrap_or(part);
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

/// A name without the numbers of objects (`button(created at a.js:3)@12`), which depend on what else was created.
fn without_instances(name: &str) -> String {
    let mut parts = name.split('@');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|char: char| char.is_ascii_digit());
        if rest.len() == part.len() {
            plain.push('@');
        }
        plain.push_str(rest);
    }
    plain
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
        self.posted.insert(event, posted(&running.path, queue, *count));
    }

    /// What the paths of a document begin with. A document that has not begun anything counts as the next one of
    /// its thread.
    pub fn start_of(&self, thread: &str, document: u32) -> String {
        let documents = self.documents.get(thread).map(Vec::as_slice).unwrap_or_default();
        let known = documents.iter().position(|&known| known == document);
        let number = known.unwrap_or(documents.len()) + 1;
        match (thread, number) {
            ("main", 1) => String::new(),
            ("main", number) => format!("document {number}|"),
            (thread, 1) => format!("{thread}|"),
            (thread, number) => format!("{thread} document {number}|"),
        }
    }

    /// What the paths of a document begin with, which begins something now.
    fn start(&mut self, thread: &str, document: u32) -> String {
        let start = self.start_of(thread, document);
        let documents = self.documents.entry(thread.to_owned()).or_default();
        if !documents.contains(&document) {
            documents.push(document);
        }
        start
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
            let root = format!("{kind}:{}", without_instances(name));
            let count = self.roots.entry((document, root.clone())).or_default();
            *count += 1;
            let count = *count;
            format!("{}{root}#{count}", self.start(thread, document))
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
        let other = "document 2|click:button#b#1";
        assert_eq!(one.begin("main", 2, &8, "click", "button#b"), Some(other));
        assert_eq!(one.begin("worker1", 3, &10, "script", "w.js"), Some("worker1|script:w.js#1"));
        assert_eq!(one.begin("main", 1, &9, "microtask", "then"), None);
        assert_eq!(in_document(other), "click:button#b#1");
        assert_eq!(in_document("worker1|script:w.js#1"), "script:w.js#1");
        assert_eq!(in_document("frame2 document 3|load:load#1"), "load:load#1");
        assert_eq!(in_document("a|b:c#1"), "a|b:c#1");
    }

    #[test]
    fn the_numbers_of_objects_do_not_count() {
        let mut one = Paths::default();
        let name = "button(created at a.js:3)@12>i@x";
        let wanted = "click:button(created at a.js:3)>i@x#1";
        assert_eq!(one.begin("main", 1, &1, "click", name), Some(wanted));
        let wanted = "click:button(created at a.js:3)>i@x#2";
        let name = "button(created at a.js:3)@7>i@x";
        assert_eq!(one.begin("main", 1, &2, "click", name), Some(wanted));
    }

    #[test]
    fn a_chain_of_posts_has_a_short_path() {
        let mut one = Paths::default();
        one.begin("main", 1, &0, "script", "a.js");
        let mut path = String::new();
        for frame in 1..=1000 {
            one.enqueue("main", frame, "r1.frames");
            path = one.begin("main", 1, &frame, "frame", "draw").expect("a task").to_owned();
        }
        assert_eq!(path, "script:a.js#1/frames#1*1000");
        assert_eq!((repeats(&path), repeats("a#1/frames#1"), repeats("a*b#1")), (1000, 1, 1));
        assert_eq!(unnumbered(&path), "script:a.js/frames");
        assert_eq!(unnumbered("click:button#b#2/timers#1"), "click:button#b/timers");
        assert_eq!(unnumbered("click:p#7up#2"), "click:p#7up");
        one.enqueue("main", 1001, "r1.timers");
        let other = one.begin("main", 1, &1001, "timer", "f");
        assert_eq!(other, Some("script:a.js#1/frames#1*1000/timers#1"));
    }

    #[test]
    fn queues_lose_the_numbers_of_their_documents() {
        for (queue, wanted) in [
            ("r12.timers", "timers"),
            ("r1.57.messages", "messages"),
            ("network", "network"),
            ("w3482.1.in", "in"),
            ("window", "window"),
        ] {
            assert_eq!(plain(queue), wanted);
        }
    }
}
