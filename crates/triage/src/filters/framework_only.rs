//! Races entirely in the framework (EventRacer Android, §7.3.2).
//!
//! Both accesses run under framework functions alone, down to the bottom of the stack. The platform
//! is assumed to be correct. An access does not count if the program called the framework function,
//! or if the access has no stack.
//!
//! May miss: a bug of the platform itself.

use races::{Race, RaceId};
use trace::OpId;

use crate::evidence::RacyLocation;
use crate::filter::{Filter, Scope};
use crate::label::Label;

pub(super) static FILTER: Filter = Filter {
    label: Label::FrameworkOnly,
    reference: "EventRacer Android, §7.3.2",
    definition: "all functions on the stacks of both accesses belong to the framework",
    page: include_str!("../../../../docs/labels/framework-only.md"),
    scope: Scope::Race,
    one_pass: true,
    select,
};

fn select(location: &RacyLocation<'_>) -> Vec<RaceId> {
    let code = &location.evidence.code;
    let within = |op: OpId| {
        code.frames(op).next().is_some() && code.frames(op).all(|frame| code.is_framework(&frame))
    };
    location.races_where(|race: &Race| within(race.first) && within(race.second))
}
