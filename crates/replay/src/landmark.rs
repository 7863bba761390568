//! How a task is recognised in a run of the program without the recorder, such as a test of the user's own.
//!
//! A path needs the recorder, which sees who posts what. A landmark needs only what anyone can see who drives
//! the program: a step, an exchange, the n-th call of a function of the platform, an element. A task that has no
//! landmark of its own has that of the nearest task that caused it.

use std::collections::{HashSet, VecDeque};

use trace::{EventId, Op, Posting};

use crate::control::{Control, Recorded};

/// Something by which a task is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landmark {
    /// An input of this step, counted from 0.
    Step(usize),
    /// The n-th answer to a request, counted from 0.
    Answer {
        /// The method of the request.
        method: String,
        /// The address of the request.
        url: String,
        /// The number of the request among those that are alike.
        nth: u32,
    },
    /// The n-th inline script of a document, counted from 0.
    Inline {
        /// The name of the document.
        document: String,
        /// The number of the script among the document's inline scripts.
        nth: u32,
    },
    /// The callback of the n-th timer with this delay, or of the n-th request for a frame or for idle time, in
    /// its document.
    Callback {
        /// What calls back.
        of: Callback,
        /// The delay of a timer in milliseconds.
        delay: Option<i64>,
        /// The number of the call among those that are alike, from 0.
        nth: u32,
    },
    /// The parser adds an element, which has this name.
    Element(String),
    /// The document has been parsed (`DOMContentLoaded`) or has loaded (`load`).
    Loaded(&'static str),
}

/// A function of the platform that calls back later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callback {
    /// `setTimeout` or `setInterval`.
    Timer,
    /// `requestAnimationFrame`.
    Frame,
    /// `requestIdleCallback`.
    Idle,
}

/// A landmark of a task or of what caused it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// The landmark.
    pub landmark: Landmark,
    /// Whether it is the task's own.
    pub is_own: bool,
}

impl Recorded<'_> {
    /// Returns the landmark of the task with this path, or of the nearest task that caused it.
    /// O(operations).
    pub fn sighting(&self, path: &str) -> Option<Sighting> {
        let task = self.task(path)?;
        let mut seen = HashSet::from([task]);
        let mut next = VecDeque::from([task]);
        while let Some(at) = next.pop_front() {
            if let Some(landmark) = self.landmark(at) {
                return Some(Sighting { landmark, is_own: at == task });
            }
            next.extend(self.causes(at).into_iter().filter(|&cause| seen.insert(cause)));
        }
        None
    }

    /// How many inputs of this type a step gave, counted from 0.
    pub fn inputs(&self, step: usize, kind: &str) -> usize {
        let is_it = |event: &EventId| {
            self.kind_and_name(*event).0 == kind
                && self.queue(*event) == "input"
                && self.control(*event) == Some(Control::Step(step))
        };
        self.trace.events().map(|(event, _)| event).filter(is_it).count()
    }

    fn landmark(&self, task: EventId) -> Option<Landmark> {
        let (kind, name) = self.kind_and_name(task);
        let callback = match kind {
            "timer" => Some(Callback::Timer),
            "frame" => Some(Callback::Frame),
            "idle" => Some(Callback::Idle),
            _ => None,
        };
        if let Some(of) = callback {
            return self.callback(task, of);
        }
        match self.control(task) {
            Some(Control::Answer { method, url, nth }) => {
                Some(Landmark::Answer { method, url, nth })
            }
            Some(Control::Inline { document, nth }) => Some(Landmark::Inline { document, nth }),
            Some(Control::Step(step)) => Some(Landmark::Step(step)),
            _ => match kind {
                "parse" => Some(Landmark::Element(name.to_owned())),
                "DOMContentLoaded" if name == kind => Some(Landmark::Loaded("DOMContentLoaded")),
                "load" if name == kind => Some(Landmark::Loaded("load")),
                _ => None,
            },
        }
    }

    /// The number of a callback among those of calls that are alike, in its document.
    fn callback(&self, task: EventId, of: Callback) -> Option<Landmark> {
        let posted = self.trace.event(task).enqueue?;
        let posting = self.trace.posting_of(task)?;
        let delay = |posting| match posting {
            Posting::Delayed(delay) if of == Callback::Timer => Some(delay),
            _ => None,
        };
        let kind = |queue| {
            let name = self.queue_name(queue);
            // Timers whose delays the platform raises have a queue of their own.
            (name.strip_suffix("(clamped)").unwrap_or(name), self.trace.thread_of(posted))
        };
        let is_alike = |op: &trace::OpId| match self.trace.op(*op) {
            Op::Enqueue(other) => {
                kind(other.queue) == kind(posting.queue)
                    && delay(other.posting) == delay(posting.posting)
            }
            _ => false,
        };
        let nth = self.trace.ops().take_while(|&op| op < posted).filter(is_alike).count() as u32;
        Some(Landmark::Callback { of, delay: delay(posting.posting), nth })
    }
}
