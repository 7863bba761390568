//! Misses of the rules that order whole events, and of WINDOW.

use trace::{EventId, Posting, QueueKind};

use super::links::{invoke, register};
use super::{Checks, Found, Pair};
use crate::rules::causes::{Kind, kind};

/// The kinds of stated orders in model `web`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stated {
    Parser,
    Load,
    Network,
    Interval,
    Script,
    Target,
    Step,
    Wait,
    Learned,
    Other,
}

impl Pair<'_> {
    fn type_of(&self, event: EventId) -> &[u8] {
        let begin = self.trace.event(event).begin;
        let text = begin.and_then(|begin| self.trace.attributes(begin).event_type);
        text.map_or(b"", |text| self.trace.text(text))
    }

    /// ARC and the rules for its kinds: the trace states no such order between the two events.
    pub(crate) fn stated(&self, by: Stated) -> Found {
        let (t, u) = self.events()?;
        let posting = |event| self.posted(event).map(|(_, enqueue)| enqueue.posting);
        let types = [self.type_of(t), self.type_of(u)];
        let is_either = |names: &[&[u8]]| types.iter().any(|name| names.contains(name));
        let are_both = |names: &[&[u8]]| types.iter().all(|name| names.contains(name));
        let (applies, statement) = match by {
            Stated::Parser => (
                is_either(&[b"script", b"parse", b"module"]),
                "the parser ran the second after it had finished the first",
            ),
            Stated::Load => (
                is_either(&[b"load", b"DOMContentLoaded", b"readystatechange"]),
                "the second were an event that waits until the first has loaded",
            ),
            Stated::Network => (
                are_both(&[b"response", b"readystatechange", b"progress", b"load", b"message"]),
                "both told about one request",
            ),
            Stated::Interval => (are_both(&[b"timer"]), "both were ticks of one interval"),
            Stated::Script => (
                types[0] == b"script" && types[1] != b"script",
                "the second were the `load` event of the script that ran first",
            ),
            Stated::Target => (
                posting(u) == Some(Posting::Input),
                "the first had created the element that the second is dispatched to",
            ),
            Stated::Step => (
                is_either(&[b"step", b"step-end"]) || self.index.is_given(u),
                "the second were a later step of the test, or an input that such a step gives",
            ),
            Stated::Wait => (
                types[1] == b"step-end" || self.index.is_given(u),
                "the first had made true what the step waits for",
            ),
            Stated::Learned => (
                self.on_one_thread(),
                "replays had failed to run the second before the first (`--learned`)",
            ),
            Stated::Other => (true, "the trace stated that the second waits for the first (`arc`)"),
        };
        let checks = Checks::default()
            .need(false, statement)
            .need(self.one_after_the_other(), "the first had ended before the second began");
        applies.then(|| {
            if matches!(by, Stated::Learned | Stated::Other) { checks.far() } else { checks }
        })
    }

    /// LISTENER: an event that adds a listener comes before those that call it.
    pub(crate) fn listener(&self) -> Found {
        let (t, u) = self.events()?;
        let adds =
            self.around.first.iter().any(|&op| {
                self.trace.event_of(op) == Some(t) && register(self.trace.op(op)).is_some()
            });
        let calls =
            self.around.second.iter().any(|&op| {
                self.trace.event_of(op) == Some(u) && invoke(self.trace.op(op)).is_some()
            });
        let statement = "the second called the listener that the first added last";
        let checks = Checks::default().need(false, statement);
        (adds || calls).then(|| if adds && calls { checks } else { checks.far() })
    }

    /// TASK-ORDER: a task starts before its parts.
    pub(crate) fn of_one_task(&self) -> Found {
        let (t, u) = self.events()?;
        let is_part = |event| kind(self.trace, event).is_part();
        if !self.on_one_thread() || !(is_part(t) || is_part(u)) {
            return None;
        }
        let one = self.tasks().is_some_and(|(of_t, of_u)| of_t == of_u);
        let statement = "the first started the task, or both were calls of listeners";
        Some(Checks::default().need(one, "both were parts of one task").need(!one, statement))
    }

    /// MICROTASK-ORDER.
    pub(crate) fn microtasks(&self) -> Found {
        let (t, u) = self.events()?;
        let applies = kind(self.trace, t).is_part() && kind(self.trace, u) == Kind::Microtask;
        let statement =
            "all that the first waits for came before something that the second waits for";
        applies.then(|| {
            let checks = Checks::default().need(self.on_one_thread(), "both ran on one thread");
            if self.on_one_thread() { checks.need(false, statement) } else { checks }
        })
    }

    /// CHECKPOINT.
    pub(crate) fn checkpoint(&self) -> Found {
        let (t, u) = self.events()?;
        if kind(self.trace, u) == Kind::Microtask {
            return None;
        }
        let is_part = kind(self.trace, t).is_part();
        let applies = is_part || self.on_one_thread();
        let statement = "all that the first waits for happened before the second";
        let of_part =
            "a part of a task that waits for the first came before the second in every run";
        applies.then(|| {
            let checks = Checks::default().need(self.on_one_thread(), "both ran on one thread");
            match (is_part, self.on_one_thread()) {
                (true, true) => checks.need(false, statement),
                (true, false) => checks,
                (false, _) => checks.need(false, of_part).far().far(),
            }
        })
    }

    /// TIMER-ORDER, FRAME-ORDER, IDLE-ORDER: what is queued in order runs in order.
    pub(crate) fn queued(
        &self,
        delay: fn(Posting) -> Option<i64>,
        statement: &'static str,
    ) -> Found {
        let (t, u) = self.events()?;
        let ((eta, first), (gamma, second)) = self.posted(t).zip(self.posted(u))?;
        let is_attached = |queue| self.trace.queue(queue).kind == QueueKind::Looper;
        let (attached, delays) = (
            [first, second].map(|message| is_attached(message.queue)),
            [first, second].map(|message| delay(message.posting)),
        );
        if !attached.contains(&true) || delays == [None, None] {
            return None;
        }
        let begin = self.trace.event(u).begin;
        let in_order = matches!(delays, [Some(d1), Some(d2)] if d1 <= d2);
        let of = (eta, gamma);
        let checks = Checks::default()
            .need_of(first.queue == second.queue, "both had been put into one queue", of)
            .need_of(in_order, statement, of)
            .need(Some(gamma) < begin, "the second had been queued before it began");
        Some(self.ordered(checks, eta, gamma))
    }

    /// INPUT-ORDER.
    pub(crate) fn inputs(&self) -> Found {
        let (t, u) = self.events()?;
        let posts = [self.posted(t), self.posted(u)];
        let is_input = posts.map(|post| post.is_some_and(|(_, m)| m.posting == Posting::Input));
        if !is_input.contains(&true) {
            return None;
        }
        let checks =
            Checks::default().need(is_input == [true, true], "both were input of the user");
        let [Some((eta, first)), Some((gamma, second))] = posts else { return Some(checks) };
        let attached = self.trace.queue(first.queue).kind == QueueKind::Looper;
        let source = "both came from one source of input";
        let checks = checks.need_of(first.queue == second.queue, source, (eta, gamma));
        Some(checks.need(attached, "the recorder had not made the input itself"))
    }

    /// WINDOW: what is older than the window happens before every new event.
    pub(crate) fn in_window(&self) -> Found {
        let length = self.rules.window_length();
        let at = |op| self.trace.attributes(op).at;
        let target = self.u.and_then(|u| self.trace.event(u).begin).unwrap_or(self.b);
        let old = self.around.next_begin.and_then(at);
        let is_old =
            old.zip(at(target)).is_some_and(|(old, now)| old.saturating_add(length) <= now);
        let is_on = self.rules.window().is_some();
        let statement = "an event had begun after the first, longer ago than the window";
        let checks = Checks::default().need(is_old, statement);
        let whole = self.rules.model().orders_events();
        // What is left, if the time is right: the event itself may run on.
        let ended = "the first had ended when that event began";
        let checks = checks.need(!(is_on && is_old && whole), ended);
        (is_on || is_old).then_some(checks)
    }
}
