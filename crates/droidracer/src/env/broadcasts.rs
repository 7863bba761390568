//! The rules of broadcasts.
//!
//! The first REGISTER of a component and action counts, until UNREGISTER of the component. If the
//! action is sticky at that time, the registration is also queued, because the receiver gets the
//! sticky intent at once. A receive is resolved to the send of its intent and to a registration:
//! the front of the queue if the send is sticky and the queue is not empty, else the registration
//! that counts. It is resolved when the system process schedules it (`ABC_TRIGGER_ONRECIEVE_LATER`,
//! named by `onRecLater`), else when it runs.
//!
//! The send and the registration enable the receive. The post of the receive follows the post of
//! the task in which the application was bound, and successive time ticks are posted in order.
//!
//! Receives are *delivered* in the order of their sends. Receives that took a registration from the
//! queue are delivered in the order of the registrations. The closure determines these orders.

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

/// The send and the registration to which a receive was resolved.
#[derive(Clone, Copy)]
struct Resolution {
    send: Option<OpId>,
    registration: Option<OpId>,
    is_queued: bool,
}

impl Broadcasts {
    /// Looks up the symbol of the time tick in `log`.
    pub(super) fn find_time_tick(&mut self, log: &AbcLog) {
        self.time_tick = log.names.symbol(TIME_TICK);
    }

    /// Records the operation at which the application was bound.
    pub(super) fn application_state(&mut self, base: &Base, op: OpId, state: LifecycleState) {
        if state == LifecycleState::BindAppDone && self.bound_post.is_none() {
            self.bound_post = base.post_of(op);
        }
    }

    pub(super) fn apply(&mut self, base: &mut Base, id: OpId, op: &LogOp, sink: &mut Sink) {
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

#[cfg(test)]
mod tests {
    use super::super::testing::{base, edges, task};
    use crate::base::Channel;
    use crate::rules::Rule;

    fn line(action: &str, component: u32, intent: u32, later: i64, state: &str) -> String {
        format!(
            "TRIGGER-BROADCAST tid:1 action:{action} component:{component} intent:{intent} \
             onRecLater:{later} state:ABC_{state}"
        )
    }

    fn register(number: u64, component: u32) -> String {
        format!("{number} {}\n", line("A", component, 0, -1, "REGISTER_RECEIVER"))
    }

    fn unregister(number: u64, component: u32) -> String {
        format!("{number} {}\n", line("", component, 0, -1, "UNREGISTER_RECEIVER"))
    }

    fn send(number: u64, intent: u32, state: &str) -> String {
        format!("{number} {}\n", line("A", 0, intent, -1, state))
    }

    fn later(number: u64, component: u32, intent: u32) -> String {
        format!("{number} {}\n", line("A", component, intent, -1, "TRIGGER_ONRECIEVE_LATER"))
    }

    fn receive(first: u64, component: u32, intent: u32, later: i64) -> String {
        task(first, 9, first as u32, &[&line("A", component, intent, later, "ONRECEIVE")])
    }

    fn broadcast_edges(log: &[String]) -> Vec<(u64, u64)> {
        edges(Rule::Broadcast, &log.concat())
    }

    fn channels(log: &[String]) -> Vec<(u64, Channel)> {
        let base = base(&log.concat());
        let deliveries = base.deliveries().iter();
        deliveries.map(|delivery| (base.op(delivery.cause).source, delivery.channel)).collect()
    }

    #[test]
    fn send_and_first_registration_enable_a_receive() {
        let log = [
            register(1, 7),
            register(2, 7),
            register(3, 8),
            send(4, 50, "SEND_BROADCAST"),
            receive(10, 7, 50, -1),
        ];
        assert_eq!(broadcast_edges(&log), [(1, 10), (1, 12), (4, 10), (4, 12)]);
        assert_eq!(channels(&log), [(4, Channel::Sent)]);
    }

    #[test]
    fn a_receive_scheduled_before_the_receiver_was_unregistered_keeps_it() {
        let sent = || send(2, 50, "SEND_BROADCAST");
        let log =
            [register(1, 7), sent(), later(3, 7, 50), unregister(4, 7), receive(10, 7, 50, 3)];
        assert_eq!(broadcast_edges(&log), [(1, 10), (1, 12), (2, 10), (2, 12)]);
        let log = [register(1, 7), sent(), unregister(4, 7), receive(10, 7, 50, -1)];
        assert_eq!(broadcast_edges(&log), [(2, 10), (2, 12)]);
    }

    #[test]
    fn a_sticky_intent_is_received_by_the_registrations_after_it() {
        let sticky = || send(1, 50, "SEND_STICKY_BROADCAST");
        let log = [sticky(), register(2, 7), register(3, 7), receive(10, 7, 50, -1)];
        assert_eq!(broadcast_edges(&log), [(1, 10), (1, 12), (2, 10), (2, 12)]);
        assert_eq!(channels(&log), [(2, Channel::Sticky)]);
        let log = [&log[..], &[receive(20, 7, 50, -1), receive(30, 7, 50, -1)]].concat();
        let causes = [(2, Channel::Sticky), (3, Channel::Sticky), (1, Channel::Sent)];
        assert_eq!(channels(&log), causes);
    }

    #[test]
    fn an_action_is_sticky_until_it_is_removed() {
        let remove = send(2, 50, "REMOVE_STICKY_BROADCAST");
        let sticky = send(1, 50, "SEND_STICKY_BROADCAST");
        let log = [sticky, remove, register(3, 7), receive(10, 7, 50, -1)];
        assert_eq!(channels(&log), [(1, Channel::Sent)]);
    }

    #[test]
    fn receives_follow_the_binding_of_the_application() {
        let bound = "ENABLE-LIFECYCLE tid:1 component: id:0 state:BINDAPP-DONE";
        let log = [task(10, 9, 1, &[bound]), receive(20, 7, 50, -1)];
        assert_eq!(broadcast_edges(&log), [(10, 20)]);
    }

    #[test]
    fn time_ticks_are_posted_in_order() {
        let tick = |first: u64, action| {
            task(first, 9, first as u32, &[&line(action, 7, 0, -1, "ONRECEIVE")])
        };
        let action = "android.intent.action.TIME_TICK";
        let log = [tick(10, action), tick(20, "A"), tick(30, action), tick(40, action)];
        assert_eq!(broadcast_edges(&log), [(10, 30), (30, 40)]);
    }
}
