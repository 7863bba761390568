//! Messages of ordered queues that nothing outside their queue waits for: most timers of most pages.
//!
//! A task is silent if it starts with a message of a queue that keeps order, follows nothing but that
//! message's post, and precedes nothing but the messages that its queue keeps behind it. Thousands of
//! timers with as many delays are ordered in two dimensions, by post and by delay, and many thousands
//! of their pairs are unordered. Clocks of all of them would be long, so silent tasks are no part of
//! clocks. Whether one silent task precedes another is computed from their posts on demand. What other
//! messages of the queue know of silent tasks is an area of the lists of posts
//! ([`planes`](super::planes)).
//!
//! That is exact. Let a silent task x precede a silent task y, and y precede z. Then x precedes z by the
//! same rule: posts are ordered transitively, delays are too, and what ended before y began ended before
//! z began. All causes of a part of x are parts of x, so the part precedes z by CHECKPOINT. The poster of y, and the messages of the queue that y follows, precede z for the same
//! reasons. A task whose message is late ([`queued`](super::queued)) is not silent. That is known before
//! the task begins, because all messages of its queue run on one thread, where silent tasks overlap no
//! other task.

use trace::{EventId, Id, OpId};

use super::EventClocks;
use super::plan::EventPlan;
use super::planes::{Area, Planes};
use crate::engine::events::EventEdge;
use crate::facts::Facts;
use crate::rule::Rule;
use crate::rules::{self, tasks};

/// The message that starts a silent task.
#[derive(Clone, Copy)]
pub(super) struct Quiet {
    pub(super) head: EventId,
    pub(super) class: u32,
    pub(super) rank: u32,
    /// The post of the message.
    pub(super) op: OpId,
    /// The event that posts the message.
    pub(super) poster: EventId,
    /// The plane that lists the message, once its poster has begun.
    pub(super) plane: u32,
    /// The position of the message on its plane.
    pub(super) position: u32,
}

/// The silent tasks of a trace, and what events know of them.
pub(super) struct Silent {
    /// The task of each event; `u32::MAX` for a message that never began.
    task_of: Vec<u32>,
    /// For each task the message that starts it, if the task is silent.
    quiet: Vec<Option<Quiet>>,
    pub(super) planes: Planes,
    /// For each event the area of silent tasks that it follows.
    pub(super) areas: Vec<Area>,
    /// The messages that could start silent tasks, by event.
    pub(super) members: Vec<Option<Quiet>>,
    /// The rule of each class of messages.
    rules: Vec<&'static Rule>,
    checkpoint: Option<&'static Rule>,
}

impl Silent {
    /// Looks among the tasks that start with `members`, of classes of the `rules` given; `edges` are
    /// what the trace alone decides, `posts` returns whether an event posts a message of a class, and
    /// `is_member` whether it is one.
    pub(super) fn new(
        facts: &Facts<'_>,
        plan: &EventPlan,
        edges: &[EventEdge],
        (members, rules): (Vec<Option<Quiet>>, Vec<&'static Rule>),
        posts: impl Fn(EventId) -> bool,
        is_member: impl Fn(EventId) -> bool,
    ) -> Self {
        let tasks = tasks::tasks(facts);
        let mut task_of = vec![u32::MAX; members.len()];
        for (i, part) in (0..).zip(&tasks).flat_map(|(i, task)| task.iter().map(move |p| (i, p))) {
            task_of[part.event.index()] = i;
        }
        let mut quiet: Vec<Option<Quiet>> = vec![None; tasks.len()];
        for member in members.iter().flatten() {
            let task = task_of[member.head.index()] as usize;
            let alone = tasks[task].len() == 1;
            if tasks[task][0].event == member.head && (alone || plan.checkpoint.is_some()) {
                quiet[task] = Some(*member);
            }
        }
        let mut has_cause = vec![false; members.len()];
        for edge in edges {
            let (from, to) = (task_of[edge.from.index()], task_of[edge.to.index()]);
            if from == to {
                has_cause[edge.to.index()] = true;
                continue;
            }
            quiet[from as usize] = None;
            let is_post = *edge.rule == rules::FORK_EVENT;
            quiet[to as usize].take_if(|q| !(is_post && q.head == edge.to));
        }
        let mut next: Vec<Option<OpId>> = vec![None; facts.trace.names().threads.len()];
        for (i, task) in tasks.iter().enumerate().rev() {
            let next = &mut next[task[0].thread.index()];
            let is_over = |end: OpId| next.is_none_or(|next| end < next);
            let stands_out = task[1..].iter().any(|part| is_member(part.event));
            let has_posts = task.iter().any(|part| posts(part.event));
            let strays = task[1..].iter().any(|part| !has_cause[part.event.index()]);
            if stands_out
                || strays
                || has_posts
                || !task.iter().all(|part| part.end.is_some_and(is_over))
            {
                quiet[i] = None;
            }
            *next = Some(task[0].begin);
        }
        let areas = vec![Area::default(); members.len()];
        Self {
            task_of,
            quiet,
            planes: Planes::new(),
            areas,
            members,
            rules,
            checkpoint: plan.checkpoint,
        }
    }

    /// The message of the silent task that `event` is of.
    pub(super) fn quiet(&self, event: EventId) -> Option<&Quiet> {
        self.quiet.get(self.task_of[event.index()] as usize)?.as_ref()
    }

    /// Whether `event` starts a silent task.
    pub(super) fn starts(&self, event: EventId) -> bool {
        self.quiet(event).is_some_and(|quiet| quiet.head == event)
    }

    /// Says where the message that starts a silent task is listed.
    pub(super) fn list(&mut self, message: EventId, plane: u32, position: u32) {
        if let Some(quiet) = &mut self.quiet[self.task_of[message.index()] as usize] {
            (quiet.plane, quiet.position) = (plane, position);
        }
    }

    /// The task of a message that is late is not silent.
    pub(super) fn speaks(&mut self, message: EventId) {
        self.quiet[self.task_of[message.index()] as usize] = None;
    }

    /// t ≼ u for an event t of a silent task and an event u of another.
    pub(super) fn before(&self, clocks: &EventClocks, t: EventId, u: EventId) -> bool {
        let Some(first) = self.quiet(t) else { return false };
        if self.task_of[t.index()] == self.task_of[u.index()] {
            return false;
        }
        self.planes.holds(self.areas[u.index()], first.plane, first.position, first.rank)
            || self.quiet(u).is_some_and(|second| {
                precedes(clocks, first, second)
                    && (second.head == u || clocks.knows(second.head, u))
            })
    }

    /// The first step of a path from an event t of a silent task to an event u of another, which it
    /// precedes.
    pub(super) fn step(
        &self,
        clocks: &EventClocks,
        t: EventId,
        u: EventId,
    ) -> Option<(EventId, &'static Rule)> {
        let first = self.quiet(t)?;
        let next = self.members.iter().flatten().find(|second| {
            precedes(clocks, first, second) && (second.head == u || clocks.knows(second.head, u))
        })?;
        let rule = self.rules[first.class as usize];
        let rule = if t == first.head { Some(rule) } else { self.checkpoint };
        Some((next.head, rule.expect("a silent task of several parts needs the checkpoint rule")))
    }
}

/// Whether the queue keeps the first message before the second, which is not late.
fn precedes(clocks: &EventClocks, first: &Quiet, second: &Quiet) -> bool {
    first.class == second.class
        && first.rank <= second.rank
        && first.op < second.op
        && (first.poster == second.poster || clocks.knows(first.poster, second.poster))
}
