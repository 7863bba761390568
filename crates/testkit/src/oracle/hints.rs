//! The hints of triage by their definitions, each a predicate over one race that quantifies over
//! the whole trace. Nothing is shared with `triage`.

use std::collections::BTreeSet;

use trace::{EventId, FunctionId, LocationId, LocationKind, Op, OpId, Trace};

use super::facts::{Facts, is_initialised};
use super::labels::page::{is_input, seen};
use super::{Labels, Model, Order, Race};

/// The data from which hints are decided.
pub struct Hints<'a> {
    trace: &'a Trace,
    facts: Facts,
    model: Model,
    order: &'a Order,
    /// Functions that end lives, as exact names.
    destroys: &'a [&'a str],
}

impl<'a> Hints<'a> {
    /// Hints at races under `order`.
    pub fn new(trace: &'a Trace, model: Model, order: &'a Order, destroys: &'a [&'a str]) -> Self {
        Self { trace, facts: Facts::of(trace), model, order, destroys }
    }

    /// The hints at a race. `labels` decide what only tests, and which inputs must not be lost.
    pub fn of(&self, race: Race, labels: &Labels<'_>) -> BTreeSet<&'static str> {
        let (a, b) = (race.first, race.second);
        let held = [
            ("form-overwritten", self.overwrites_a_form(a, b) || self.overwrites_a_form(b, a)),
            ("lost-input", labels.loses_an_input(race)),
            (
                "access-before-definition",
                self.comes_before_definition(a, b, &|op| {
                    labels.is_test(op) || labels.is_bounded(op)
                }),
            ),
            ("double-submit", self.submits_twice(a, b)),
            ("null-dereference", self.model != Model::Web && self.may_find_nothing(a, b)),
            ("use-after-destroy", self.ends_life(a, b) || self.ends_life(b, a)),
            (
                "lost-update",
                [(a, b), (b, a)]
                    .into_iter()
                    .any(|(a, b)| self.loses(a, b, labels) || self.is_split(a, b, labels)),
            ),
            ("stale-response", self.are_responses(a, b)),
        ];
        held.into_iter().filter(|&(_, holds)| holds).map(|(hint, _)| hint).collect()
    }

    /// `read` found something to follow, nothing orders a write of the location before it, and the
    /// location is not known to have a value from the start.
    fn may_find_nothing(&self, write: OpId, read: OpId) -> bool {
        let plain = self.value(read).is_some_and(|value| {
            let text = String::from_utf8_lossy(value);
            ["undefined", "null", "true", "false"].contains(&&*text) || text.parse::<f64>().is_ok()
        });
        let mut writes = self.accesses(self.location(read)).filter(|&w| self.writes(w) && w < read);
        self.writes(write)
            && !self.writes(read)
            && !plain
            && !is_initialised(self.trace, self.location(read))
            && writes.all(|w| !self.order.holds(w, read))
    }

    /// `end` clears what `usage` reads, or runs in a destructor and `usage` does not.
    fn ends_life(&self, end: OpId, usage: OpId) -> bool {
        let nothing = |op| matches!(self.value(op), Some(b"undefined" | b"null"));
        let something = self.value(usage).is_some() && !nothing(usage);
        let clears = nothing(end) && !self.writes(usage) && something;
        self.writes(end) && (clears || self.destroys(end) && !self.destroys(usage))
    }

    /// Both write, and the nearest event on the way to that of `write` that read the location
    /// before did so at a read that nothing orders with `other`; the event itself did not read it. In
    /// model `web` tasks stand for events.
    fn loses(&self, write: OpId, other: OpId, labels: &Labels<'_>) -> bool {
        let reads_before = |event: EventId| {
            self.accesses(self.location(write))
                .find(|&r| !self.writes(r) && self.task(r) == Some(event))
                .filter(|&read| read < write)
        };
        let Some(event) = self.task(write) else { return false };
        let mut way = self.way(event).into_iter();
        way.next();
        let read = way.find_map(reads_before).filter(|&r| self.may_compute(r, write, labels));
        let free = |read| !self.order.holds(read, other) && !self.order.holds(other, read);
        self.writes(write)
            && self.writes(other)
            && reads_before(event).is_none()
            && read.is_some_and(free)
    }

    /// In model `web`, `read` is the read from which a later event on the way from it writes, and `other`
    /// writes, too.
    fn is_split(&self, read: OpId, other: OpId, labels: &Labels<'_>) -> bool {
        let reads_before = |event: EventId, write: OpId| {
            self.accesses(self.location(read))
                .find(|&r| !self.writes(r) && self.task(r) == Some(event))
                .filter(|&r| r < write)
        };
        let writes = |write: OpId| {
            let Some(event) = self.task(write) else { return false };
            let mut way = self.way(event).into_iter();
            way.next();
            self.writes(write)
                && reads_before(event, write).is_none()
                && way.find_map(|event| reads_before(event, write)) == Some(read)
                && self.may_compute(read, write, labels)
        };
        self.model == Model::Web
            && !self.writes(read)
            && self.writes(other)
            && self.accesses(self.location(read)).any(writes)
    }

    /// In model `web`, `read` is no test, and if the places of both are known, the write stands on its line
    /// or after it, in the same file.
    fn may_compute(&self, read: OpId, write: OpId, labels: &Labels<'_>) -> bool {
        let place = |op: OpId| self.trace.attributes(op).source.map(|s| self.trace.source(s));
        let follows = place(read).zip(place(write)).is_none_or(|(r, w)| {
            self.trace.text(r.file) == self.trace.text(w.file) && r.line <= w.line
        });
        self.model != Model::Web || follows && !labels.is_test(read)
    }

    /// Whether a hint applies that names what goes wrong.
    pub(super) fn names_harm(&self, race: Race, labels: &Labels<'_>) -> bool {
        let aside = ["null-dereference", "use-after-destroy"];
        self.of(race, labels).iter().any(|hint| !aside.contains(hint))
    }

    /// The event of an operation; in model `web` its task.
    fn task(&self, op: OpId) -> Option<EventId> {
        let event = self.facts.event(op)?;
        Some(if self.model == Model::Web { self.facts.task(event) } else { event })
    }

    /// An event and those that led to it by posts, nearest first.
    fn way(&self, event: EventId) -> Vec<EventId> {
        let mut way = vec![event];
        while way.len() < 16 {
            let post = self.facts.enqueue(way[way.len() - 1]);
            let Some(parent) = post.and_then(|post| self.task(post)) else { break };
            way.push(parent);
        }
        way
    }

    /// Both write in events that are both responses, and not one value; under the same functions, or in
    /// model `web` from one path, but not of two requests of one control.
    fn are_responses(&self, a: OpId, b: OpId) -> bool {
        let functions = |op| -> Vec<FunctionId> {
            let stack = self.trace.stack_of(op);
            self.trace.stacks().frames(stack).map(|frame| frame.function).collect()
        };
        let path = |op| {
            let begin = self.facts.begin(self.task(op)?)?;
            let name = self.trace.text(self.trace.attributes(begin).event_name?);
            Some(name.split(|&byte| byte == b'?').next()?.to_vec())
        };
        let equal = self.value(a).is_some() && self.value(a) == self.value(b);
        let same_path = self.model == Model::Web && path(a).is_some() && path(a) == path(b);
        self.writes(a)
            && self.writes(b)
            && !equal
            && (!functions(a).is_empty() && functions(a) == functions(b) || same_path)
            && self.is_response(a)
            && self.is_response(b)
            && !self.submits_twice(a, b)
    }

    /// Both write what a person sees or what is kept, in answers to requests that one control sent.
    fn submits_twice(&self, a: OpId, b: OpId) -> bool {
        let root = |op| self.task(op).and_then(|event| self.way(event).pop());
        let words = |event: EventId| {
            let attributes = self.trace.attributes(self.facts.begin(event)?);
            let text = |id| self.trace.text(id).to_vec();
            attributes.event_type.map(text).zip(attributes.event_name.map(text))
        };
        let (Some(one), Some(two)) = (root(a), root(b)) else { return false };
        let sends = words(one).is_some_and(|(of_type, _)| {
            ["click", "submit", "keydown", "keypress"].iter().any(|one| one.as_bytes() == of_type)
        });
        self.model == Model::Web
            && self.writes(a)
            && self.writes(b)
            && self.is_seen(a)
            && self.is_response(a)
            && self.is_response(b)
            && one != two
            && sends
            && words(one) == words(two)
    }

    /// The user and a script write one form value.
    fn overwrites_a_form(&self, user: OpId, script: OpId) -> bool {
        let is_input =
            |op: OpId| is_input(self.facts.task_type(op, self.model).unwrap_or_default());
        let name = self.name(user);
        self.model == Model::Web
            && [".value", ".checked", ".selected"].iter().any(|end| name.ends_with(end))
            && self.trace.location_kind(self.location(user)).is_some()
            && self.writes(user)
            && self.writes(script)
            && is_input(user)
            && self.facts.event(user) == self.task(user)
            && !is_input(script)
    }

    /// The read does more than test something that only code sees, and what it found is not certain to
    /// be there.
    fn comes_before_definition(&self, a: OpId, b: OpId, tests: &dyn Fn(OpId) -> bool) -> bool {
        let (read, write) = match (self.writes(a), self.writes(b)) {
            (true, false) => (b, a),
            (false, true) => (a, b),
            _ => return false,
        };
        let empty =
            |op| matches!(self.value(op), Some(b"undefined" | b"null" | b"none" | b"?" | b""));
        let is_internal = match self.trace.location_kind(self.location(a)) {
            Some(LocationKind::Handler | LocationKind::Cookie | LocationKind::Storage) => false,
            Some(LocationKind::Dom) => self.name(a).contains("getElementById("),
            _ => !self.is_seen(a),
        };
        let certain = |w: OpId| self.writes(w) && !empty(w) && self.order.holds(w, read);
        let missing = if write < read {
            self.value(read).is_some()
                && !empty(read)
                && !self.accesses(self.location(a)).filter(|&w| w < read).any(certain)
        } else {
            empty(read) && !empty(write)
        };
        let name = self.name(a);
        let name = super::labels::page::unnumbered(&name);
        let is_part = |c: char| c.is_ascii_alphanumeric() || "_$#".contains(c) || !c.is_ascii();
        let keys = name.match_indices('@').filter_map(|(at, _)| {
            let rest = &name[at + 1..];
            let key = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            key.strip_prefix('.').filter(|_| key.len() < rest.len())
        });
        let is_entry = keys.into_iter().next().is_some_and(|key| !key.chars().all(is_part));
        self.model == Model::Web
            && is_internal
            && !is_entry
            && missing
            && !tests(read)
            && !is_initialised(self.trace, self.location(a))
    }

    /// Whether a person sees what an access is of, or it outlives the page.
    fn is_seen(&self, op: OpId) -> bool {
        seen(self.trace, self.location(op)) > 0
    }

    fn name(&self, op: OpId) -> String {
        String::from_utf8_lossy(self.trace.names().locations.get(self.location(op))).into_owned()
    }

    fn is_response(&self, op: OpId) -> bool {
        let Some(event) = self.facts.event(op) else { return false };
        let event_type = self.facts.task_type(op, self.model);
        let typed =
            matches!(event_type, Some(b"readystatechange" | b"response" | b"load" | b"message"));
        if self.model == Model::Web {
            let begin = self.task(op).and_then(|task| self.facts.begin(task));
            let name = begin.and_then(|begin| self.trace.attributes(begin).event_name);
            let name = name.map(|name| String::from_utf8_lossy(self.trace.text(name)));
            return match event_type {
                Some(b"load") => {
                    name.is_some_and(|name| name.starts_with('/') || name.starts_with("http"))
                }
                Some(b"message") => self.is_seen(op),
                _ => typed,
            };
        }
        let posted_from = self.facts.enqueue(event).map(|enqueue| self.facts.thread(enqueue));
        typed || posted_from.is_some_and(|thread| thread != self.facts.thread(op))
    }

    fn destroys(&self, op: OpId) -> bool {
        let names = &self.trace.names().functions;
        let stack = self.trace.stack_of(op);
        let mut frames = self.trace.stacks().frames(stack);
        frames.any(|frame| {
            self.destroys.iter().any(|name| name.as_bytes() == names.get(frame.function))
        })
    }

    fn accesses(&self, x: LocationId) -> impl Iterator<Item = OpId> {
        self.facts.ops().filter(move |&op| {
            self.facts.op(op).access().is_some_and(|(location, _)| location == x)
        })
    }

    fn location(&self, op: OpId) -> LocationId {
        self.facts.op(op).access().expect("races are between accesses").0
    }

    fn writes(&self, op: OpId) -> bool {
        matches!(self.facts.op(op), Op::Write(_))
    }

    fn value(&self, op: OpId) -> Option<&[u8]> {
        self.trace.attributes(op).value.map(|value| self.trace.text(value))
    }
}
