//! What a recording of a page states beyond its accesses: when the page loaded, which inputs were heard,
//! what was created for them, and where the program only tests what it reads.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use order::Tasks;
use trace::{
    EventId, LocationId, LocationKind, Op, OpId, Posting, SourceId, TextId, ThreadId, Trace,
};

use crate::visibility::{Visibility, unnumbered, visibility};

/// Types of input by which a user requests an action.
pub(crate) const COMMANDS: [&[u8]; 10] = [
    b"change",
    b"click",
    b"contextmenu",
    b"dblclick",
    b"drop",
    b"input",
    b"keydown",
    b"keypress",
    b"paste",
    b"submit",
];

/// Types of input that are no commands.
const OTHER_INPUT: [&[u8]; 17] = [
    b"blur",
    b"focus",
    b"focusin",
    b"focusout",
    b"keyup",
    b"mousedown",
    b"mousemove",
    b"mouseout",
    b"mouseover",
    b"mouseup",
    b"pointerdown",
    b"pointermove",
    b"pointerup",
    b"scroll",
    b"touchend",
    b"touchstart",
    b"wheel",
];

/// Returns whether events of a type come from the user.
pub(crate) fn is_input(event_type: &[u8]) -> bool {
    COMMANDS.contains(&event_type) || OTHER_INPUT.contains(&event_type)
}

/// The longest delay of a timer that counts as none, in milliseconds: browsers raise shorter ones.
pub(crate) const NO_DELAY: i64 = 4;

/// How the names of ports begin.
const PORT: &[u8] = b"MessagePort";

/// Returns whether a task runs right after it was requested: an animation frame, the call of an observer, a timer
/// without delay, or a message to a port of the same thread, as schedulers send them.
pub(crate) fn is_prompt(trace: &Trace, task: EventId) -> bool {
    let event = trace.event(task);
    let Some(begin) = event.begin else { return false };
    let attributes = trace.attributes(begin);
    match attributes.event_type.map(|of_type| trace.text(of_type)) {
        Some(b"frame" | b"observer") => true,
        Some(b"timer") => trace.posting_of(task).is_some_and(
            |post| matches!(post.posting, Posting::Delayed(delay) if delay <= NO_DELAY),
        ),
        Some(b"message") => {
            let is_port = |name| trace.text(name).starts_with(PORT);
            attributes.event_name.is_some_and(is_port)
                && event.enqueue.is_some_and(|post| trace.thread_of(post) == trace.thread_of(begin))
        }
        _ => false,
    }
}

/// Events of the page, by thread in trace order.
type ByThread = BTreeMap<ThreadId, Vec<(OpId, EventId)>>;

/// A write that makes an element usable: it takes its attribute `disabled` or `hidden` away.
pub(crate) struct Usable {
    pub(crate) at: OpId,
    pub(crate) event: EventId,
    /// The name of the element, as its attributes have it.
    pub(crate) element: Vec<u8>,
}

/// What a recording of a page states.
#[derive(Default)]
pub(crate) struct Page {
    /// The dispatches of `load` to the window. The windows of frames have other names.
    loads: ByThread,
    /// The dispatches of `DOMContentLoaded` to the document.
    parsed: ByThread,
    /// All events that began, in trace order.
    begun: ByThread,
    /// The tasks in which a listener was called.
    heard: BTreeSet<EventId>,
    /// For each dispatch, the event that created its target.
    made: BTreeMap<EventId, EventId>,
    /// For each event with a name, that name: of the target, if it is a dispatch.
    targets: BTreeMap<EventId, TextId>,
    /// The writes that make an element usable.
    usable: Vec<Usable>,
    /// The events of type `input` or `change`, which say that a field has changed.
    changes: BTreeSet<EventId>,
    /// The events that such an event follows, with the same target.
    changing: BTreeSet<EventId>,
    /// For each event of type `submit`, the click that made it.
    clicked: BTreeMap<EventId, EventId>,
    /// The inputs that a step of a test gives.
    tested: BTreeSet<EventId>,
    /// The elements that a click makes submit a form, as `ELEMENT.default(click)`.
    submitting: HashSet<Vec<u8>>,
    /// For each task, its last write of what a person sees or what is kept.
    shown: BTreeMap<EventId, OpId>,
    /// The tasks that send requests.
    sending: BTreeSet<EventId>,
    /// The places at which reads only test what they find, as `test(FILE:LINE:COLUMN)`.
    tests: HashSet<Vec<u8>>,
}

impl Page {
    pub(crate) fn of(trace: &Trace) -> Self {
        let is = |text: Option<TextId>, word: &[u8]| text.is_some_and(|t| trace.text(t) == word);
        let mut page = Self::default();
        let tasks = Tasks::new(trace);
        for (id, event) in trace.events() {
            let Some(begin) = event.begin else { continue };
            let attributes = trace.attributes(begin);
            let thread = trace.thread_of(begin);
            page.begun.entry(thread).or_default().push((begin, id));
            let is_of = |word| is(attributes.event_type, word) && is(attributes.event_name, word);
            if is_of(b"load") {
                page.loads.entry(thread).or_default().push((begin, id));
            }
            if is_of(b"DOMContentLoaded") {
                page.parsed.entry(thread).or_default().push((begin, id));
            }
            if is(attributes.event_type, b"listener") {
                page.heard.insert(tasks.head(id));
            }
            if is(attributes.event_type, b"input") || is(attributes.event_type, b"change") {
                page.changes.insert(id);
            }
            page.targets.extend(attributes.event_name.map(|name| (id, name)));
        }
        for of_thread in [&mut page.loads, &mut page.parsed, &mut page.begun] {
            for events in of_thread.values_mut() {
                events.sort_unstable();
            }
        }
        for op in trace.ops() {
            match trace.op(op) {
                Op::Arc(from, to) if is(trace.attributes(op).event_type, b"target") => {
                    page.made.entry(to).or_insert(from);
                }
                Op::Arc(_, to) if is(trace.attributes(op).event_type, b"step") => {
                    page.tested.insert(to);
                }
                // A click that changes a field is followed by the events that say so.
                Op::Arc(from, to) if page.changes.contains(&to) && page.is_same(from, to) => {
                    page.changing.insert(from);
                }
                Op::Arc(from, to) => {
                    let of_type = |event| {
                        let begin: Option<OpId> = trace.event(event).begin;
                        begin.and_then(|begin| trace.attributes(begin).event_type)
                    };
                    if is(of_type(to), b"submit") && is(of_type(from), b"click") {
                        page.clicked.insert(to, from);
                    }
                }
                _ => {}
            }
        }
        page.usable = usable(trace);
        page.find_shown(trace, &tasks);
        page.tests = declared(trace, b"test");
        page.submitting = declared(trace, b"default");
        page
    }

    /// Returns whether two events have the same name.
    fn is_same(&self, one: EventId, two: EventId) -> bool {
        self.targets.get(&one).is_some_and(|name| self.targets.get(&two) == Some(name))
    }

    /// Returns whether a list of handlers is that of the target of a dispatch, and not of an element around it.
    pub(crate) fn is_of_target(&self, trace: &Trace, dispatch: EventId, list: LocationId) -> bool {
        let list = trace.names().locations.get(list);
        let end = list.windows(LIST.len()).rposition(|window| window == LIST);
        let (element, rest) = list.split_at(end.unwrap_or(list.len()));
        self.targets.get(&dispatch).is_some_and(|&name| {
            let name = trace.text(name);
            // The events of the window itself are called as their type.
            let is_own = rest.starts_with(&[LIST, name, b")"].concat());
            name == element || element == b"window" && is_own
        })
    }

    /// Returns whether the browser changes a field of a form with a dispatch.
    pub(crate) fn changes_field(&self, dispatch: EventId) -> bool {
        self.changes.contains(&dispatch) || self.changing.contains(&dispatch)
    }

    /// Returns whether a step of a test gives an input.
    pub(crate) fn is_tested(&self, dispatch: EventId) -> bool {
        self.tested.contains(&dispatch)
    }

    /// Returns the writes that make elements usable, in trace order.
    pub(crate) fn usable(&self) -> &[Usable] {
        &self.usable
    }

    /// Returns the click that made a form submit, or the dispatch itself.
    pub(crate) fn clicked(&self, dispatch: EventId) -> EventId {
        self.clicked.get(&dispatch).copied().unwrap_or(dispatch)
    }

    /// Returns the target of a dispatch and the elements around it that its name states, as attributes name
    /// them: without the tag before an id.
    pub(crate) fn path<'t>(&self, trace: &'t Trace, dispatch: EventId) -> Vec<&'t [u8]> {
        let Some(&name) = self.targets.get(&dispatch) else { return Vec::new() };
        let name = trace.text(name);
        let tag = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = if name[tag..].starts_with(b"#") { &name[tag..] } else { name };
        let ends = (0..name.len()).filter(|&at| name[at] == b'>');
        ends.chain([name.len()]).map(|end| &name[..end]).collect()
    }

    /// Returns whether a click on the element with a list of handlers makes it submit a form.
    pub(crate) fn submits(&self, list: &[u8]) -> bool {
        let end = list.windows(LIST.len()).rposition(|window| window == LIST);
        let element = &list[..end.unwrap_or(list.len())];
        self.submitting.contains(&[element, b".default(click)"].concat())
    }

    /// Returns the event in which a page last loaded, before an operation and on its thread.
    pub(crate) fn last_load(&self, trace: &Trace, op: OpId) -> Option<EventId> {
        last_before(&self.loads, trace, op)
    }

    /// Returns the events in which pages on the thread of an operation were parsed: the last one before it,
    /// and the first one after it.
    pub(crate) fn parsed(&self, trace: &Trace, op: OpId) -> [Option<EventId>; 2] {
        let all = self.parsed.get(&trace.thread_of(op));
        let next = all.and_then(|all| all.get(all.partition_point(|&(begin, _)| begin < op)));
        [last_before(&self.parsed, trace, op), next.map(|&(_, event)| event)]
    }

    /// Returns whether a listener was called in a task.
    pub(crate) fn is_heard(&self, task: EventId) -> bool {
        self.heard.contains(&task)
    }

    /// Returns the event that created the target of a dispatch.
    pub(crate) fn made(&self, dispatch: EventId) -> Option<EventId> {
        self.made.get(&dispatch).copied()
    }

    /// Returns the events that began on a thread after `from` and before `to`.
    pub(crate) fn between(
        &self,
        trace: &Trace,
        from: OpId,
        to: OpId,
    ) -> impl Iterator<Item = EventId> {
        let events = self.begun.get(&trace.thread_of(to)).map_or(&[][..], Vec::as_slice);
        let start = events.partition_point(|&(begin, _)| begin <= from);
        let end = events.partition_point(|&(begin, _)| begin < to);
        events.get(start..end).unwrap_or_default().iter().map(|&(_, event)| event)
    }

    /// Returns whether a task sends a request, or shows something after an operation. The posts of an event come
    /// before its accesses in a recording, so they do not tell what was sent after a read.
    pub(crate) fn shows_after(&self, task: EventId, op: OpId) -> bool {
        self.sending.contains(&task) || self.shown.get(&task).is_some_and(|&last| last > op)
    }

    /// Finds the tasks that show and send something.
    fn find_shown(&mut self, trace: &Trace, tasks: &Tasks) {
        for op in trace.ops() {
            let Some(task) = trace.event_of(op).map(|event| tasks.head(event)) else { continue };
            match trace.op(op) {
                Op::Write(location) if visibility(trace, location) > Visibility::Internal => {
                    self.shown.insert(task, op);
                }
                Op::Enqueue(post) if trace.names().queues.get(post.queue) == NETWORK => {
                    self.sending.insert(task);
                }
                _ => {}
            }
        }
    }

    /// Returns whether reads at a place only test what they find.
    pub(crate) fn is_test(&self, trace: &Trace, source: SourceId) -> bool {
        if self.tests.is_empty() {
            return false;
        }
        let source = trace.source(source);
        let Some(column) = source.column else { return false };
        let mut name = b"test(".to_vec();
        name.extend(trace.text(source.file));
        name.extend(format!(":{}:{column})", source.line).bytes());
        self.tests.contains(&name)
    }
}

/// The queue of answers from servers.
const NETWORK: &[u8] = b"network";

/// Returns the writes that make an element usable, in trace order.
fn usable(trace: &Trace) -> Vec<Usable> {
    let mut last: BTreeMap<LocationId, Option<&[u8]>> = BTreeMap::new();
    let mut found = Vec::new();
    for op in trace.ops() {
        let Some((location, is_write)) = trace.op(op).access() else { continue };
        let name = trace.names().locations.get(location);
        let Some(element) = element_of_attribute(name) else { continue };
        let value = trace.attributes(op).value.map(|value| trace.text(value));
        let before = last.insert(location, value);
        let was_usable = before == Some(Some(b"null"));
        if let Some(event) = trace.event_of(op)
            && is_write
            && value == Some(b"null")
            && !was_usable
        {
            found.push(Usable { at: op, event, element: element.to_vec() });
        }
    }
    found
}

/// Returns the element of an attribute `disabled` or `hidden`, without the number of its document.
pub(crate) fn element_of_attribute(name: &[u8]) -> Option<&[u8]> {
    let plain = unnumbered(name);
    plain.strip_suffix(b".disabled").or_else(|| plain.strip_suffix(b".hidden"))
}

/// How the name of a list of handlers goes on after its element.
const LIST: &[u8] = b".handlers(";

/// Returns the names of the locations of a kind that a recorder declares without accessing them.
fn declared(trace: &Trace, kind: &[u8]) -> HashSet<Vec<u8>> {
    let names = &trace.names().locations;
    let is_of = |&id: &LocationId| {
        matches!(trace.location_kind(id),
            Some(LocationKind::Other(other)) if trace.text(other) == kind)
    };
    names.ids().filter(is_of).map(|id| names.get(id).to_vec()).collect()
}

fn last_before(events: &ByThread, trace: &Trace, op: OpId) -> Option<EventId> {
    let events = events.get(&trace.thread_of(op))?;
    let before = events.partition_point(|&(begin, _)| begin < op);
    events[..before].last().map(|&(_, event)| event)
}
