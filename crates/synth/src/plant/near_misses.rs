//! Conflicts that one rule orders, or a lock protects: none may be reported as a race. Each is
//! named after the rule or lock that keeps it from being one.

use super::kit::{Actor, Kit, Need, Scenario, blocking, marked, to};
use crate::answers::Verdict;
use crate::message::{Step, When};

macro_rules! ordered {
    ($name:literal, $parts:expr) => {
        ordered!($name, Nothing, $parts)
    };
    ($name:literal, $need:ident, $parts:expr) => {
        Scenario { name: $name, verdict: Verdict::Ordered, need: Need::$need, parts: $parts }
    };
}

pub(super) static SCENARIOS: &[Scenario] = &[
    ordered!("MSG-BEGIN-1, plain posts", |k| vec![(
        Actor::A,
        vec![k.plain(vec![k.write()]), k.plain(vec![k.use_it()])]
    )]),
    ordered!("MSG-BEGIN-1, growing delays", |k| vec![(
        Actor::A,
        vec![k.post(When::Delay(10), vec![k.write()]), k.post(When::Delay(40), vec![k.use_it()])]
    )]),
    ordered!("MSG-BEGIN-1, the front first", |k| vec![(
        Actor::A,
        vec![k.post(When::Front, vec![k.write()]), k.post(When::In(10), vec![k.use_it()])]
    )]),
    ordered!("MSG-BEGIN-1, idle last", |k| {
        let plain = k.plain(vec![k.write()]);
        let handler = k.post(When::Idle, vec![k.use_it()]);
        vec![(Actor::A, vec![k.plain(vec![plain, handler])])]
    }),
    ordered!("MSG-BEGIN-1, idle handlers", |k| {
        let first = k.post(When::Idle, vec![k.write()]);
        let second = k.post(When::Idle, vec![k.use_it()]);
        vec![(Actor::A, vec![k.plain(vec![first, second])])]
    }),
    ordered!("MSG-BEGIN-2", |k| {
        let plain = k.plain(vec![k.write()]);
        let front = k.post(When::Front, vec![k.use_it()]);
        vec![(Actor::A, vec![k.plain(vec![plain, front])])]
    }),
    ordered!("MSG-ENQUEUE", |k| vec![(
        Actor::A,
        vec![k.write(), k.post(When::Delay(5), vec![k.use_it()])]
    )]),
    ordered!("THREAD-FORK and THREAD-JOIN", Child, |k| {
        let child = vec![k.write(), Step::Exit];
        vec![(
            Actor::A,
            vec![k.write(), Step::Fork(k.child, child), Step::Join(k.child), k.use_it()],
        )]
    }),
    ordered!("NOTIFY-WAIT", Handle, |k| vec![
        (Actor::A, vec![k.write(), Step::Notify(k.handle), Step::Signal(0)]),
        (Actor::B, vec![Step::Await(0), Step::Wait(k.handle), k.use_it()]),
    ]),
    ordered!("LOOPER-ATOMIC", Handle, |k| {
        let first = vec![k.write(), Step::Notify(k.handle), Step::Signal(0)];
        let second = vec![k.use_it(), Step::Wait(k.handle)];
        vec![(Actor::A, vec![k.plain(first)]), (Actor::B, vec![Step::Await(0), k.plain(second)])]
    }),
    ordered!("CALLBACK-REG-1", Callback, |k| vec![
        (Actor::A, vec![k.write(), Step::Register(k.callback), Step::Signal(0)]),
        (Actor::B, vec![Step::Await(0), Step::Invoke(k.callback), k.use_it()]),
    ]),
    ordered!("MSG-BLOCKING", |k| vec![(
        Actor::Remote,
        vec![blocking(to(k.binder, When::Ipc, vec![k.write()])), k.use_it()]
    )]),
    ordered!("IPC-HANDLE", |k| vec![(
        Actor::Remote,
        vec![to(k.binder, When::Ipc, vec![k.write()]), to(k.binder, When::Ipc, vec![k.use_it()])]
    )]),
    ordered!("NATIVE", |k| vec![(
        Actor::Input,
        vec![to(k.main, When::Input, vec![k.write()]), to(k.main, When::Input, vec![k.use_it()])]
    )]),
    ordered!("REMOVE-BARRIER", Barrier, |k| vec![
        (
            Actor::A,
            vec![
                Step::PostBarrier(k.barrier, k.looper),
                k.plain(vec![k.use_it()]),
                Step::Signal(0)
            ]
        ),
        (Actor::B, vec![Step::Await(0), k.write(), Step::RemoveBarrier(k.barrier)]),
    ]),
    ordered!("MSG-REMOVE", |k| {
        let removal = vec![Step::Remove(0), k.use_it()];
        vec![(
            Actor::A,
            vec![marked(0, k.post(When::Delay(2), vec![k.write()])), k.post(When::In(30), removal)],
        )]
    }),
    Scenario {
        name: "a common lock",
        verdict: Verdict::LockProtected,
        need: Need::Locks,
        parts: |k| vec![(Actor::A, locked(k, k.write())), (Actor::B, locked(k, k.use_it()))],
    },
];

fn locked(k: &Kit, step: Step) -> Vec<Step> {
    vec![Step::Lock(k.locks[0]), step, Step::Unlock(k.locks[0])]
}
