//! Races that no other race covers: each pair of accesses is the only one of its location.

use super::kit::{Actor, Kit, Need, Scenario, asynchronous, to};
use crate::answers::Verdict;
use crate::message::{Step, When};

macro_rules! race {
    ($name:literal, $parts:expr) => {
        race!($name, Nothing, $parts)
    };
    ($name:literal, $need:ident, $parts:expr) => {
        Scenario { name: $name, verdict: Verdict::Race, need: Need::$need, parts: $parts }
    };
}

pub(super) static SCENARIOS: &[Scenario] = &[
    race!("posts of two threads to one looper", |k| vec![
        (Actor::A, vec![k.plain(vec![k.write()])]),
        (Actor::B, vec![k.plain(vec![k.use_it()])]),
    ]),
    race!("a delay before a shorter one", |k| vec![(
        Actor::A,
        vec![k.post(When::Delay(60), vec![k.write()]), k.post(When::Delay(10), vec![k.use_it()])]
    )]),
    race!("a thread and a looper", |k| vec![
        (Actor::A, vec![k.plain(vec![k.write()])]),
        (Actor::B, vec![k.use_it()]),
    ]),
    race!("a plain post before one to the front", |k| vec![(
        Actor::A,
        vec![k.plain(vec![k.write()]), k.post(When::Front, vec![k.use_it()])]
    )]),
    race!("a point in time before a delay", |k| vec![(
        Actor::A,
        vec![k.post(When::In(20), vec![k.write()]), k.post(When::Delay(5), vec![k.use_it()])]
    )]),
    race!("two points in time", |k| vec![(
        Actor::A,
        vec![k.post(When::In(5), vec![k.write()]), k.post(When::In(15), vec![k.use_it()])]
    )]),
    race!("a binder and a looper", |k| vec![
        (Actor::Remote, vec![to(k.binder, When::Ipc, vec![k.write()])]),
        (Actor::A, vec![k.plain(vec![k.use_it()])]),
    ]),
    race!("two threads", |k| vec![(Actor::A, vec![k.write()]), (Actor::B, vec![k.use_it()]),]),
    race!("input and a post", |k| vec![
        (Actor::Input, vec![to(k.main, When::Input, vec![k.write()])]),
        (Actor::A, vec![to(k.main, When::Delay(0), vec![k.use_it()])]),
    ]),
    race!("a post before an asynchronous one", |k| vec![(
        Actor::A,
        vec![k.plain(vec![k.write()]), asynchronous(k.plain(vec![k.use_it()]))]
    )]),
    race!("an idle handler before a delay", |k| {
        let handler = k.post(When::Idle, vec![k.write()]);
        let delayed = k.post(When::Delay(30), vec![k.use_it()]);
        vec![(Actor::A, vec![k.plain(vec![handler, delayed])])]
    }),
    race!("two tasks of an executor", |k| vec![(
        Actor::A,
        vec![
            to(k.pool, When::Delay(0), vec![k.write()]),
            to(k.pool, When::Delay(0), vec![k.use_it()])
        ]
    )]),
    race!("two threads under different locks", Locks, |k| vec![
        (Actor::A, under(k, 0, k.write())),
        (Actor::B, under(k, 1, k.use_it())),
    ]),
];

fn under(k: &Kit, lock: usize, step: Step) -> Vec<Step> {
    vec![Step::Lock(k.locks[lock]), step, Step::Unlock(k.locks[lock])]
}
