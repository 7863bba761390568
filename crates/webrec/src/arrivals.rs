//! Puts the messages of several threads into an order in which each post comes before its event.
//!
//! A page and its workers send their lines over connections of their own, so the lines of a
//! delivery may arrive before those of its send, although the sender has sent them first. Such a
//! delivery is held back, with everything that its thread sends after it, until the send has
//! arrived. The order of one thread's lines never changes.
//!
//! A send that the recorder does not see, such as one of a worker that is not recorded, never
//! arrives. After [`PATIENCE`] the lines are passed on, and the deliveries of that queue are not
//! held back again.
//!
//! Cost: O(1) for each line; memory for the lines held back and the posts whose events have not
//! begun.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::scribe::Message;

/// How long lines wait for the send that they follow.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many posts are remembered until their events begin.
const MOST_POSTED: usize = 1 << 20;

/// The messages that have arrived, some of which wait for others.
#[derive(Default)]
pub(crate) struct Arrivals {
    /// The posts of shared queues whose events have not begun.
    posted: HashSet<String>,
    /// The queues whose sends do not arrive.
    unpaired: HashSet<String>,
    held: HashMap<Arc<str>, Held>,
    ready: VecDeque<Message>,
}

/// The messages of a thread that wait for a post.
struct Held {
    event: String,
    since: Instant,
    messages: VecDeque<Message>,
}

impl Arrivals {
    /// Adds a message that has arrived.
    pub(crate) fn add(&mut self, message: Message) {
        match self.held.get_mut(&message.thread) {
            Some(held) => held.messages.push_back(message),
            None => self.pass(VecDeque::from([message])),
        }
        self.release(|held, posted| posted.contains(&held.event));
    }

    /// Gives up waiting for sends that have not arrived in time; `all` gives up on every one.
    pub(crate) fn expire(&mut self, all: bool) {
        while self.release(|held, _| all || held.since.elapsed() >= PATIENCE) {}
    }

    /// The next message whose posts have all arrived.
    pub(crate) fn next(&mut self) -> Option<Message> {
        self.ready.pop_front()
    }

    /// Passes on the messages of the threads that `is_free` names. Returns whether there were any.
    fn release(&mut self, is_free: impl Fn(&Held, &HashSet<String>) -> bool) -> bool {
        let mut any = false;
        loop {
            let free = self.held.iter().find(|(_, held)| is_free(held, &self.posted));
            let Some(thread) = free.map(|(thread, _)| Arc::clone(thread)) else { return any };
            any = true;
            let held = self.held.remove(&thread).expect("the thread was just found");
            if !self.posted.contains(&held.event) {
                self.unpaired.insert(queue(&held.event).to_owned());
            }
            self.pass(held.messages);
        }
    }

    /// Passes on the messages of one thread up to the first event whose post has not arrived.
    fn pass(&mut self, mut messages: VecDeque<Message>) {
        while let Some(message) = messages.pop_front() {
            let Some((at, event)) = self.read(&message.payload) else {
                self.ready.push_back(message);
                continue;
            };
            let Message { thread, realm, payload, is_last } = message;
            let (before, rest) = payload.split_at(at);
            let part = |lines: &str, is_last| Message {
                thread: Arc::clone(&thread),
                realm,
                payload: lines.to_owned(),
                is_last,
            };
            if !before.is_empty() {
                self.ready.push_back(part(before, false));
            }
            messages.push_front(part(rest, is_last));
            self.held.insert(thread, Held { event, since: Instant::now(), messages });
            return;
        }
    }

    /// Notes the posts of a message. Returns the place of the first event whose post has not
    /// arrived, with the event.
    fn read(&mut self, payload: &str) -> Option<(usize, String)> {
        let mut at = 0;
        for line in payload.split_inclusive('\n') {
            let mut words = line.split_ascii_whitespace();
            match (words.next(), words.next()) {
                (Some("enqueue"), Some(event)) => self.post(event),
                (Some("begin"), Some(event)) if self.is_awaited(event) => {
                    return Some((at, event.to_owned()));
                }
                _ => {}
            }
            at += line.len();
        }
        None
    }

    /// Whether an event begins before its post has arrived. A post is forgotten once its event begins.
    fn is_awaited(&mut self, event: &str) -> bool {
        is_shared(event) && !self.posted.remove(event) && !self.unpaired.contains(queue(event))
    }

    fn post(&mut self, event: &str) {
        if is_shared(event) && self.posted.len() < MOST_POSTED {
            self.posted.insert(event.to_owned());
        }
    }
}

/// Whether an event is one of a queue that two agents share. The name of such a queue is that of a
/// worker, or of a message that has carried a port.
fn is_shared(event: &str) -> bool {
    event.starts_with('w') || event.contains("/in") || event.contains("/out")
}

/// The queue of a shared event.
fn queue(event: &str) -> &str {
    event.rsplit_once('/').map_or(event, |(queue, _)| queue)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::RealmId;

    fn message(thread: &str, payload: &str) -> Message {
        let (thread, payload) = (thread.into(), payload.into());
        Message { thread, realm: RealmId::FIRST, payload, is_last: false }
    }

    fn taken(arrivals: &mut Arrivals) -> Vec<String> {
        std::iter::from_fn(|| arrivals.next())
            .map(|message| format!("{}: {}", message.thread, message.payload))
            .collect()
    }

    #[test]
    fn a_delivery_waits_for_its_send_with_all_that_follows_it() {
        let mut arrivals = Arrivals::default();
        arrivals.add(message("worker", "read a\nbegin w1.in/0 type=message\nread b\n"));
        arrivals.add(message("worker", "end w1.in/0\n"));
        arrivals.add(message("main", "begin r1.2 type=timer\n"));
        let before = taken(&mut arrivals);
        assert_eq!(before, ["worker: read a\n", "main: begin r1.2 type=timer\n"]);
        arrivals.add(message("main", "enqueue w1.in/0 w1.in\nend r1.2\n"));
        let after = taken(&mut arrivals);
        let wanted = [
            "main: enqueue w1.in/0 w1.in\nend r1.2\n",
            "worker: begin w1.in/0 type=message\nread b\n",
            "worker: end w1.in/0\n",
        ];
        assert_eq!(after, wanted);
        assert!(arrivals.posted.is_empty());
    }

    #[test]
    fn the_end_of_a_document_waits_with_its_lines() {
        let mut arrivals = Arrivals::default();
        arrivals.add(Message { is_last: true, ..message("worker", "read a\nbegin w1.in/0\n") });
        let first = arrivals.next().expect("the lines before the event");
        assert!(first.payload == "read a\n" && !first.is_last);
        assert!(arrivals.next().is_none());
        arrivals.expire(true);
        assert!(arrivals.next().is_some_and(|message| message.is_last));
    }

    #[test]
    fn a_thread_may_wait_for_a_thread_that_waits() {
        let mut arrivals = Arrivals::default();
        arrivals.add(message("main", "begin w1.out/0 type=message\nend w1.out/0\n"));
        arrivals.add(message("worker", "begin w1.in/0\nenqueue w1.out/0 w1.out\nend w1.in/0\n"));
        assert!(taken(&mut arrivals).is_empty());
        arrivals.add(message("other", "enqueue w1.in/0 w1.in\n"));
        let threads: Vec<String> =
            taken(&mut arrivals).iter().map(|text| text[..4].to_owned()).collect();
        assert_eq!(threads, ["othe", "work", "main"]);
    }

    #[test]
    fn a_send_that_is_never_recorded_delays_its_queue_once() {
        let mut arrivals = Arrivals::default();
        arrivals.add(message("main", "begin w1.out/0\nend w1.out/0\nbegin w1.out/1\n"));
        arrivals.expire(false);
        assert!(taken(&mut arrivals).is_empty());
        arrivals.expire(true);
        assert_eq!(
            taken(&mut arrivals).concat(),
            "main: begin w1.out/0\nend w1.out/0\nbegin w1.out/1\n"
        );
        arrivals.add(message("main", "begin w1.out/2\n"));
        assert_eq!(taken(&mut arrivals), ["main: begin w1.out/2\n"]);
    }
}
