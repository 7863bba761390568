//! The attributes of random operations.

use trace::{Attributes, LocationKind, Op, Provenance, Source, TextId};

use super::world::World;

impl World {
    /// Attributes that `op`, in the trace's ids, may carry.
    pub(super) fn attributes(&mut self, op: Op) -> Attributes {
        let mut attributes = Attributes::default();
        if self.knobs.timestamps {
            let early = if self.chance(self.knobs.anomalies * 0.1) { 7 } else { 0 };
            attributes.at = Some((self.now.unsigned_abs() * 1000).saturating_sub(early * 1000));
        }
        if self.chance(0.2) {
            attributes.source_id = Some(self.rng.u64(0..1000));
        }
        if self.chance(0.3) {
            let file = self.text(&["Main.java", "C:\\app.js", "http://a/b.js", "", "a b:1"]);
            let (line, column) = (self.rng.u32(1..90), self.rng.u32(0..4));
            let column = (column > 0).then_some(column);
            attributes.source = Some(self.builder.source(Source { file, line, column }));
        }
        match op {
            Op::Read(location) | Op::Write(location) => {
                if self.chance(0.6) {
                    attributes.value =
                        Some(self.text(&["0", "1", "null", "undefined", "", "a=b #%"]));
                }
                if self.chance(0.1) {
                    let kind = self.location_kind();
                    self.builder.set_location_kind(location, kind);
                }
            }
            Op::Begin(_) => {
                if self.chance(0.4) {
                    attributes.event_type =
                        Some(self.text(&["click", "timer", "unload", "readystatechange", ""]));
                }
                if self.chance(0.2) {
                    attributes.event_name = Some(self.text(&["onClick of OK", "tick"]));
                }
            }
            Op::Arc(..) if self.chance(0.6) => {
                attributes.event_type = Some(self.text(&["parser", "load", "target", "why", ""]));
            }
            Op::Enter(_) if self.chance(0.7) => {
                let both = [Provenance::User, Provenance::Framework];
                attributes.provenance = self.rng.choice(both);
            }
            _ => {}
        }
        attributes
    }

    fn text(&mut self, among: &[&str]) -> TextId {
        let text = among[self.rng.usize(0..among.len())];
        self.builder.text(text.as_bytes())
    }

    fn location_kind(&mut self) -> LocationKind {
        match self.rng.u8(0..8) {
            0 => LocationKind::User,
            1 => LocationKind::Framework,
            2 => LocationKind::Handler,
            3 => LocationKind::Dom,
            4 => LocationKind::Cookie,
            5 => LocationKind::Storage,
            6 => LocationKind::Resource,
            _ => LocationKind::Other(self.text(&["database", "socket pool", "initialised"])),
        }
    }
}
