//! The rules of user events and window focus.
//!
//! The latest ENABLE of the same view and event, or of the same window, enables a TRIGGER. A window
//! may gain focus before it was ever enabled; that trigger gets no edge.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::codes;
use crate::log::{Hash, LogOp, Sink, line};
use crate::rules::Rule;

#[derive(Default)]
pub(super) struct Events {
    events: HashMap<(Hash, u32), OpId>,
    windows: HashMap<Hash, OpId>,
}

impl Events {
    pub(super) fn enable(&mut self, id: OpId, event: (Hash, u32)) {
        self.events.insert(event, id);
    }

    pub(super) fn trigger(
        &mut self,
        base: &mut Base,
        id: OpId,
        event: (Hash, u32),
        op: &LogOp,
        sink: &mut Sink,
    ) {
        if let Some(&enable) = self.events.get(&event) {
            base.enable(enable, id, Rule::EnableEvent);
        } else {
            let what = || format!("event {} of view {} was never enabled", event.1, event.0.0);
            sink.report(&codes::TRIGGER_WITHOUT_ENABLE, line(op.line), what);
        }
    }

    pub(super) fn enable_focus(&mut self, id: OpId, window: Hash) {
        self.windows.insert(window, id);
    }

    pub(super) fn trigger_focus(&mut self, base: &mut Base, id: OpId, window: Hash) {
        if let Some(&enable) = self.windows.get(&window) {
            base.enable(enable, id, Rule::EnableFocus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{base, edges, task};
    use crate::rules::Rule;

    #[test]
    fn the_latest_enable_of_the_view_and_event_enables_trigger_and_post() {
        let log = format!(
            "1 ENABLE-EVENT tid:1 view:5 event:0\n2 ENABLE-EVENT tid:1 view:5 event:0\n\
             3 ENABLE-EVENT tid:1 view:5 event:1\n4 ENABLE-EVENT tid:1 view:6 event:0\n{}\
             20 ENABLE-EVENT tid:1 view:5 event:0\n",
            task(10, 9, 1, &["TRIGGER-EVENT tid:1 view:5 event:0"]),
        );
        assert_eq!(edges(Rule::EnableEvent, &log), [(2, 10), (2, 12)]);
        assert_eq!(base(&log).len(), 5, "the other ENABLEs are not in the graph");
    }

    #[test]
    fn an_enable_may_stand_after_the_post_it_enables() {
        let log = "1 POST src:9 msg:1 dest:-1 delay:0\n2 ENABLE-EVENT tid:1 view:5 event:0\n\
            3 CALL tid:1 msg:1\n4 TRIGGER-EVENT tid:1 view:5 event:0\n5 RET tid:1 msg:1\n";
        assert_eq!(edges(Rule::EnableEvent, log), [(2, 1), (2, 4)]);
    }

    #[test]
    fn a_window_must_be_enabled_to_order_its_focus() {
        let trigger = task(10, 9, 1, &["TRIGGER-WINDOW-FOCUS tid:1 windowHash:-1"]);
        let log = format!("1 ENABLE-WINDOW-FOCUS tid:1 windowHash:4294967295\n{trigger}");
        assert_eq!(edges(Rule::EnableFocus, &log), [(1, 10), (1, 12)]);
        let log = format!("1 ENABLE-WINDOW-FOCUS tid:1 windowHash:4\n{trigger}");
        assert_eq!(edges(Rule::EnableFocus, &log), []);
    }
}
