//! Random pages whose events use locations as programs on the web do: flags that are restored, tested or
//! counted, timers that are cleared, fields of libraries, forms, and lists of handlers that scripts fill.

use fastrand::Rng;
use trace::{
    Attributes, Enqueue, EventId, LocationId, LocationKind, Op, Posting, Provenance, Source,
    SourceId, ThreadId, Trace, TraceBuilder,
};

/// Types of events with their names.
const TYPES: [(&str, &str); 22] = [
    ("parse", "form#f"),
    ("parse", "a#l"),
    ("script", "index.html"),
    ("script", "app.js"),
    ("DOMContentLoaded", "DOMContentLoaded"),
    ("load", "load"),
    ("load", "img#i"),
    ("click", "a#l"),
    ("click", "a#l"),
    ("submit", "form#f"),
    ("input", "input#q"),
    ("response", "/api?q=1"),
    ("response", "/api?q=2"),
    ("timer", "tick"),
    ("listener", "f"),
    ("microtask", "then"),
    ("frame", "draw"),
    ("focus", "input#q"),
    ("click", "button#go"),
    ("observer", "sizes"),
    ("message", "window"),
    ("message", "MessagePort@1"),
];

/// Locations with their kinds; an empty kind is not declared.
const LOCATIONS: [(&str, &str); 21] = [
    ("Window.flag", ""),
    ("Window.count", ""),
    ("closure(load).cache", ""),
    ("Object(created at app.js:3)@1.next", ""),
    ("Timer(created at app.js:4)@1", "timer"),
    ("#list.childList", "dom"),
    ("#q.value", "dom"),
    ("document.getElementById(list)", "dom"),
    ("a#l.handlers(click)", "handler"),
    ("form#f.handlers(submit)", "handler"),
    ("#box.style", "dom"),
    ("#box.aria-busy", "dom"),
    ("#go.disabled", "dom"),
    ("button#go.handlers(click)", "handler"),
    ("document.activeElement", "initialised"),
    ("div.className", "dom"),
    ("cookie[lang]", "cookie"),
    ("Array@1[0]", ""),
    ("Array@1.length", ""),
    ("Object@2.a:b", ""),
    ("window.handlers(message)", "handler"),
];

/// The values of the locations whose values are no numbers.
const STYLES: [&str; 3] = ["\"\"", "\"display: none;\"", "\"width: 1px;\""];
const DISABLED: [&str; 2] = ["null", "\"\""];
const CLASSES: [&str; 5] = ["\"\"", "\"open\"", "\"open busy\"", "null", "\"busy…\""];

/// Files of accesses. Lines up to 3 are places that only test what they read.
const FILES: [&str; 3] = ["app.js", "lib.js", "index.html"];

struct Page {
    rng: Rng,
    builder: TraceBuilder,
    main: ThreadId,
    locations: Vec<LocationId>,
    /// The value of each location.
    values: Vec<u32>,
}

/// The page of `seed`, of 5 to 14 events. The file `lib.js` is that of a library.
pub fn habits(seed: u64) -> Trace {
    let mut builder = TraceBuilder::new();
    let main = builder.names().threads.intern(b"main");
    let mut locations = Vec::new();
    for (name, kind) in LOCATIONS {
        let id = builder.names().locations.intern(name.as_bytes());
        locations.push(id);
        let kind = match kind {
            "" => continue,
            "dom" => LocationKind::Dom,
            "handler" => LocationKind::Handler,
            "cookie" => LocationKind::Cookie,
            other => LocationKind::Other(builder.text(other.as_bytes())),
        };
        builder.set_location_kind(id, kind);
    }
    for file in FILES {
        for line in 1..=3 {
            let name = format!("test({file}:{line}:5)");
            let id = builder.names().locations.intern(name.as_bytes());
            let kind = LocationKind::Other(builder.text(b"test"));
            builder.set_location_kind(id, kind);
        }
    }
    let rng = Rng::with_seed(seed ^ 0x6861_6269_7473);
    let values = vec![0; locations.len()];
    let mut page = Page { rng, builder, main, locations, values };
    let queue = page.builder.names().queues.intern(b"timers");
    page.push(Op::Attach(queue), Attributes::default());
    let mut ended: Vec<EventId> = Vec::new();
    let mut posted: Vec<EventId> = Vec::new();
    if page.rng.bool() {
        page.answers();
    } else {
        page.at_once();
    }
    if page.rng.bool() {
        page.enabled();
    } else {
        page.drawn();
    }
    for number in 0..page.rng.usize(5..=14) {
        page.event(number, &mut ended, &mut posted);
    }
    page.builder.finish().0
}

impl Page {
    fn push(&mut self, op: Op, attributes: Attributes) {
        self.builder.push(self.main, op, attributes);
    }

    /// The parser inserts a form, a script attaches its handler, and the user submits it.
    fn at_once(&mut self) {
        let between = ["index.html", "index.html", "app.js"][self.rng.usize(0..3)];
        let steps = [("f", "parse", "form#f"), ("s", "script", between), ("u", "submit", "form#f")];
        let form = self.builder.names().events.intern(b"f");
        for (event, of_type, name) in steps {
            let event = self.builder.names().events.intern(event.as_bytes());
            let [event_type, event_name] =
                [of_type, name].map(|text| Some(self.builder.text(text.as_bytes())));
            self.push(
                Op::Begin(event),
                Attributes { event_type, event_name, ..Attributes::default() },
            );
            if of_type == "submit" {
                let event_type = Some(self.builder.text(b"target"));
                self.push(Op::Arc(form, event), Attributes { event_type, ..Attributes::default() });
            }
            if of_type != "parse" {
                self.access(9, of_type == "script", 0, false);
            }
            self.push(Op::End(event), Attributes::default());
        }
    }

    /// A short event whose accesses are of the given locations, each a write or not, with a value.
    fn short(&mut self, event: &str, of: (&str, &str), accesses: &[(usize, bool, u32)]) {
        let event = self.builder.names().events.intern(event.as_bytes());
        let [event_type, event_name] =
            [of.0, of.1].map(|text| Some(self.builder.text(text.as_bytes())));
        self.push(Op::Begin(event), Attributes { event_type, event_name, ..Attributes::default() });
        for &(at, is_write, value) in accesses {
            self.access(at, is_write, value, false);
        }
        self.push(Op::End(event), Attributes::default());
    }

    /// A script disables a button, an answer enables it and sets a flag, and a click on it reads the flag. One
    /// of the three is sometimes otherwise.
    fn enabled(&mut self) {
        let [disabled, enabled] =
            [1, 0].map(|usual| (usual + u32::from(self.rng.u8(0..6) == 0)) % 2);
        if self.rng.u8(0..4) > 0 {
            self.short("e1", ("script", "app.js"), &[(12, true, disabled)]);
        }
        self.short("e2", ("response", "/api?q=1"), &[(0, true, 1), (12, true, enabled)]);
        let list = if self.rng.u8(0..6) == 0 { 8 } else { 13 };
        self.short("e3", ("click", "button#go"), &[(list, false, 0)]);
        self.short("e4", ("listener", "f"), &[(0, false, 1)]);
    }

    /// Animation frames and a timer set a style.
    fn drawn(&mut self) {
        for (event, of_type) in [("f1", "frame"), ("t1", "timer"), ("f2", "frame")] {
            let value = self.rng.u32(0..3);
            self.short(event, (of_type, "draw"), &[(10, true, value), (14, false, value)]);
        }
        self.drawn_again();
    }

    /// A frame uses a flag or a style. An answer changes it, and requests a frame that uses it again.
    fn drawn_again(&mut self) {
        let (at, is_write) = [(0, false), (0, true), (3, false), (10, true)][self.rng.usize(0..4)];
        let [first, answer, next] =
            ["d1", "d2", "d3"].map(|name| self.builder.names().events.intern(name.as_bytes()));
        let queue = self.builder.names().queues.intern(b"timers");
        let is_ordered = self.rng.u8(0..3) > 0;
        for (event, of_type) in [(first, "frame"), (answer, "response"), (next, "frame")] {
            let event_type = Some(self.builder.text(of_type.as_bytes()));
            self.push(Op::Begin(event), Attributes { event_type, ..Attributes::default() });
            if event == next && is_ordered {
                let by = Some(self.builder.text(b"parser"));
                let attributes = Attributes { event_type: by, ..Attributes::default() };
                self.push(Op::Arc(first, next), attributes);
            }
            let line = if event == answer { 4 } else { 5 };
            let file = self.builder.text(b"app.js");
            let source = Some(self.builder.source(Source { file, line, column: Some(9) }));
            let value = self.rng.u32(0..3);
            self.access_from(at, is_write || event == answer, value, source);
            if event == answer && self.rng.u8(0..6) > 0 {
                let posting = Posting::Delayed(0);
                let enqueue = Enqueue { event: next, queue, posting, is_async: false, sync: false };
                self.push(Op::Enqueue(enqueue), Attributes::default());
            }
            self.push(Op::End(event), Attributes::default());
        }
    }

    /// Two clicks on one control, each of which reads a location and sends a request. The answers write it,
    /// and the document.
    fn answers(&mut self) {
        let queue = self.builder.names().queues.intern(b"network");
        let names = [("c1", "a1"), ("c2", "a2")];
        for (click, answer) in names {
            let [click, event] =
                [click, answer].map(|name| self.builder.names().events.intern(name.as_bytes()));
            let [of_type, name] = [&b"click"[..], b"a#l"].map(|text| Some(self.builder.text(text)));
            let attributes =
                Attributes { event_type: of_type, event_name: name, ..Attributes::default() };
            self.push(Op::Begin(click), attributes);
            self.access(1, false, 0, false);
            let posting = Posting::Delayed(0);
            let enqueue = Enqueue { event, queue, posting, is_async: false, sync: false };
            self.push(Op::Enqueue(enqueue), Attributes::default());
            self.push(Op::End(click), Attributes::default());
        }
        for (value, (_, answer)) in (1..).zip(names) {
            let answer = self.builder.names().events.intern(answer.as_bytes());
            let [of_type, name] =
                [&b"response"[..], b"/api?q=1"].map(|text| Some(self.builder.text(text)));
            let attributes =
                Attributes { event_type: of_type, event_name: name, ..Attributes::default() };
            self.push(Op::Begin(answer), attributes);
            self.access(1, true, value, false);
            self.access(5, true, value, false);
            self.push(Op::End(answer), Attributes::default());
        }
    }

    fn event(&mut self, number: usize, ended: &mut Vec<EventId>, posted: &mut Vec<EventId>) {
        let waiting = (!posted.is_empty() && self.rng.bool()).then(|| posted.swap_remove(0));
        let event = waiting
            .unwrap_or_else(|| self.builder.names().events.intern(format!("m{number}").as_bytes()));
        let (of_type, name) = TYPES[self.rng.usize(0..TYPES.len())];
        let prompt = ["timer", "timer", "frame", "observer", "message"][self.rng.usize(0..5)];
        let of_type = if waiting.is_some() { prompt } else { of_type };
        let event_type = Some(self.builder.text(of_type.as_bytes()));
        let event_name = Some(self.builder.text(name.as_bytes()));
        self.push(Op::Begin(event), Attributes { event_type, event_name, ..Attributes::default() });
        self.arcs(event, of_type, ended);
        if of_type == "input" {
            self.access(6, true, 7, false);
        }
        let is_library = self.rng.u8(0..4) == 0;
        let provenance = (self.rng.u8(0..6) == 0).then_some(Provenance::Framework);
        let function = self.builder.names().functions.intern(b"f");
        self.push(Op::Enter(function), Attributes { provenance, ..Attributes::default() });
        for _ in 0..self.rng.usize(1..=3) {
            self.use_location(of_type, is_library);
        }
        self.push(Op::Leave, Attributes::default());
        if self.rng.u8(0..3) == 0 {
            let next = self.builder.names().events.intern(format!("p{number}").as_bytes());
            let queue = self.builder.names().queues.intern(b"timers");
            let posting = Posting::Delayed([0, 4, 250][self.rng.usize(0..3)]);
            let enqueue = Enqueue { event: next, queue, posting, is_async: false, sync: false };
            self.push(Op::Enqueue(enqueue), Attributes::default());
            posted.push(next);
        }
        self.push(Op::End(event), Attributes::default());
        ended.push(event);
    }

    /// Orders an event after an earlier one: input after the creation of its target, others mostly.
    fn arcs(&mut self, event: EventId, of_type: &str, ended: &[EventId]) {
        let is_input = matches!(of_type, "click" | "submit" | "input" | "focus");
        if ended.is_empty() || self.rng.u8(0..4) == 0 {
            return;
        }
        let recent = if is_input { ended.len() } else { ended.len().min(2) };
        let source = ended[ended.len() - 1 - self.rng.usize(0..recent)];
        let by: &[u8] = if is_input { b"target" } else { b"parser" };
        let event_type = Some(self.builder.text(by));
        self.push(Op::Arc(source, event), Attributes { event_type, ..Attributes::default() });
    }

    fn use_location(&mut self, of_type: &str, is_library: bool) {
        let at = self.rng.usize(0..self.locations.len());
        let is_list = LOCATIONS[at].1 == "handler";
        let is_input =
            matches!(of_type, "click" | "submit" | "load" | "DOMContentLoaded" | "message");
        if is_list && is_input {
            return self.access(at, false, 0, is_library);
        }
        let value = self.values[at];
        match self.rng.u8(0..5) {
            // Reads, and leaves the value as it was.
            0 => {
                self.access(at, false, value, is_library);
                self.access(at, true, value, is_library);
            }
            // Counts.
            1 => {
                self.access(at, false, value, is_library);
                self.values[at] += 1;
                self.access(at, true, value + 1, is_library);
            }
            2 => self.access(at, false, value, is_library),
            _ => {
                let value = self.rng.u32(0..3);
                self.values[at] = value;
                self.access(at, true, value, is_library);
            }
        }
    }

    fn access(&mut self, at: usize, is_write: bool, value: u32, is_library: bool) {
        let file = if is_library { "lib.js" } else { FILES[self.rng.usize(0..3)] };
        let file = self.builder.text(file.as_bytes());
        let column = Some([5, 5, 5, 900][self.rng.usize(0..4)]);
        let source = Source { file, line: self.rng.u32(1..6), column };
        let source = (self.rng.u8(0..8) > 0).then(|| self.builder.source(source));
        self.access_from(at, is_write, value, source);
    }

    fn access_from(&mut self, at: usize, is_write: bool, value: u32, source: Option<SourceId>) {
        let value = match LOCATIONS[at].0 {
            "#box.style" => STYLES[value as usize % STYLES.len()].to_owned(),
            "div.className" => CLASSES[value as usize % CLASSES.len()].to_owned(),
            "#go.disabled" => DISABLED[value as usize % DISABLED.len()].to_owned(),
            _ => value.to_string(),
        };
        let value = Some(self.builder.text(value.as_bytes()));
        let id = self.locations[at];
        let op = if is_write { Op::Write(id) } else { Op::Read(id) };
        self.push(op, Attributes { value, source, ..Attributes::default() });
    }
}
