//! The rules of the relation, each with its name and definition.
//!
//! Every edge of a [`Base`](crate::base::Base) and every derived edge states the rule from which it
//! follows. Every rule can be switched off by name, which shows whether a result depends on it.

use std::fmt;

/// A rule from which edges follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Rule {
    /// Program order.
    ProgramOrder,
    /// The process starts before its threads.
    Start,
    /// A thread is forked before it begins.
    Fork,
    /// A thread ends before another has joined it.
    Join,
    /// A thread is notified before it resumes.
    Notify,
    /// A queue is attached before it is used.
    Attach,
    /// A thread loops before it dispatches.
    Loop,
    /// A task is posted before it runs.
    Post,
    /// A task ends before the tasks it posted to its own thread.
    Parent,
    /// Critical sections of one lock.
    Lock,
    /// An idle handler is added before it runs.
    Idle,
    /// A user event is enabled before it is triggered.
    EnableEvent,
    /// A window is shown before its focus changes.
    EnableFocus,
    /// A life-cycle callback is enabled before it is triggered.
    EnableLifecycle,
    /// Life-cycle callbacks of one activity follow its state machine.
    ActivityOrder,
    /// A service is requested before it answers, and its callbacks follow each other.
    Service,
    /// A broadcast is sent, and its receiver registered, before it is received.
    Broadcast,
    /// Broadcasts are received in the order of their sends.
    BroadcastOrder,
    /// Tasks of one queue run in the order of their posts.
    Fifo,
    /// A task is not interrupted.
    NoPre,
    /// Conditional transitivity.
    Trans,
}

/// The name and the definition of a rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// The rule.
    pub rule: Rule,
    /// The name by which the rule is switched on or off.
    pub name: &'static str,
    /// The definition of the rule.
    pub doc: &'static str,
}

/// Every rule, in the order of [`Rule`].
pub static RULES: [RuleInfo; 21] = [
    info(Rule::ProgramOrder, "PO", "an operation follows the previous one of its thread segment"),
    info(Rule::Start, "START", "START precedes every THREADINIT and NATIVE-ENTRY"),
    info(Rule::Fork, "FORK", "FORK precedes the child's THREADINIT"),
    info(Rule::Join, "JOIN", "exit precedes the join of its thread; a log shows NOTIFY and WAIT"),
    info(Rule::Notify, "NOTIFY", "NOTIFY precedes the next WAIT of the notified thread"),
    info(Rule::Attach, "ATTACH", "ATTACH-Q precedes LOOP and the thread's POSTs outside tasks"),
    info(Rule::Loop, "LOOP", "LOOP precedes every CALL of its thread"),
    info(Rule::Post, "POST", "POST precedes the CALL of its message"),
    info(Rule::Parent, "PARENT", "the RET of a task precedes the CALL of what it posted to itself"),
    info(Rule::Lock, "LOCK", "UNLOCK precedes the LOCK of another thread"),
    info(Rule::Idle, "IDLE", "ADD_IDLE_HANDLER and the loop precede QUEUE_IDLE"),
    info(Rule::EnableEvent, "ENABLE-EVENT", "ENABLE-EVENT precedes its TRIGGER-EVENT"),
    info(Rule::EnableFocus, "ENABLE-FOCUS", "ENABLE-WINDOW-FOCUS precedes its trigger"),
    info(Rule::EnableLifecycle, "ENABLE-LIFECYCLE", "ENABLE-LIFECYCLE precedes its trigger"),
    info(Rule::ActivityOrder, "ACTIVITY", "an activity's callbacks follow its state machine"),
    info(Rule::Service, "SERVICE", "a service's requests and callbacks follow its protocol"),
    info(Rule::Broadcast, "BROADCAST", "send and registration precede the receive"),
    info(Rule::BroadcastOrder, "BROADCAST-ORDER", "ordered causes give ordered receives"),
    info(Rule::Fifo, "FIFO", "ordered posts to one queue give ordered tasks, if delays allow"),
    info(Rule::NoPre, "NOPRE", "a task part of which precedes a task precedes it as a whole"),
    info(Rule::Trans, "TRANS", "transitivity, not through another task of the same thread"),
];

const fn info(rule: Rule, name: &'static str, doc: &'static str) -> RuleInfo {
    RuleInfo { rule, name, doc }
}

impl Rule {
    /// Returns the name by which the rule is switched on or off.
    pub fn name(self) -> &'static str {
        RULES[self as usize].name
    }

    /// Returns the rule called `name`.
    pub fn by_name(name: &str) -> Option<Self> {
        RULES.iter().find(|info| info.name == name).map(|info| info.rule)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of rules that apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u32);

impl RuleSet {
    /// Every rule.
    pub const ALL: Self = Self((1 << RULES.len()) - 1);

    /// Returns this set without `rule`.
    #[must_use]
    pub fn without(self, rule: Rule) -> Self {
        Self(self.0 & !(1 << rule as u32))
    }

    /// Returns this set with `rule`.
    #[must_use]
    pub fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u32)
    }

    /// Whether `rule` applies.
    pub fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}

impl Default for RuleSet {
    fn default() -> Self {
        Self::ALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum() {
        for (index, info) in RULES.iter().enumerate() {
            assert_eq!(info.rule as usize, index);
            assert_eq!(Rule::by_name(info.name), Some(info.rule));
        }
        assert_eq!(Rule::by_name("NO-SUCH"), None);
    }

    #[test]
    fn a_rule_can_be_switched_off_and_on() {
        let without = RuleSet::ALL.without(Rule::Fifo);
        assert!(!without.has(Rule::Fifo) && without.has(Rule::NoPre));
        assert_eq!(without.with(Rule::Fifo), RuleSet::ALL);
    }
}
