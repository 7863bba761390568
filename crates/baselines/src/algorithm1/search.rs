//! The rules that are matched by searching the graph backwards.

use trace::{Id, Posting};

use super::Algorithm1;
use crate::rules::{are_alike, ended_before, is_held, keeps_order, waits};
use crate::skeleton::{Message, Node, Posted, Role, Skeleton};

/// Returns, for each queue, whether a message was posted to its front.
pub(super) fn queues_with_front(skeleton: &Skeleton) -> Vec<bool> {
    let mut queues = vec![false; skeleton.loopers.len()];
    for message in &skeleton.messages {
        if let (Some(looper), Some(posted)) = (message.looper, message.posted) {
            queues[looper.index()] |= posted.posting == Posting::Front;
        }
    }
    queues
}

/// The result of a search for posts that precede a post.
struct Found {
    predecessors: Vec<Node>,
    /// Whether all events found ran before the begin.
    settled: bool,
}

impl Found {
    /// Adds a node that precedes `begin`, if the trace allows it.
    fn add(&mut self, node: Option<Node>, begin: Node) -> bool {
        let earlier = node.filter(|&node| node < begin);
        self.predecessors.extend(earlier);
        self.settled &= earlier.is_some();
        earlier.is_some()
    }
}

impl Algorithm1<'_> {
    /// Applies MSG-BEGIN-1 and REMOVE-BARRIER at the begin of a message: searches all posts and
    /// barriers before its own post.
    pub(super) fn order_posts(&mut self, number: u32) {
        let skeleton = self.skeleton;
        let message = skeleton.message(number);
        let (Some(_), Some(gamma)) = (message.looper, message.posted) else { return };
        let mut found = Found { predecessors: Vec::new(), settled: true };
        self.marks.clear(skeleton.len());
        self.marks.queue.extend(&self.predecessors[gamma.at.index()]);
        while let Some(node) = self.marks.queue.pop() {
            if !self.marks.insert(node) {
                continue;
            }
            if self.match_post(node, message, &gamma, &mut found) {
                // A node that precedes the begin of the event that made this post precedes the
                // post.
                if let Some(outer) = skeleton.message_of[node.index()] {
                    self.marks.insert(skeleton.message(outer).begin);
                }
            } else {
                self.marks.queue.extend(&self.predecessors[node.index()]);
            }
        }
        self.settled[number as usize] = found.settled;
        self.order_all(found.predecessors, message.begin);
    }

    /// Examines a node before the post γ. Returns whether the search can end there.
    fn match_post(&self, node: Node, message: &Message, gamma: &Posted, found: &mut Found) -> bool {
        let skeleton = self.skeleton;
        match skeleton.roles[node.index()] {
            Role::Enqueue(other) if skeleton.message(other).looper == message.looper => {
                let eta_message = skeleton.message(other);
                let Some(eta) = eta_message.posted else { return false };
                keeps_order(&eta, gamma)
                    && found.add(eta_message.end, message.begin)
                    && self.options.pruning
                    && are_alike(&eta, gamma)
                    && self.settled[other as usize]
            }
            Role::PostBarrier(queue, barrier) if Some(queue) == message.looper => {
                if is_held(gamma) {
                    for &removal in skeleton.removals_after(node, barrier) {
                        found.add(Some(removal), message.begin);
                    }
                }
                false
            }
            _ => false,
        }
    }

    /// Applies MSG-BEGIN-2 at the begin of a message: finds the posts to the front that follow its
    /// post and precede the begin. Returns whether there were any.
    pub(super) fn order_fronts(&mut self, number: u32) -> bool {
        let skeleton = self.skeleton;
        let message = skeleton.message(number);
        let Some(looper) = message.looper.filter(|q| self.has_front[q.index()]) else {
            return false;
        };
        let Some(eta) = message.posted.filter(waits) else { return false };
        let mut found = Vec::new();
        self.marks.clear(skeleton.len());
        self.marks.queue.extend(&self.predecessors[message.begin.index()]);
        while let Some(node) = self.marks.queue.pop() {
            let fast = self.options.fast_queries;
            if node <= eta.at || !self.marks.insert(node) || fast && !self.before(eta.at, node) {
                continue;
            }
            if let Role::Enqueue(other) = skeleton.roles[node.index()] {
                let other = skeleton.message(other);
                let is_front = other.posted.is_some_and(|p| p.posting == Posting::Front);
                if is_front
                    && other.looper == Some(looper)
                    && ended_before(other, message)
                    && self.before(eta.at, node)
                {
                    found.extend(other.end);
                }
            }
            self.marks.queue.extend(&self.predecessors[node.index()]);
        }
        self.order_all(found, message.begin)
    }

    /// Applies LOOPER-ATOMIC at a node of a Looper's event: finds the events of that Looper of
    /// which any node precedes this one. Returns whether any of them did not already precede the
    /// event's begin.
    pub(super) fn order_whole_events(&mut self, node: Node) -> bool {
        let skeleton = self.skeleton;
        let Some((number, looper)) = skeleton.looper_event(node) else { return false };
        let message = skeleton.message(number);
        if message.end.is_none_or(|end| node > end) {
            return false;
        }
        let overlapping = skeleton.overlapping[looper.index()];
        let known = self.known_before(node, message, overlapping);
        let mut found = Vec::new();
        self.marks.clear(skeleton.len());
        self.marks.queue.extend(&self.predecessors[node.index()]);
        while let Some(node) = self.marks.queue.pop() {
            if !self.marks.insert(node) || known.is_some_and(|k| self.before(node, k)) {
                continue;
            }
            match skeleton.looper_event(node) {
                Some((other, _)) if other == number => continue,
                Some((other, queue)) if queue == looper && other < number => {
                    let other = skeleton.message(other);
                    if other.begin <= node && ended_before(other, message) {
                        found.extend(other.end);
                        if !overlapping {
                            continue;
                        }
                    }
                }
                _ => {}
            }
            self.marks.queue.extend(&self.predecessors[node.index()]);
        }
        self.order_all(found, message.begin)
    }

    /// A node whose predecessors need no search: the begin of the event or, for the begin itself,
    /// the latest end that precedes it on its Looper.
    fn known_before(&self, node: Node, message: &Message, overlapping: bool) -> Option<Node> {
        if !self.options.fast_queries {
            return None;
        }
        if node != message.begin {
            return Some(message.begin);
        }
        let is_end = |p: &&Node| {
            let Role::End(number) = self.skeleton.roles[p.index()] else { return false };
            self.skeleton.message(number).looper == message.looper
        };
        self.predecessors[node.index()]
            .iter()
            .filter(is_end)
            .max()
            .copied()
            .filter(|_| !overlapping)
    }
}
