//! The environment model, which derives base edges from a log.
//!
//! The model visits the operations once, in the order of their numbers. `threads` has the rules of
//! threads, queues and tasks. Each part of Android that the tool models has a file that states its
//! rule. The result is a [`Base`], in which only the edges, the deliveries and the roles of
//! operations remain of the environment.

mod accesses;
mod assemble;
mod broadcasts;
mod events;
mod idle;
mod lifecycle;
pub(crate) mod locks;
mod services;
mod threads;

#[cfg(test)]
mod testing;

pub use accesses::memory;

use crate::base::{Base, OpId};
use crate::log::{AbcLog, LogOp, OpKind, Sink};
use crate::rules::RuleSet;

use broadcasts::Broadcasts;
use events::Events;
use idle::IdleHandlers;
use lifecycle::Lifecycle;
use locks::Locks;
use services::Services;
use threads::Threads;

/// The state of each part of the environment.
#[derive(Default)]
struct Environment {
    threads: Threads,
    locks: Locks,
    events: Events,
    lifecycle: Lifecycle,
    services: Services,
    broadcasts: Broadcasts,
    idle: IdleHandlers,
}

/// Returns the base of `log` under `rules`.
pub fn model(log: &AbcLog, rules: RuleSet, sink: &mut Sink) -> Base {
    let assembled = assemble::assemble(log, sink);
    let mut base = Base::new(rules, assembled.ops, assembled.tasks);
    let mut environment = Environment::default();
    environment.broadcasts.find_time_tick(log);
    for (index, op) in assembled.log_ops.into_iter().enumerate() {
        environment.apply(&mut base, OpId(index as u32), op, sink);
    }
    base
}

impl Environment {
    fn apply(&mut self, base: &mut Base, id: OpId, op: &LogOp, sink: &mut Sink) {
        self.threads.apply(base, id, op.kind);
        match op.kind {
            OpKind::Lock { object } => self.locks.lock(base, id, object),
            OpKind::Unlock { object } => self.locks.unlock(base, id, object),
            OpKind::EnableEvent { view, event } => self.events.enable(id, (view, event)),
            OpKind::TriggerEvent { view, event } => {
                self.events.trigger(base, id, (view, event), op, sink);
            }
            OpKind::EnableFocus { window } => self.events.enable_focus(id, window),
            OpKind::TriggerFocus { window } => self.events.trigger_focus(base, id, window),
            OpKind::EnableLifecycle { id: component, state } => {
                self.lifecycle.enable(id, component, state);
                self.broadcasts.application_state(base, id, state);
            }
            OpKind::TriggerLifecycle { id: component, state } => {
                self.lifecycle.trigger(base, id, component, state);
                self.broadcasts.application_state(base, id, state);
            }
            OpKind::InstanceIntent { instance, intent } => self.lifecycle.rekey(intent, instance),
            OpKind::TriggerService { component, id: key, state } => {
                self.services.apply(base, id, component, key, state);
            }
            OpKind::TriggerBroadcast { .. } => self.broadcasts.apply(base, id, op, sink),
            OpKind::AddIdleHandler { idler, queue } => self.idle.add(id, (idler, queue)),
            OpKind::RemoveIdleHandler { idler, queue } => self.idle.remove((idler, queue)),
            OpKind::QueueIdle { idler, queue } => {
                let looping = self.threads.loop_of(base, id);
                self.idle.run(base, id, (idler, queue), looping);
            }
            _ => {}
        }
    }
}
