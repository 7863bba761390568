//! The labels of model `web` that say that a race is not worth reading: brief, settled, unseen.

use trace::{EventId, LocationId, LocationKind, Op, OpId, Posting};

use super::page::unnumbered;
use super::{Labels, Race};

impl Labels<'_> {
    /// Whether a location is a list of handlers.
    fn is_list(&self, x: LocationId) -> bool {
        self.trace.location_kind(x) == Some(LocationKind::Handler)
    }

    /// Whether a location is what a lookup of an element finds.
    fn is_lookup(&self, x: LocationId) -> bool {
        self.name(x).contains("getElementById(")
    }

    /// Whether the task of an event runs right after it was requested.
    pub(super) fn is_prompt(&self, event: EventId) -> bool {
        let task = self.facts.task(event);
        let (Some(begin), post) = (self.facts.begin(task), self.facts.post(task)) else {
            return false;
        };
        match self.facts.event_type(begin) {
            Some(b"frame" | b"observer") => true,
            Some(b"timer") => post
                .is_some_and(|post| matches!(post.posting, Posting::Delayed(delay) if delay <= 4)),
            Some(b"message") => {
                let is_port = self.name_of(task).is_some_and(|n| n.starts_with("MessagePort"));
                is_port && post.is_some_and(|post| post.thread == self.facts.thread(begin))
            }
            _ => false,
        }
    }

    /// Whether what requested the prompt task of one access is ordered before the other.
    pub(super) fn is_brief(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let requested = |op: OpId, other: OpId| {
            let (Some(event), Some(of_other)) = (self.facts.event(op), self.facts.event(other))
            else {
                return false;
            };
            let mut tasks = vec![self.facts.task(event)];
            while let Some(&last) = tasks.last().filter(|_| tasks.len() <= 3) {
                let post = self.facts.enqueue(last).filter(|_| self.is_prompt(last));
                let Some(by) = post.and_then(|post| self.facts.event(post)) else { return false };
                let begin = self.facts.begin(by).expect("it began");
                let same = self.facts.task(by) == self.facts.task(of_other);
                if same || by != of_other && self.order.holds(begin, other) {
                    return true;
                }
                tasks.push(self.facts.task(by));
            }
            false
        };
        !self.is_list(x)
            && !self.is_field(x)
            && (requested(race.first, race.second) || requested(race.second, race.first))
    }

    /// Whether a later access repeats what the race decides.
    pub(super) fn is_settled(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let last = race.first.max(race.second);
        if self.is_list(x) || self.is_lookup(x) || !self.coverage.eligible(race) {
            return false;
        }
        let Some((read, write)) = self.read_and_write(race) else {
            let prompt = |op| self.facts.event(op).is_some_and(|event| self.is_prompt(event));
            return self.accesses(x).any(|later| {
                self.writes(later)
                    && later > last
                    && self.order.holds(race.first, later)
                    && self.order.holds(race.second, later)
                    && (self.seen(x) == 0 || prompt(later))
            });
        };
        let place = |op| self.trace.attributes(op).source;
        let empty = |op| {
            let value = self.value(op);
            value.is_none_or(|v| matches!(v, b"undefined" | b"null" | b"none" | b"?" | b""))
        };
        let leaves = |w: OpId| self.writes(w) && w < read && !empty(w) && self.order.holds(w, read);
        let certain = super::is_initialised(self.trace, x) || self.accesses(x).any(leaves);
        let again = |r: OpId| {
            !self.writes(r)
                && r > write
                && r != read
                && !self.is_local_read(r)
                && place(r) == place(read)
                && self.order.holds(write, r)
        };
        place(read).is_some() && certain && self.accesses(x).any(again)
    }

    /// Whether nothing shows that a person would notice.
    pub(super) fn is_unseen(&self, race: Race) -> bool {
        let x = self.location(race.first);
        if self.is_list(x) || self.is_lookup(x) || self.hints.names_harm(race, self) {
            return false;
        }
        let finds = |&r: &OpId| !self.writes(r) && !self.is_local_read(r);
        if let Some((read, _)) = self.read_and_write(race) {
            let place = |op: OpId| self.trace.attributes(op).source;
            let same = |&r: &OpId| place(r).is_some() && place(r) == place(read) && self.is_test(r);
            let mut others = self.accesses(x).filter(finds).filter(same);
            return !self.shows(read) && !others.any(|other| self.shows(other));
        }
        self.seen(x) == 0
            && self.accesses(x).any(|r| !self.writes(r))
            && !self.accesses(x).filter(finds).any(|read| self.shows(read))
    }

    /// Whether the task of a read sends a request, or shows something after the read.
    pub(super) fn shows(&self, read: OpId) -> bool {
        let task = |op| self.facts.event(op).map(|event| self.facts.task(event));
        let Some(own) = task(read) else { return true };
        self.facts.ops().any(|op| {
            let shows = match self.facts.op(op) {
                Op::Write(x) => op > read && self.seen(x) > 0,
                Op::Enqueue(post) => self.trace.names().queues.get(post.queue) == b"network",
                _ => false,
            };
            shows && task(op) == Some(own)
        })
    }

    /// Whether a location is an element of a collection, and the event of a read has read the number of elements,
    /// which races as well.
    pub(in crate::oracle) fn is_bounded(&self, read: OpId) -> bool {
        let name = self.name(self.location(read));
        let plain = unnumbered(name);
        let document = &name[plain.len()..];
        let Some((collection, _)) = plain.split_once('[').filter(|_| plain.ends_with(']')) else {
            return false;
        };
        let counts = |op: OpId| {
            let Some((x, false)) = self.facts.op(op).access() else { return false };
            let of = |end: &str| format!("{collection}{end}{document}");
            [of(".length"), of(".size")].contains(&self.name(x).to_owned())
                && self.races_on(x).next().is_some()
                && self.facts.event(op) == self.facts.event(read)
        };
        self.facts.ops().filter(|&op| op <= read).any(counts)
    }

    /// Whether two writes of a cookie or of class names contradict each other.
    pub(super) fn contradict(&self, race: Race) -> bool {
        let x = self.location(race.first);
        let plain = unnumbered(self.name(x));
        if !self.is_web() || !self.writes(race.first) || !self.writes(race.second) {
            return false;
        }
        if !plain.ends_with(".className") {
            return self.trace.location_kind(x) == Some(LocationKind::Cookie)
                && plain.ends_with(']')
                && self.value(race.first) != self.value(race.second);
        }
        let names = |op: OpId| -> Option<Vec<String>> {
            let text = String::from_utf8_lossy(self.value(op)?).into_owned();
            if text == "null" || text == "undefined" {
                return Some(Vec::new());
            }
            let inside = text.strip_prefix('"')?.strip_suffix('"')?;
            let names = inside.split_ascii_whitespace().map(str::to_owned).collect();
            (!inside.ends_with('…')).then_some(names)
        };
        let change = |op: OpId| {
            let before = self.accesses(x).filter(|&a| a < op).last();
            let old = before.map_or_else(|| Some(Vec::new()), names)?;
            let new = names(op)?;
            let lacks = |of: &[String], name: &String| !of.contains(name);
            let added: Vec<_> = new.iter().filter(|name| lacks(&old, name)).cloned().collect();
            let gone: Vec<_> = old.iter().filter(|name| lacks(&new, name)).cloned().collect();
            let same = added.is_empty() && gone.is_empty();
            Some((if same { new } else { added }, gone))
        };
        let (Some((a, without_a)), Some((b, without_b))) =
            (change(race.first), change(race.second))
        else {
            return false;
        };
        a.iter().any(|name| without_b.contains(name))
            || b.iter().any(|name| without_a.contains(name))
    }
}
