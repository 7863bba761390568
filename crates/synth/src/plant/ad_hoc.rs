//! Ad hoc synchronisation: code that reads the flag knows that the data was written. The race on
//! the flag is the one to report; it covers the race on the data.

use super::kit::{Actor, Kit, Need, Scenario};
use crate::answers::Verdict;
use crate::message::Step;

pub(super) static SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "a flag between two events",
        verdict: Verdict::Covered,
        need: Need::Flag,
        parts: |k| {
            vec![
                (Actor::A, vec![k.plain(vec![k.write(), flag(k, true), Step::Signal(0)])]),
                (Actor::B, vec![Step::Await(0), k.plain(vec![flag(k, false), k.use_it()])]),
            ]
        },
    },
    Scenario {
        name: "a flag between two sequences of events",
        verdict: Verdict::Covered,
        need: Need::Flag,
        parts: |k| {
            let written = k.plain(vec![flag(k, true), Step::Signal(0)]);
            let read = k.plain(vec![flag(k, false)]);
            vec![
                (Actor::A, vec![k.plain(vec![k.write()]), written]),
                (Actor::B, vec![Step::Await(0), read, k.plain(vec![k.use_it()])]),
            ]
        },
    },
];

fn flag(k: &Kit, write: bool) -> Step {
    Step::Touch { location: k.flag, write }
}
