//! Broadcasts.
//!
//! REGISTER counts, the first per component and action, until UNREGISTER of the component; if the
//! action is sticky at that time it is also queued, since the receiver is given the sticky intent
//! at once. A receive is resolved to the send of its intent and to a registration: the front of
//! the queue if the send is sticky and the queue is not empty, else the one that counts. It is
//! resolved when the system process schedules it (`ABC_TRIGGER_ONRECIEVE_LATER`, named by
//! `onRecLater`), else when it runs.
//!
//! Send and registration enable the receive. Its post follows that of the task in which the
//! application was bound, and successive time ticks are posted in order.
//!
//! Receives are *delivered* in the order of their sends, or, taken from the queue, in the order of
//! the registrations; the closure decides which those are.

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};

use crate::base::{Base, Channel, OpId};
use crate::codes;
use crate::log::{AbcLog, BroadcastState, Hash, LifecycleState, LogOp, OpKind, Sink, Symbol, line};
use crate::rules::Rule;

const TIME_TICK: &[u8] = b"android.intent.action.TIME_TICK";

#[derive(Default)]
pub(super) struct Broadcasts {
    registrations: HashMap<Hash, HashMap<Symbol, OpId>>,
    sticky_queues: HashMap<(Hash, Symbol), VecDeque<OpId>>,
    sticky_actions: HashSet<Symbol>,
    sends: HashMap<Hash, Send>,
    scheduled: HashMap<u64, Resolution>,
    bound_post: Option<OpId>,
    time_tick: Option<Symbol>,
    last_tick_post: Option<OpId>,
}

#[derive(Clone, Copy)]
struct Send {
    op: OpId,
    is_sticky: bool,
}

/// What a receive was resolved to.
#[derive(Clone, Copy)]
struct Resolution {
    send: Option<OpId>,
    registration: Option<OpId>,
    is_queued: bool,
}

impl Broadcasts {
    /// Learns how `log` names the time tick.
    pub(super) fn find_time_tick(&mut self, log: &AbcLog) {
        self.time_tick = log.names.symbol(TIME_TICK);
    }

    /// Notes where the application was bound.
    pub(super) fn application_state(&mut self, base: &Base, op: OpId, state: LifecycleState) {
        if state == LifecycleState::BindAppDone && self.bound_post.is_none() {
            self.bound_post = base.post_of(op);
        }
    }

    pub(super) fn step(&mut self, base: &mut Base, id: OpId, op: &LogOp, sink: &mut Sink) {
        let OpKind::TriggerBroadcast { action, component, intent, later, state } = op.kind else {
            return;
        };
        match state {
            BroadcastState::Register => {
                self.registrations.entry(component).or_default().entry(action).or_insert(id);
                if self.sticky_actions.contains(&action) {
                    self.sticky_queues.entry((component, action)).or_default().push_back(id);
                }
            }
            BroadcastState::Unregister => {
                self.registrations.remove(&component);
            }
            BroadcastState::Send => {
                self.sends.insert(intent, Send { op: id, is_sticky: false });
            }
            BroadcastState::SendSticky => {
                self.sends.insert(intent, Send { op: id, is_sticky: true });
                self.sticky_actions.insert(action);
            }
            BroadcastState::RemoveSticky => {
                self.sticky_actions.remove(&action);
            }
            BroadcastState::OnReceiveLater => {
                let resolution = self.resolve(action, component, intent);
                self.scheduled.insert(op.id, resolution);
            }
            BroadcastState::OnReceive => {
                let early = later.and_then(|later| self.scheduled.get(&later).copied());
                if let (Some(later), None) = (later, early) {
                    let what = || format!("operation {later} schedules no receive");
                    sink.report(&codes::UNKNOWN_ONRECEIVE_LATER, line(op.line), what);
                }
                let resolution = early.unwrap_or_else(|| self.resolve(action, component, intent));
                self.receive(base, id, action, resolution);
            }
            BroadcastState::Unknown => {}
        }
    }

    fn resolve(&mut self, action: Symbol, component: Hash, intent: Hash) -> Resolution {
        let send = self.sends.get(&intent).copied();
        let is_sticky = send.is_some_and(|send| send.is_sticky);
        let queued = match self.sticky_queues.get_mut(&(component, action)) {
            Some(queue) if is_sticky => queue.pop_front(),
            _ => None,
        };
        let registered = || self.registrations.get(&component)?.get(&action).copied();
        Resolution {
            send: send.map(|send| send.op),
            registration: queued.or_else(registered),
            is_queued: queued.is_some(),
        }
    }

    fn receive(&mut self, base: &mut Base, id: OpId, action: Symbol, resolution: Resolution) {
        for cause in [resolution.send, resolution.registration].into_iter().flatten() {
            base.enable(cause, id, Rule::Broadcast);
        }
        match resolution {
            Resolution { registration: Some(cause), is_queued: true, .. } => {
                base.deliver(cause, id, Channel::Sticky);
            }
            Resolution { send: Some(cause), .. } => base.deliver(cause, id, Channel::Sent),
            Resolution { send: None, .. } => {}
        }
        let Some(post) = base.post_of(id) else { return };
        if let Some(bound) = self.bound_post {
            base.edge(bound, post, Rule::Broadcast);
        }
        if Some(action) == self.time_tick
            && let Some(previous) = self.last_tick_post.replace(post)
        {
            base.edge(previous, post, Rule::Broadcast);
        }
    }
}
