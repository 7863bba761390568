//! The rules of the life cycle of the application and its activities.
//!
//! **Enabling.** Each instance (or intent, before there is an instance) and state has a list of
//! ENABLEs. A TRIGGER consumes them from the newest backwards until one that is already consumed;
//! each one that it consumes enables it. A RESUME of an instance whose name the application did not
//! know is enabled with id 0, remembered as `blank`. A RESUME that consumed nothing takes the
//! blank, and its list, if there is one, ends in a consumed entry.
//!
//! **State machine.** A callback is chained to the previous one of its instance if [`may_follow`]
//! allows it. Otherwise, for example when a callback was not logged, there is no edge, and the new
//! state is kept.
//!
//! INSTANCE-INTENT states which instance an intent created: the state and the LAUNCH and RESUME
//! lists of the intent move to the instance.

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

/// Returns whether `state` may be the next callback of an activity after `before`.
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

#[cfg(test)]
mod tests {
    use super::super::testing::{edges, task};
    use super::*;

    fn line(what: &str, id: u32, state: &str) -> String {
        format!("{what}-LIFECYCLE tid:1 component:A id:{id} state:{state}")
    }

    fn enable(number: u64, id: u32, state: &str) -> String {
        format!("{number} {}\n", line("ENABLE", id, state))
    }

    fn trigger(first: u64, message: u32, id: u32, state: &str) -> String {
        task(first, 9, message, &[&line("TRIGGER", id, state)])
    }

    #[test]
    fn a_trigger_consumes_backwards_to_what_is_consumed() {
        let log = [
            enable(1, 7, "PAUSE-ACT"),
            enable(2, 7, "PAUSE-ACT"),
            enable(3, 8, "PAUSE-ACT"),
            trigger(10, 1, 7, "PAUSE-ACT"),
            enable(20, 7, "PAUSE-ACT"),
            trigger(30, 2, 7, "PAUSE-ACT"),
            trigger(40, 3, 7, "PAUSE-ACT"),
        ]
        .concat();
        let expected = [(1, 10), (1, 12), (2, 10), (2, 12), (20, 30), (20, 32)];
        assert_eq!(edges(Rule::EnableLifecycle, &log), expected);
    }

    #[test]
    fn a_resume_that_consumed_nothing_takes_the_blank_once() {
        let log = [
            enable(1, 0, "RESUME-ACT"),
            trigger(10, 1, 7, "RESUME-ACT"),
            trigger(20, 2, 8, "RESUME-ACT"),
        ]
        .concat();
        assert_eq!(edges(Rule::EnableLifecycle, &log), [(1, 10), (1, 12)]);
        let paused = log.replace("RESUME-ACT\n13", "PAUSE-ACT\n13");
        assert_eq!(edges(Rule::EnableLifecycle, &paused), [(1, 20), (1, 22)]);
    }

    #[test]
    fn a_resume_with_an_enable_of_its_own_leaves_the_blank() {
        let log = [
            enable(1, 0, "RESUME-ACT"),
            enable(2, 7, "RESUME-ACT"),
            trigger(10, 1, 7, "RESUME-ACT"),
            trigger(20, 2, 7, "RESUME-ACT"),
        ]
        .concat();
        assert_eq!(edges(Rule::EnableLifecycle, &log), [(1, 20), (1, 22), (2, 10), (2, 12)]);
    }

    #[test]
    fn an_instance_inherits_from_its_intent() {
        let log = [
            enable(1, 3, "RESUME-ACT"),
            trigger(10, 1, 3, "LAUNCH-ACT"),
            "20 INSTANCE-INTENT tid:1 instance:77 intentId:3\n".into(),
            trigger(30, 2, 77, "RESUME-ACT"),
        ]
        .concat();
        assert_eq!(edges(Rule::EnableLifecycle, &log), [(1, 30), (1, 32)]);
        assert_eq!(edges(Rule::ActivityOrder, &log), [(10, 30), (12, 32), (13, 31)]);
        let other = log.replace("intentId:3", "intentId:4");
        assert_eq!(edges(Rule::EnableLifecycle, &other), []);
        assert_eq!(edges(Rule::ActivityOrder, &other), []);
    }

    #[test]
    fn callbacks_out_of_order_are_not_chained() {
        let log = [
            trigger(10, 1, 7, "PAUSE-ACT"),
            trigger(20, 2, 7, "DESTROY-ACT"),
            trigger(30, 3, 7, "STOP-ACT"),
            trigger(40, 4, 7, "START-ACT"),
            trigger(50, 5, 8, "RESUME-ACT"),
        ]
        .concat();
        assert_eq!(edges(Rule::ActivityOrder, &log), [(30, 40), (32, 42), (33, 41)]);
    }

    #[test]
    fn callbacks_of_one_task_are_chained_within_it() {
        let stop_and_destroy = [line("TRIGGER", 7, "STOP-ACT"), line("TRIGGER", 7, "DESTROY-ACT")];
        let log = task(10, 9, 1, &stop_and_destroy.each_ref().map(String::as_str));
        assert_eq!(edges(Rule::ActivityOrder, &log), [(12, 13)]);
    }

    #[test]
    fn the_state_machine_is_that_of_the_page() {
        let all = [Launch, Start, Resume, Pause, Stop, Destroy, Result, NewIntent];
        let allowed = |state| -> Vec<_> {
            all.into_iter().filter(|&before| may_follow(before, state)).collect()
        };
        assert_eq!(allowed(Launch), []);
        assert_eq!(allowed(Resume), [Launch, Start, Pause, Stop, Result, NewIntent]);
        assert_eq!(allowed(Start), [Stop]);
        assert_eq!(allowed(Pause), [Resume]);
        assert_eq!(allowed(Stop), [Pause]);
        assert_eq!(allowed(Destroy), [Stop]);
        assert_eq!(allowed(Result), [Stop, NewIntent]);
        assert_eq!(allowed(NewIntent), [Pause, Stop, Result]);
    }
}
