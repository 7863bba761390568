//! The places at which a task can be held back, and which of them a recorded task has.
//!
//! | task | control |
//! |---|---|
//! | a response, a script with an address, the load of an image, a style sheet or a frame | the answer |
//! | a body or a chunk of a response whose head must pass | the task itself |
//! | an inline script, and what the parser does after it | the script |
//! | what the parser does, `DOMContentLoaded`, `load` | a [gate](Place) in the document |
//! | a timer, an animation frame, an idle callback | the task itself |
//! | a message of a window, a port, a worker or a channel, an event of a socket | the task itself |
//! | an input | the step that gave it |
//!
//! Any other task has no control of its own; a plan then looks at the tasks that caused it. The events of
//! `IndexedDB` are among them: a transaction whose event waits would end.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use order::Tasks;
use serde::{Deserialize, Serialize};
use trace::{EventId, Op, OpId, QueueId, Trace};

use crate::gate::Place;
use crate::paths::{Paths, is_part};
use crate::session::Session;

/// Nanoseconds in a millisecond.
const MS: f64 = 1e6;
/// How many milliseconds the clocks of the page and of the recorder may differ.
pub(crate) const SKEW: f64 = 20.0;

/// Something that can be held back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
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
    /// A place in the n-th document with an address, counted from 0.
    Gate {
        /// The address of the document.
        url: String,
        /// The number of the request for it among those that are alike.
        nth: u32,
        /// The place.
        place: Place,
    },
    /// A task, by the path by which its window or worker knows it.
    Task(String),
    /// A step, counted from 0, and those after it.
    Step(usize),
}

impl Control {
    /// Whether the parser is held inside a document.
    pub fn is_parser(&self) -> bool {
        let place = match self {
            Self::Inline { .. } => return true,
            Self::Gate { place, .. } => place,
            _ => return false,
        };
        matches!(place, Place::Element(_) | Place::End)
    }
}

impl fmt::Display for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { method, url, nth: 0 } => write!(f, "the answer to {method} {url}"),
            Self::Answer { method, url, nth } => {
                write!(f, "answer {} to {method} {url}", nth + 1)
            }
            Self::Inline { document, nth } => write!(f, "inline script {} of {document}", nth + 1),
            Self::Gate { url, place, .. } => write!(f, "{place} of {url}"),
            Self::Task(path) => f.write_str(path),
            Self::Step(step) => write!(f, "step {}", step + 1),
        }
    }
}

/// Something that is held back until a task is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// What is held.
    pub control: Control,
    /// The path of the task that it waits for.
    pub until: String,
}

/// A recorded execution: its tasks, their paths and their causes.
pub struct Recorded<'t> {
    pub(crate) trace: &'t Trace,
    pub(crate) tasks: Tasks,
    pub(crate) session: &'t Session,
    paths: HashMap<EventId, String>,
    /// The paths by which the pages know their tasks.
    local: HashMap<EventId, String>,
    /// The sources of the arcs that lead to each event, each with its reason.
    arcs: HashMap<EventId, Vec<(EventId, &'t str)>>,
    /// The events that began, in their order.
    begun: Vec<EventId>,
    /// When the first event of each document began, in milliseconds.
    first: HashMap<u32, f64>,
}

/// The paths of the tasks of a trace, by the event that begins the task, and those events in order.
pub(crate) fn paths(trace: &Trace) -> (HashMap<EventId, String>, Vec<EventId>) {
    paths_by(trace, |_, event| event)
}

/// The paths as the runtime of each window and worker computes them: it does not know what others posted.
fn local_paths(trace: &Trace) -> HashMap<EventId, String> {
    paths_by(trace, |op, event| (trace.thread_of(op), event)).0
}

/// The paths of tasks, if a post and the event that it leads to have the same key.
fn paths_by<K: Eq + Hash>(
    trace: &Trace,
    key: impl Fn(OpId, EventId) -> K,
) -> (HashMap<EventId, String>, Vec<EventId>) {
    let mut paths = Paths::default();
    let (mut found, mut begun) = (HashMap::new(), Vec::new());
    for op in trace.ops() {
        let thread = text(trace.names().threads.get(trace.thread_of(op)));
        match trace.op(op) {
            Op::Enqueue(enqueue) => {
                let queue = text(trace.names().queues.get(enqueue.queue));
                paths.enqueue(thread, key(op, enqueue.event), queue);
            }
            Op::Begin(event) if trace.event(event).begin == Some(op) => {
                let (kind, name) = words(trace, op);
                let document = document(trace, event);
                if let Some(path) = paths.begin(thread, document, &key(op, event), kind, name) {
                    found.insert(event, path.to_owned());
                }
                begun.push(event);
            }
            _ => {}
        }
    }
    (found, begun)
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

/// The type and the name of the event that an operation begins.
fn words(trace: &Trace, begin: OpId) -> (&str, &str) {
    let attributes = trace.attributes(begin);
    let word = |id: Option<_>| id.map_or("", |id| text(trace.text(id)));
    (word(attributes.event_type), word(attributes.event_name))
}

/// The number of the document of an event, which its id `rN.…` contains; 0 if it contains none.
fn document(trace: &Trace, event: EventId) -> u32 {
    let name = text(trace.names().events.get(event));
    let number = name.strip_prefix('r').and_then(|rest| rest.split('.').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_default()
}

/// Whether the name of an event's target is that of a connection, whose frames a replay plays back.
fn is_socket(name: &str) -> bool {
    // `WebSocket(created at app.js:3)@1`, in a frame after the frame's file.
    let maker = name.split(['(', '@']).next().unwrap_or_default();
    matches!(maker.rsplit('/').next(), Some("WebSocket" | "EventSource"))
}

impl<'t> Recorded<'t> {
    /// Reads a recording. O(operations).
    pub fn new(trace: &'t Trace, session: &'t Session) -> Recorded<'t> {
        let (paths, begun) = paths(trace);
        let mut arcs: HashMap<_, Vec<_>> = HashMap::new();
        for op in trace.ops() {
            if let Op::Arc(from, to) = trace.op(op) {
                let by = trace.attributes(op).event_type.map_or("", |id| text(trace.text(id)));
                arcs.entry(to).or_default().push((from, by));
            }
        }
        let tasks = Tasks::new(trace);
        let (local, first) = (local_paths(trace), HashMap::new());
        let mut recorded = Recorded { trace, tasks, session, paths, local, arcs, begun, first };
        for event in &recorded.begun {
            if let Some(time) = recorded.time(*event) {
                recorded.first.entry(document(trace, *event)).or_insert(time);
            }
        }
        recorded
    }

    /// When the first event of the document of an event began, in milliseconds.
    pub(crate) fn first_time(&self, event: EventId) -> Option<f64> {
        self.first.get(&document(self.trace, event)).copied()
    }

    /// Returns the path of a task.
    pub fn path(&self, task: EventId) -> Option<&str> {
        self.paths.get(&task).map(String::as_str)
    }

    /// The paths of all tasks.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.values().map(String::as_str)
    }

    pub(crate) fn kind_and_name(&self, event: EventId) -> (&'t str, &'t str) {
        self.trace.event(event).begin.map_or(("", ""), |begin| words(self.trace, begin))
    }

    pub(crate) fn queue(&self, event: EventId) -> &'t str {
        self.trace.posting_of(event).map_or("", |posting| self.queue_name(posting.queue))
    }

    pub(crate) fn queue_name(&self, queue: QueueId) -> &'t str {
        text(self.trace.names().queues.get(queue))
    }

    /// The task with a path.
    pub(crate) fn task(&self, path: &str) -> Option<EventId> {
        self.begun.iter().copied().find(|&event| self.path(event) == Some(path))
    }

    /// The task that posted an event.
    pub(crate) fn poster(&self, event: EventId) -> Option<EventId> {
        let posted = self.trace.event(event).enqueue?;
        Some(self.tasks.head(self.trace.event_of(posted)?))
    }

    /// The tasks without which a task would not run: its poster, and the sources of its arcs, the last
    /// first.
    pub(crate) fn causes(&self, task: EventId) -> Vec<EventId> {
        let arcs = self.arcs.get(&task).into_iter().flatten().rev();
        let arcs =
            arcs.filter(|(_, by)| !matches!(*by, "" | "target" | "learned" | "step" | "wait"));
        let arcs = arcs.map(|(from, _)| self.tasks.head(*from));
        let mut causes: Vec<_> = self.poster(task).into_iter().chain(arcs).collect();
        causes.retain(|&cause| cause != task);
        causes
    }

    /// When an event began, in milliseconds since the recording began.
    #[allow(clippy::cast_precision_loss, reason = "a recording is shorter than a hundred days")]
    fn time(&self, event: EventId) -> Option<f64> {
        let begin = self.trace.event(event).begin?;
        Some(self.trace.attributes(begin).at? as f64 / MS)
    }

    /// Whether two events are in one queue that keeps their order.
    pub(crate) fn share_queue(&self, a: EventId, b: EventId) -> bool {
        let (one, other) = (self.queue(a), self.queue(b));
        !one.is_empty()
            && one == other
            && !matches!(one, "network" | "scripts" | "input" | "explored")
    }

    /// The control of a task, if it has one of its own.
    pub(crate) fn control(&self, task: EventId) -> Option<Control> {
        let (kind, name) = self.kind_and_name(task);
        match kind {
            "timer" | "frame" | "idle" | "callback" => self.in_page(task),
            "script" => self.script(task, name),
            "parse" | "DOMContentLoaded" | "document" => self.gate(task, kind, name),
            _ if self.queue(task) == "input" => self.step(task),
            _ if is_socket(name) || self.is_message(task) => self.in_page(task),
            "import" => self.loaded(task, name).or_else(|| self.in_page(task)),
            "load" if name.rsplit('/').next() == Some("load") && self.queue(task).is_empty() => {
                self.answer(task).or_else(|| self.gate(task, kind, name))
            }
            // An element and a request both have loads and errors.
            "load" | "error" => self.answer(task).or_else(|| self.resource(task, name)),
            "response" => self.answer(task).or_else(|| self.in_page(task)),
            _ => self.answer(task),
        }
    }

    /// The task with a path as a control: the page holds the task itself, after its answer has arrived. Only for
    /// tasks that handle an answer.
    pub fn handling(&self, path: &str) -> Option<Control> {
        let task = self.task(path).filter(|&task| self.is_callback(task))?;
        self.in_page(task)
    }

    /// The task itself as a control, if the page can hold it.
    pub(crate) fn in_page(&self, task: EventId) -> Option<Control> {
        self.local.get(&task).map(|path| Control::Task(path.clone()))
    }

    /// Whether a task is the delivery of a message of a window, a port, a worker or a channel.
    fn is_message(&self, task: EventId) -> bool {
        self.kind_and_name(task).0 == "message" && self.poster(task).is_some()
    }

    /// Whether a task is a callback of a request that the page itself can hold: the body or a chunk of a
    /// response, or a dispatch to a request object.
    pub(crate) fn is_callback(&self, task: EventId) -> bool {
        let kind = self.kind_and_name(task).0;
        matches!(kind, "response" | "readystatechange" | "progress" | "load" | "loadend")
    }

    fn step(&self, task: EventId) -> Option<Control> {
        let time = self.time(task)?;
        let steps = &self.session.steps;
        steps.iter().rposition(|step| step.time.0 <= time + 1.0).map(Control::Step)
    }

    /// How many tasks of the same type and name, in the same document or in any, began before a task.
    pub(crate) fn earlier(&self, task: EventId, same_document: bool) -> u32 {
        let wanted = self.kind_and_name(task);
        let of = document(self.trace, task);
        let before = self.begun.iter().take_while(|&&event| event != task);
        let is_same = |event: &&EventId| {
            self.kind_and_name(**event) == wanted
                && (!same_document || document(self.trace, **event) == of)
        };
        before.filter(is_same).count() as u32
    }

    /// The answer with the code of a script that has an address.
    fn loaded(&self, task: EventId, name: &str) -> Option<Control> {
        let is_it = |url: &str| {
            let path = url.split(['?', '#']).next().unwrap_or_default();
            path.ends_with(&format!("/{name}"))
        };
        self.exchange(&["Script", "Other"], self.earlier(task, false), is_it)
    }

    fn script(&self, task: EventId, name: &str) -> Option<Control> {
        // An inline script has the name of its document.
        self.loaded(task, name).or_else(|| {
            let nth = self.earlier(task, true);
            let is_parsed = self.queue(task).is_empty();
            is_parsed.then(|| Control::Inline { document: name.to_owned(), nth })
        })
    }

    /// The n-th exchange of some kinds whose address satisfies a condition, as a control.
    fn exchange(&self, kinds: &[&str], nth: u32, is_it: impl Fn(&str) -> bool) -> Option<Control> {
        let all = self.session.exchanges.iter().enumerate();
        let mut found = all.filter(|(_, exchange)| {
            (kinds.is_empty() || kinds.contains(&&*exchange.kind)) && is_it(&exchange.url)
        });
        found.nth(nth as usize).map(|(at, _)| self.answer_of(at))
    }

    fn answer_of(&self, at: usize) -> Control {
        let exchange = &self.session.exchanges[at];
        let (method, url) = (exchange.method.clone(), exchange.url.clone());
        Control::Answer { method, url, nth: self.session.nth(at) }
    }

    /// The answer that the load or the error of an element waits for: that of its script, or else the
    /// last one of its kind that was complete when the event began.
    fn resource(&self, task: EventId, name: &str) -> Option<Control> {
        let arcs = self.arcs.get(&task).into_iter().flatten();
        if let Some((script, _)) = arcs.clone().find(|(_, by)| *by == "script") {
            return self.control(self.tasks.head(*script));
        }
        let tag: String =
            name.rsplit('>').next()?.chars().take_while(char::is_ascii_alphanumeric).collect();
        let kind = match tag.as_str() {
            "img" | "image" => "Image",
            "link" => "Stylesheet",
            "iframe" | "frame" => "Document",
            "video" | "audio" | "source" => "Media",
            _ => return None,
        };
        let time = self.time(task)?;
        let exchanges = self.session.exchanges.iter().enumerate();
        let complete = exchanges
            .filter(|(_, exchange)| exchange.kind == kind && exchange.time.1 <= time + SKEW)
            .max_by(|(_, one), (_, other)| one.time.1.total_cmp(&other.time.1));
        complete.map(|(at, _)| self.answer_of(at))
    }

    /// The answer that a callback of the network belongs to.
    fn answer(&self, task: EventId) -> Option<Control> {
        let (kind, name) = self.kind_and_name(task);
        if self.queue(task) != "network" {
            let mut arcs = self.arcs.get(&task).into_iter().flatten();
            let earlier = arcs.find(|(_, by)| *by == "network")?.0;
            return self.answer(self.tasks.head(earlier));
        }
        let poster = self.poster(task);
        // The body of a response is read in a callback of the response.
        if kind == "response"
            && let Some(head) = poster.filter(|&head| self.kind_and_name(head) == (kind, name))
        {
            return self.answer(head);
        }
        let number = |event: EventId| self.trace.event(event).enqueue;
        let is_head = |event: &EventId| {
            self.queue(*event) == "network"
                && self.kind_and_name(*event).1 == name
                && self.poster(*event).is_none_or(|head| self.kind_and_name(head).1 != name)
                && number(*event) < number(task)
        };
        let nth = self.begun.iter().copied().filter(is_head).count() as u32;
        let name = name.trim_start_matches("./");
        let cut = name.strip_suffix('…');
        let is_it = |url: &str| match cut {
            Some(start) => url.contains(start),
            None => url.ends_with(name),
        };
        self.exchange(&["XHR", "Fetch", "EventSource", "Other"], nth, is_it)
    }

    /// Whether a task is an input.
    pub(crate) fn is_input(&self, task: EventId) -> bool {
        matches!(self.queue(task), "input" | "explored")
    }

    /// Whether an input moves the focus.
    pub(crate) fn moves_focus(&self, task: EventId) -> bool {
        let kind = self.kind_and_name(task).0;
        self.queue(task) == "input" && matches!(kind, "focus" | "blur" | "focusin" | "focusout")
    }

    /// The next input of the gesture that an input belongs to.
    pub(crate) fn next_of_gesture(&self, input: EventId) -> Option<EventId> {
        let follows = |event: &&EventId| {
            let mut arcs = self.arcs.get(*event).into_iter().flatten();
            self.queue(**event) == "input" && arcs.any(|arc| *arc == (input, ""))
        };
        self.begun.iter().find(follows).copied()
    }

    /// Whether an event is a part of a task.
    pub(crate) fn is_part(&self, event: EventId) -> bool {
        is_part(self.kind_and_name(event).0)
    }
}
