//! User events and window focus.
//!
//! A TRIGGER is enabled by the latest ENABLE of the same view and event, or of the same window.
//! A window may gain focus before it was ever enabled: that trigger gets no edge.

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
