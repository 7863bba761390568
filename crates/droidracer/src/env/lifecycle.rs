//! The life cycle of the application and its activities.
//!
//! **Enabling.** Per instance (or intent, before there is an instance) and state, a list of
//! ENABLEs. A TRIGGER consumes from the newest backwards until one that is consumed already; each
//! consumed one enables it. A RESUME of an instance the application did not know by name is enabled
//! with id 0, remembered as `blank`: a RESUME that consumed nothing takes it, and its list, if
//! there is one, ends in a consumed entry.
//!
//! **State machine.** A callback is chained to the previous one of its instance if [`may_follow`]
//! allows it. Otherwise, as when a callback was not logged, there is no edge and the state goes on.
//!
//! INSTANCE-INTENT says which instance an intent made: state and the LAUNCH and RESUME lists move.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::log::{Hash, LifecycleState};
use crate::rules::Rule;

use LifecycleState::{Destroy, Launch, NewIntent, Pause, Result, Resume, Start, Stop};

#[derive(Default)]
pub(super) struct Lifecycle {
    enables: HashMap<(Hash, LifecycleState), Vec<Enable>>,
    blank: Option<OpId>,
    activities: HashMap<Hash, (LifecycleState, OpId)>,
}

struct Enable {
    op: OpId,
    consumed: bool,
}

impl Lifecycle {
    pub(super) fn enable(&mut self, op: OpId, id: Hash, state: LifecycleState) {
        self.enables.entry((id, state)).or_default().push(Enable { op, consumed: false });
        if state == Resume && id == Hash(0) {
            self.blank = Some(op);
        }
    }

    pub(super) fn trigger(&mut self, base: &mut Base, op: OpId, id: Hash, state: LifecycleState) {
        let mut list = self.enables.get_mut(&(id, state));
        let mut found = false;
        let newest_first = list.iter_mut().flat_map(|list| list.iter_mut().rev());
        for enable in newest_first.take_while(|enable| !enable.consumed) {
            enable.consumed = true;
            found = true;
            base.enable(enable.op, op, Rule::EnableLifecycle);
        }
        if !found
            && state == Resume
            && let Some(blank) = self.blank.take()
        {
            base.enable(blank, op, Rule::EnableLifecycle);
            if let Some(list) = list {
                list.push(Enable { op: blank, consumed: true });
            }
        }
        self.advance(base, op, id, state);
    }

    fn advance(&mut self, base: &mut Base, op: OpId, id: Hash, state: LifecycleState) {
        if !is_activity_state(state) {
            return;
        }
        if let Some(&(before, previous)) = self.activities.get(&id)
            && may_follow(before, state)
        {
            base.chain(previous, op, Rule::ActivityOrder);
        }
        if state == Destroy {
            self.activities.remove(&id);
        } else {
            self.activities.insert(id, (state, op));
        }
    }

    pub(super) fn rekey(&mut self, intent: Hash, instance: Hash) {
        if let Some(activity) = self.activities.remove(&intent) {
            self.activities.insert(instance, activity);
        }
        for state in [Launch, Resume] {
            if let Some(list) = self.enables.remove(&(intent, state)) {
                self.enables.entry((instance, state)).or_default().extend(list);
            }
        }
    }
}

fn is_activity_state(state: LifecycleState) -> bool {
    matches!(state, Launch | Start | Resume | Pause | Stop | Destroy | Result | NewIntent)
}

/// Whether `state` may be the next callback of an activity after `before`.
fn may_follow(before: LifecycleState, state: LifecycleState) -> bool {
    match state {
        Resume => matches!(before, Launch | Start | Pause | Stop | NewIntent | Result),
        Pause => before == Resume,
        Stop => before == Pause,
        Start | Destroy => before == Stop,
        Result => matches!(before, Stop | NewIntent),
        NewIntent => matches!(before, Result | Pause | Stop),
        _ => false,
    }
}
