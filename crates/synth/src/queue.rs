//! The message queue of a looper, as Android's behaves (observed on Android 6, unchanged to 14).
//!
//! Messages are sorted by due time, then by arrival; one posted to the front is at the head. A
//! barrier at the head lets only asynchronous messages pass. Idle handlers run when no message is
//! due, at most once between two messages, and only those registered at that moment. A handler that
//! is added while the looper already waits runs only after the next message. Input and frames do
//! not come through the queue: native code delivers them before the looper takes the next message.

use std::collections::VecDeque;

use trace::{BarrierId, EventId, Posting};

use crate::message::Message;

enum Entry {
    Message(Box<Message>),
    Barrier { id: BarrierId, when: i64 },
}

impl Entry {
    fn when(&self) -> i64 {
        match self {
            Self::Message(message) => message.when,
            Self::Barrier { when, .. } => *when,
        }
    }
}

/// The result of asking a queue for the next message.
pub(crate) enum Next {
    Message(Box<Message>),
    /// No message is due before this time, in milliseconds.
    WaitUntil(i64),
    /// No message is due until a thread posts one.
    Wait,
}

pub(crate) struct MessageQueue {
    entries: VecDeque<Entry>,
    native: VecDeque<Box<Message>>,
    idle: VecDeque<Box<Message>>,
    /// The number of idle handlers that run now, one after the other.
    idle_running: usize,
    /// Whether idle handlers may run before the next message.
    idle_armed: bool,
}

impl Default for MessageQueue {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            native: VecDeque::new(),
            idle: VecDeque::new(),
            idle_running: 0,
            idle_armed: true,
        }
    }
}

impl MessageQueue {
    /// How many messages wait.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() + self.native.len() + self.idle.len()
    }

    /// Adds a message. Its `when` is the time at which it is due.
    pub(crate) fn enqueue(&mut self, message: Box<Message>) {
        match message.posting {
            Posting::Front => self.entries.push_front(Entry::Message(message)),
            Posting::Idle => self.idle.push_back(message),
            Posting::Input | Posting::Display => self.native.push_back(message),
            Posting::Delayed(_) | Posting::AtTime(_) | Posting::Ipc => {
                let when = message.when;
                self.insert(when, Entry::Message(message));
            }
        }
    }

    fn insert(&mut self, when: i64, entry: Entry) {
        let place = self.entries.iter().rposition(|e| e.when() <= when).map_or(0, |last| last + 1);
        self.entries.insert(place, entry);
    }

    pub(crate) fn post_barrier(&mut self, id: BarrierId, now: i64) {
        self.insert(now, Entry::Barrier { id, when: now });
    }

    pub(crate) fn remove_barrier(&mut self, barrier: BarrierId) {
        self.entries.retain(|e| !matches!(e, Entry::Barrier { id, .. } if *id == barrier));
    }

    /// Removes a waiting message, and returns it if there was one.
    pub(crate) fn remove(&mut self, event: EventId) -> Option<Box<Message>> {
        let is_it = |e: &Entry| matches!(e, Entry::Message(m) if m.event == event);
        let place = self.entries.iter().position(is_it)?;
        match self.entries.remove(place) {
            Some(Entry::Message(message)) => Some(message),
            _ => None,
        }
    }

    /// Decides what the looper does next.
    pub(crate) fn next(&mut self, now: i64) -> Next {
        if self.idle_running > 0 {
            self.idle_running -= 1;
            if let Some(handler) = self.idle.pop_front() {
                return Next::Message(handler);
            }
        }
        if let Some(message) = self.native.pop_front() {
            return Next::Message(message);
        }
        let held = matches!(self.entries.front(), Some(Entry::Barrier { .. }));
        let passes = |e: &Entry| matches!(e, Entry::Message(m) if !held || m.is_async);
        let candidate = self.entries.iter().position(passes);
        if let Some(place) = candidate
            && self.entries[place].when() <= now
            && let Some(Entry::Message(message)) = self.entries.remove(place)
        {
            self.idle_armed = true;
            return Next::Message(message);
        }
        let nothing_due = self.entries.front().is_none_or(|head| now < head.when());
        if nothing_due && std::mem::take(&mut self.idle_armed) && !self.idle.is_empty() {
            self.idle_running = self.idle.len();
            return self.next(now);
        }
        match candidate {
            Some(place) => Next::WaitUntil(self.entries[place].when()),
            None => Next::Wait,
        }
    }
}

/// A queue that several threads serve: a binder's, or an executor's.
///
/// Messages are served in the order of their arrival, but asynchronous calls of one process are
/// handled one at a time, like those to one object of a binder.
#[derive(Default)]
pub(crate) struct Crew {
    waiting: VecDeque<Box<Message>>,
    /// The processes with an asynchronous call that is being handled.
    busy: Vec<trace::ProcessId>,
}

impl Crew {
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(crate) fn enqueue(&mut self, message: Box<Message>) {
        self.waiting.push_back(message);
    }

    fn is_serial(message: &Message) -> bool {
        message.posting == Posting::Ipc && message.caller.is_none()
    }

    pub(crate) fn next(&mut self) -> Option<Box<Message>> {
        let free = |m: &Message| !Self::is_serial(m) || !self.busy.contains(&m.from);
        let place = self.waiting.iter().position(|m| free(m))?;
        let message = self.waiting.remove(place)?;
        if Self::is_serial(&message) {
            self.busy.push(message.from);
        }
        Some(message)
    }

    /// Notes that an asynchronous call of a process was handled.
    pub(crate) fn done(&mut self, from: trace::ProcessId) {
        self.busy.retain(|&process| process != from);
    }
}
