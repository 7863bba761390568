//! The labels of model `web` alone, by their definitions.

use trace::{EventId, LocationId, LocationKind, Op, OpId, Posting, Provenance, Trace};

use super::{Labels, Race};

/// Types of input that ask for something to be done.
const COMMANDS: &[&str] = &[
    "click",
    "dblclick",
    "contextmenu",
    "submit",
    "change",
    "input",
    "keydown",
    "keypress",
    "paste",
    "drop",
];

/// Types of input that ask for nothing.
const OTHER_INPUT: &[&str] = &[
    "blur",
    "focus",
    "focusin",
    "focusout",
    "keyup",
    "mousedown",
    "mousemove",
    "mouseout",
    "mouseover",
    "mouseup",
    "pointerdown",
    "pointermove",
    "pointerup",
    "scroll",
    "touchend",
    "touchstart",
    "wheel",
];

/// A name without the number of its document.
pub(in crate::oracle) fn unnumbered(name: &str) -> &str {
    match name.rsplit_once('@') {
        Some((plain, number))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            plain
        }
        _ => name,
    }
}

/// How much a person sees of a location: 2 of what the page shows, 1 of what outlives it.
pub(in crate::oracle) fn seen(trace: &Trace, x: LocationId) -> u8 {
    let name = std::str::from_utf8(trace.names().locations.get(x)).unwrap_or_default();
    let plain = unnumbered(name);
    let is_shown = match trace.location_kind(x) {
        Some(LocationKind::Cookie | LocationKind::Storage) => return 1,
        Some(LocationKind::Dom) => {
            let end = plain.rsplit('.').next().unwrap_or_default();
            let is_described = end.starts_with("aria-") || end == "role";
            !name.contains("getElementById(") && !name.starts_with("head") && !is_described
        }
        Some(LocationKind::Other(_)) => {
            let ends = [".checked", ".selected", "document.title", "document.activeElement"];
            ends.iter().any(|end| plain.ends_with(end))
        }
        _ => false,
    };
    2 * u8::from(is_shown)
}

/// Whether a type of event is one of input.
pub(in crate::oracle) fn is_input(of_type: &[u8]) -> bool {
    COMMANDS.iter().chain(OTHER_INPUT).any(|one| one.as_bytes() == of_type)
}

impl Labels<'_> {
    /// The read and the write of a race between a read and a write.
    pub(super) fn read_and_write(&self, race: Race) -> Option<(OpId, OpId)> {
        match (self.writes(race.first), self.writes(race.second)) {
            (true, false) => Some((race.second, race.first)),
            (false, true) => Some((race.first, race.second)),
            _ => None,
        }
    }

    /// Whether an event that must not be lost may find no handler.
    pub(super) fn matters(&self, race: Race) -> bool {
        let Some((read, write)) = self.read_and_write(race) else { return false };
        let (Some(dispatch), Some(attach)) = (self.facts.event(read), self.facts.event(write))
        else {
            return false;
        };
        let Some(of_type) = self.event_type(read).and_then(|t| std::str::from_utf8(t).ok()) else {
            return false;
        };
        let is_target = self.is_of_target(dispatch, self.location(read));
        let is_posted = of_type == "message"
            && unnumbered(self.name(self.location(read))) == "window.handlers(message)";
        let is_once = of_type == "DOMContentLoaded"
            || ["load", "error"].contains(&of_type) && is_target
            || is_posted
            || of_type == "script" && !self.name(self.location(read)).ends_with("handlers(script)");
        let by_input = self
            .ancestors(attach)
            .iter()
            .any(|&event| is_input(self.facts.type_of(event).unwrap_or_default()));
        let certain = |w: OpId| self.writes(w) && w < read && self.order.holds(w, read);
        let is_heard = self.facts.messages().any(|event| {
            self.facts.type_of(event) == Some(b"listener")
                && self.facts.task(event) == self.facts.task(dispatch)
        });
        (is_once || COMMANDS.contains(&of_type))
            && !by_input
            && (is_once
                || read < write && !is_heard
                || of_type == "submit"
                || of_type == "click" && self.is_link(self.location(read))
                || of_type == "click" && self.submits(self.location(read))
                || is_target && self.changes_field(dispatch)
                || self.looks_ready(write, attach))
            && !self.accesses(self.location(read)).any(certain)
    }

    fn is_link(&self, x: LocationId) -> bool {
        let element = self.name(x).split('.').next().unwrap_or_default();
        let last = element.rsplit(['>', '/']).next().unwrap_or_default();
        last.split(['#', ':', '(', '@']).next() == Some("a")
    }

    /// Whether a click on the element with a list of handlers makes it submit a form.
    fn submits(&self, x: LocationId) -> bool {
        let element = self.name(x).rsplit_once(".handlers(").map_or(self.name(x), |(it, _)| it);
        self.is_declared("default", &format!("{element}.default(click)"))
    }

    /// Whether a recorder declares a location of a kind.
    fn is_declared(&self, of_kind: &str, name: &str) -> bool {
        let names = &self.trace.names().locations;
        names.ids().any(|x| {
            matches!(self.trace.location_kind(x),
                Some(LocationKind::Other(kind)) if self.trace.text(kind) == of_kind.as_bytes())
                && names.get(x) == name.as_bytes()
        })
    }

    /// The name of an event.
    pub(super) fn name_of(&self, event: EventId) -> Option<String> {
        let name = self.trace.attributes(self.facts.begin(event)?).event_name?;
        Some(String::from_utf8_lossy(self.trace.text(name)).into_owned())
    }

    /// Whether a list of handlers is that of the target of a dispatch.
    fn is_of_target(&self, dispatch: EventId, x: LocationId) -> bool {
        let name = self.name_of(dispatch);
        let list = self.name(x);
        let (element, rest) = list.rsplit_once(".handlers(").unwrap_or((list, ""));
        name.is_some_and(|name| {
            name == element || element == "window" && rest.starts_with(&format!("{name})"))
        })
    }

    /// Whether the browser changes a field of a form with a dispatch, which an `input` or `change` says.
    fn changes_field(&self, dispatch: EventId) -> bool {
        let says = |event| matches!(self.facts.type_of(event), Some(b"input" | b"change"));
        let name = self.name_of(dispatch);
        let is_followed = |op: OpId| match self.facts.op(op) {
            Op::Arc(from, to) => from == dispatch && says(to) && self.name_of(to) == name,
            _ => false,
        };
        says(dispatch) || name.is_some() && self.facts.ops().any(is_followed)
    }

    /// Whether a location is what a user enters in a form.
    pub(super) fn is_field(&self, x: LocationId) -> bool {
        self.trace.location_kind(x).is_some()
            && [".value", ".checked", ".selected"].iter().any(|end| self.name(x).ends_with(end))
    }

    /// The task of an event, and those that led to it by posts.
    fn ancestors(&self, event: EventId) -> Vec<EventId> {
        let mut tasks = vec![self.facts.task(event)];
        while tasks.len() < 16 {
            let last = tasks[tasks.len() - 1];
            let parent = self.facts.enqueue(last).and_then(|post| self.facts.event(post));
            let Some(parent) = parent else { break };
            tasks.push(self.facts.task(parent));
        }
        tasks
    }

    /// The begins of the dispatches of a type to the window or the document, on the thread of an
    /// operation.
    fn dispatches(&self, of_type: &str, op: OpId) -> Vec<OpId> {
        let is = |&begin: &OpId| {
            let name = self.trace.attributes(begin).event_name;
            self.facts.begun(begin).is_some()
                && self.facts.event_type(begin) == Some(of_type.as_bytes())
                && name.is_some_and(|name| self.trace.text(name) == of_type.as_bytes())
                && self.facts.thread(begin) == self.facts.thread(op)
        };
        self.facts.ops().filter(is).collect()
    }

    fn looks_ready(&self, write: OpId, attach: EventId) -> bool {
        let last = |begins: &[OpId]| begins.iter().copied().rfind(|&begin| begin < write);
        let parsed = self.dispatches("DOMContentLoaded", write);
        let next = parsed.iter().copied().find(|&begin| begin > write);
        let parsed = last(&parsed).or(next);
        let loaded = last(&self.dispatches("load", write));
        let event = |begin: OpId| self.facts.begun(begin).expect("of a dispatch");
        let is_prompt = |begin: OpId| self.follows_promptly(event(begin), attach);
        let waits = |loaded: OpId| parsed.is_some_and(|parsed| self.waits(parsed, loaded));
        if parsed.is_some_and(is_prompt) || loaded.is_some_and(|l| is_prompt(l) && !waits(l)) {
            return false;
        }
        let first = self.facts.begin(attach).expect("it began");
        let is_there = next.is_some_and(|next| self.order.holds(first, next));
        parsed.is_some() && !is_there
            || loaded.is_some_and(|loaded| self.order.holds(loaded, first))
    }

    /// Whether a page that was parsed at one begin may wait for something until it has loaded at the other.
    fn waits(&self, parsed: OpId, loaded: OpId) -> bool {
        self.facts.messages().any(|event| {
            self.facts.begin(event).is_some_and(|begin| {
                let of_type = self.facts.type_of(event);
                begin > OpId(0)
                    && begin < loaded
                    && begin != parsed
                    && !self.order.holds(begin, parsed)
                    && self.facts.thread(begin) == self.facts.thread(loaded)
                    && self.facts.task(event) == event
                    && matches!(of_type, Some(b"load" | b"error" | b"script"))
                    && self.order.holds(begin, loaded)
            })
        })
    }

    /// Whether `event` is of the task of `milestone`, or of timers without delay that lead to it.
    fn follows_promptly(&self, milestone: EventId, event: EventId) -> bool {
        let goal = self.facts.task(milestone);
        let mut task = self.facts.task(event);
        for _ in 0..16 {
            if task == goal {
                return true;
            }
            let Some(post) = self.facts.post(task) else { return false };
            let is_short = matches!(post.posting, Posting::Delayed(delay) if delay <= 4);
            let begin = self.facts.begin(task).expect("it began");
            let is_timer = self.event_type(begin) == Some(b"timer");
            let parent = self.facts.event(post.at).filter(|_| is_timer && is_short);
            let Some(parent) = parent else { return false };
            task = self.facts.task(parent);
        }
        false
    }

    /// Whether only parsing and inline scripts lie between the creation of an input's target and its
    /// handler or its value.
    pub(super) fn attaches_at_once(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let kind = self.trace.location_kind(x);
        let is_list = kind == Some(LocationKind::Handler);
        let is_value = self.is_field(x);
        let is_input = |op| is_input(self.event_type(op).unwrap_or_default());
        let holds = |input: OpId, write: OpId| {
            let comes_early =
                if is_list { !self.writes(input) } else { is_value && is_input(input) };
            comes_early && self.writes(write) && self.comes_at_once(input, write)
        };
        self.is_web() && (holds(race.first, race.second) || holds(race.second, race.first))
    }

    fn comes_at_once(&self, input: OpId, write: OpId) -> bool {
        let Some(dispatch) = self.facts.event(input).map(|event| self.facts.task(event)) else {
            return false;
        };
        let created = self.facts.ops().find_map(|op| match self.facts.op(op) {
            Op::Arc(from, to) if to == dispatch && self.facts.event_type(op) == Some(b"target") => {
                Some(from)
            }
            _ => None,
        });
        let (Some(created), Some(attach)) = (created, self.facts.event(write)) else {
            return false;
        };
        let Some(from) = self.facts.begin(created) else { return false };
        let between = |&event: &EventId| {
            self.facts.begin(event).is_some_and(|begin| {
                begin > from
                    && begin < write
                    && self.facts.thread(begin) == self.facts.thread(write)
            })
        };
        self.facts.thread(from) == self.facts.thread(write)
            && self.is_of_document(created)
            && self.is_of_document(attach)
            && self.facts.messages().filter(between).all(|event| self.is_of_document(event))
    }

    fn is_of_document(&self, event: EventId) -> bool {
        let task = self.facts.task(event);
        let name =
            self.facts.begin(event).and_then(|begin| self.trace.attributes(begin).event_name);
        match self.facts.type_of(task) {
            Some(b"parse") => true,
            Some(b"script") => name.is_some_and(|name| {
                let name = String::from_utf8_lossy(self.trace.text(name)).into_owned();
                let path = name.split(['?', '#']).next().unwrap_or_default();
                ![".js", ".mjs", ".cjs", ".ts"].iter().any(|end| path.ends_with(end))
            }),
            _ => false,
        }
    }

    /// Whether a read only tests what it finds.
    pub(in crate::oracle) fn is_test(&self, op: OpId) -> bool {
        let source = self.trace.attributes(op).source.map(|source| self.trace.source(source));
        self.is_web()
            && source.is_some_and(|source| {
                let file = String::from_utf8_lossy(self.trace.text(source.file)).into_owned();
                let column = source.column.map_or(String::new(), |column| column.to_string());
                self.is_declared("test", &format!("test({file}:{}:{column})", source.line))
            })
    }

    /// Whether an input that must not be lost races with its handler.
    pub(in crate::oracle) fn loses_an_input(&self, race: Race) -> bool {
        let kind = self.trace.location_kind(self.location(race.first));
        kind == Some(LocationKind::Handler) && self.is_web() && self.matters(race)
    }

    /// Whether one access is a test, or a write after a test in its own event.
    pub(super) fn is_guarded(&self, race: Race) -> bool {
        self.coverage.eligible(race)
            && (self.asks_first(race.first) || self.asks_first(race.second))
            && !self.waits_after_test(race)
            && !self.skips_a_start(race)
    }

    /// Whether a script tests what another script left before, and goes on to show or send something.
    fn skips_a_start(&self, race: Race) -> bool {
        let Some((read, write)) = self.read_and_write(race) else { return false };
        let is_script = |op| self.event_type(op) == Some(b"script");
        let found =
            !matches!(self.value(read), None | Some(b"undefined" | b"null" | b"none" | b"?" | b""));
        let event = self.facts.event(read);
        let own = |w: OpId| self.writes(w) && self.facts.event(w) == event;
        write < read
            && is_script(read)
            && is_script(write)
            && found
            && event.is_some()
            && self.shows(read)
            && !self.accesses(self.location(read)).any(own)
    }

    /// Whether an access is a test, or a write after a test in its own event.
    fn asks_first(&self, op: OpId) -> bool {
        let event = self.facts.event(op);
        if !self.writes(op) {
            let own = |w: OpId| self.writes(w) && self.facts.event(w) == event;
            let is_written = self.accesses(self.location(op)).any(own);
            let is_shown = self.seen(self.location(op)) == 2;
            return self.is_test(op) && !(is_shown && self.is_of_library(op) && is_written);
        }
        let before: Vec<OpId> =
            self.accesses(self.location(op)).filter(|&other| other < op).collect();
        let x = self.location(op);
        let guards = |r: OpId| {
            if self.is_test(r) {
                self.seen(x) < 2 || !self.is_of_library(r)
            } else {
                self.is_field(x)
            }
        };
        let near = before.iter().rev().take(4);
        near.copied().any(|r| !self.writes(r) && self.facts.event(r) == event && guards(r))
    }

    /// Whether the write does not ask itself, and a task that led to it by posts made the same test as the read
    /// and did not write.
    fn waits_after_test(&self, race: Race) -> bool {
        let (read, write) = match (self.writes(race.first), self.writes(race.second)) {
            (true, false) => (race.second, race.first),
            (false, true) => (race.first, race.second),
            _ => return false,
        };
        let (Some(reader), Some(writer)) = (self.facts.event(read), self.facts.event(write)) else {
            return false;
        };
        if self.asks_first(write) {
            return false;
        }
        let source = |op| self.trace.attributes(op).source;
        let task = |op| self.facts.event(op).map(|event| self.facts.task(event));
        let x = self.location(read);
        let (own, reading) = (self.facts.task(writer), self.facts.task(reader));
        self.ancestors(writer).into_iter().any(|before| {
            let is_same = |a: OpId| {
                task(a) == Some(before)
                    && !self.writes(a)
                    && source(a) == source(read)
                    && self.is_test(a)
            };
            before != own
                && before != reading
                && self.accesses(x).any(is_same)
                && !self.accesses(x).any(|a| task(a) == Some(before) && self.writes(a))
        })
    }

    /// Whether every write of a race leaves what the access before it found or left.
    pub(super) fn changes_nothing(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let value = self.value(race.first);
        let text = value.map(|value| String::from_utf8_lossy(value).into_owned());
        let is_plain = text.is_some_and(|text| {
            ["true", "false", "null", "undefined"].contains(&text.as_str())
                || text.parse::<f64>().is_ok()
                || text.starts_with('"') && text.ends_with('"')
        });
        let keeps = |op: OpId| {
            let before = self.accesses(x).filter(|&a| a < op).last();
            !self.writes(op) || before.is_some_and(|before| self.value(before) == value)
        };
        self.seen(x) == 0
            && is_plain
            && self.value(race.second) == value
            && keeps(race.first)
            && keeps(race.second)
    }

    /// Whether code asks for the focus, and does more than test it.
    pub(super) fn asks_for_focus(&self, race: Race) -> bool {
        let asks = |op| !self.writes(op) && !self.is_test(op);
        unnumbered(self.name(self.location(race.first))) == "document.activeElement"
            && (asks(race.first) || asks(race.second))
    }

    /// Whether an animation frame moves or resizes an element.
    pub(super) fn is_layout(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let in_frame = |op| self.event_type(op) == Some(b"frame");
        let shown = |op| {
            let style = String::from_utf8_lossy(self.value(op)?).into_owned();
            let of = |property: &str| {
                let at = style.find(property)? + property.len();
                let end = style[at..].find([';', '"']).map_or(style.len(), |end| at + end);
                Some(style[at..end].trim().to_owned())
            };
            let is_cut = style.ends_with('…');
            let [display, visibility] = ["display:", "visibility:"].map(of);
            (!is_cut || display.is_some()).then_some((display, visibility))
        };
        unnumbered(self.name(x)).strip_suffix(".style").is_some()
            && self.trace.location_kind(x) == Some(LocationKind::Dom)
            && (in_frame(race.first) || in_frame(race.second))
            && shown(race.first).is_some()
            && shown(race.first) == shown(race.second)
    }

    /// Whether the second access is of an input on an element that became usable in or after the event of the
    /// first.
    pub(super) fn is_enabled(&self, race: Race) -> bool {
        let (early, late) = (race.first.min(race.second), race.first.max(race.second));
        let (Some(first), Some(second)) = (self.facts.event(early), self.facts.event(late)) else {
            return false;
        };
        let dispatch = self.facts.task(second);
        let is_click = |op: OpId| match self.facts.op(op) {
            Op::Arc(from, to) => {
                let of_type = |event| self.facts.type_of(event);
                let submits = of_type(from) == Some(b"click") && of_type(to) == Some(b"submit");
                (submits && to == dispatch).then_some(from)
            }
            _ => None,
        };
        let clicked = self.facts.ops().filter_map(is_click).next_back();
        let dispatch = clicked.unwrap_or(dispatch);
        let Some(begin) = self.facts.begin(dispatch) else { return false };
        let elements = self.around(dispatch);
        let makes_usable = |op: OpId| {
            let (Op::Write(x), Some(event)) = (self.facts.op(op), self.facts.event(op)) else {
                return false;
            };
            let plain = unnumbered(self.name(x));
            let element = [".disabled", ".hidden"].iter().find_map(|end| plain.strip_suffix(end));
            let Some(element) = element else { return false };
            let before = self.accesses(x).filter(|&a| a < op).last();
            let starts = self.facts.begin(event).expect("it began");
            let first_begins = self.facts.begin(first).expect("it began");
            op < begin
                && self.value(op) == Some(b"null")
                && before.is_none_or(|before| self.value(before) != Some(b"null"))
                && elements.iter().any(|around| around == element)
                && (self.facts.task(event) == self.facts.task(first)
                    || event != first && self.order.holds(first_begins, starts))
        };
        is_input(self.event_type(late).unwrap_or_default()) && self.facts.ops().any(makes_usable)
    }

    /// The target of a dispatch and the elements around it that its name states, as attributes name them.
    fn around(&self, dispatch: EventId) -> Vec<String> {
        let Some(name) = self.name_of(dispatch) else { return Vec::new() };
        let is_tag = |tag: &str| tag.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let name = match name.split_once('#') {
            Some((tag, id)) if is_tag(tag) => format!("#{id}"),
            _ => name,
        };
        let parts: Vec<&str> = name.split('>').collect();
        (1..=parts.len()).map(|count| parts[..count].join(">")).collect()
    }

    /// The task of an event, and if it reads the body of an answer, the tasks of that answer before it.
    pub(super) fn requests(&self, event: EventId) -> Vec<EventId> {
        let answer = |task: EventId| {
            let begin = self.facts.begin(task)?;
            let name = self.trace.attributes(begin).event_name?;
            (self.facts.type_of(task) == Some(b"response")).then(|| self.trace.text(name))
        };
        let mut tasks = vec![self.facts.task(event)];
        while tasks.len() < 16 {
            let last = tasks[tasks.len() - 1];
            let parent = self.facts.enqueue(last).and_then(|post| self.facts.event(post));
            let Some(parent) = parent.map(|parent| self.facts.task(parent)) else { break };
            let goes_on = answer(last).is_some() && answer(parent) == answer(last);
            if !goes_on && !self.is_prompt(last) {
                break;
            }
            tasks.push(parent);
        }
        tasks
    }

    /// Whether every event leaves the value that the first access, a read, found.
    pub(super) fn is_restored(&self, x: LocationId) -> bool {
        let first = self.accesses(x).next().expect("it is accessed");
        let value = self.value(first);
        !self.writes(first)
            && value.is_some()
            && self.accesses(x).all(|a| self.is_local_read(a) || self.value(a) == value)
            && self.races_on(x).all(|race| self.coverage.eligible(race))
    }

    /// Whether both accesses belong to events that count.
    pub(super) fn are_updates(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let of_update = |op: OpId| {
            let all: Vec<OpId> = self.accesses(x).collect();
            let at = all.iter().position(|&a| a == op).expect("an access");
            let near = &all[at.saturating_sub(4)..(at + 5).min(all.len())];
            let event = self.facts.event(op);
            let own = near.iter().filter(|&&a| self.facts.event(a) == event);
            let own: Vec<OpId> = own.copied().collect();
            let number = |op| String::from_utf8_lossy(self.value(op)?).parse::<f64>().ok();
            let place = |op| self.trace.attributes(op).source;
            match own[..] {
                [read, write] if event.is_some() && !self.writes(read) && self.writes(write) => {
                    let counts = number(read)
                        .zip(number(write))
                        .is_some_and(|(old, new)| (old - new).abs() > 0.0);
                    counts || place(read).is_some() && place(read) == place(write)
                }
                _ => false,
            }
        };
        self.seen(x) == 0 && of_update(race.first) && of_update(race.second)
    }

    /// Whether the location is a timer or a request.
    pub(super) fn is_pending(&self, x: LocationId) -> bool {
        match self.trace.location_kind(x) {
            Some(LocationKind::Other(kind)) => {
                self.trace.text(kind) == b"timer" || self.trace.text(kind) == b"request"
            }
            _ => false,
        }
    }

    /// Whether only code sees the location, and both accesses are in code of libraries.
    pub(super) fn is_of_libraries(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let is_list = self.trace.location_kind(x) == Some(LocationKind::Handler);
        let inside = |op: OpId| self.is_of_library(op);
        let aside = |op: OpId| {
            let bare = self.trace.attributes(op).source.is_none() && self.frames(op).is_empty();
            bare || inside(op)
        };
        let both_write = self.writes(race.first) && self.writes(race.second);
        let (a, b) = (race.first, race.second);
        self.seen(x) == 0
            && (!is_list || both_write)
            && (inside(a) && aside(b) || aside(a) && inside(b))
    }

    /// Whether an access is in code of a library.
    fn is_of_library(&self, op: OpId) -> bool {
        let frames = self.frames(op);
        let is_ignored =
            frames.first().is_some_and(|frame| frame.provenance == Some(Provenance::Framework));
        let source = self.trace.attributes(op).source.map(|source| self.trace.source(source));
        is_ignored
            || source.is_some_and(|source| {
                let file = String::from_utf8_lossy(self.trace.text(source.file)).into_owned();
                source.column.is_some_and(|column| column > 500)
                    || self.listed.library.contains(&file.as_str())
            })
    }
}
