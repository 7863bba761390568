//! Controls: without any one of its parts, the engine differs from the definition on some random trace.
//! A comparison that did not notice would prove nothing.

use testkit::completed::timed;
use testkit::generate::{Profile, page, sample};
use trace::{Op, OpId, Trace};

use super::{Needed, Parts, Pass, Point, Row, Stream, Word};
use crate::{ANDROID, HappensBefore, Model, Oracle, RuleSet, WEB};

/// A random trace with a write after every third operation.
fn random_trace(model: &Model, seed: u64) -> Trace {
    let completed = |trace: &Trace| timed(trace, &|op| op.0.is_multiple_of(3));
    let length = 10 + (seed as usize * 11) % 160;
    if model.orders_events() {
        return completed(&page(seed ^ 0x57_4ea0, length));
    }
    let profile = if seed.is_multiple_of(2) { Profile::Realistic } else { Profile::Wild };
    completed(&sample(seed ^ 0x57_4ea0, profile, length))
}

/// Whether the engine without a part agrees with the definition on a trace. An answer is taken when it is
/// final.
fn agrees(trace: &Trace, rules: &RuleSet, left_out: Option<Needed>) -> bool {
    let mut stream = Stream::new(rules).expect("a model that streams");
    match &mut stream.pass {
        Pass::Operations(pass) => pass.parts = Parts { left_out },
        Pass::Events(pass) => pass.parts = Parts { left_out },
    }
    stream.drop_eagerly();
    for thread in trace.names().threads.ids() {
        stream.assign_process(thread, trace.thread(thread).process);
    }
    let mut accesses: Vec<(OpId, Point)> = Vec::new();
    let mut answers: Vec<(Vec<bool>, Option<super::KeptId>)> = Vec::new();
    for op in trace.ops() {
        let (thread, event) = (trace.thread_of(op), trace.event_of(op));
        if trace.op(op).access().is_some() {
            let now = stream.now(thread, event);
            let before = accesses.iter().map(|&(_, point)| stream.covers(&now, point)).collect();
            let kept = (!stream.is_final(&now)).then(|| stream.keep(now));
            answers.push((before, kept));
            accesses.push((op, now.point));
        } else if !matches!(trace.op(op), Op::Enter(_) | Op::Leave) {
            let attributes = trace.attributes(op);
            let word = Word::of(attributes.event_type.map(|text| trace.text(text)));
            let (number, op, at) = (u64::from(op.0), trace.op(op), attributes.at);
            stream.pass(&Row { number, thread, event, op, at, word });
        }
    }
    stream.finish();
    if stream.approximations() > 0 {
        return true;
    }
    let order = Oracle::new(trace, rules);
    accesses.iter().enumerate().all(|(j, &(b, _))| {
        let now = answers[j].1.map(|kept| stream.kept(kept));
        accesses[..j].iter().enumerate().all(|(i, &(a, point))| {
            let ours = now.as_ref().map_or(answers[j].0[i], |now| stream.covers(now, point));
            ours == order.before(a, b)
        })
    })
}

/// Looks for a trace on which the engine without a part is wrong and the whole engine is right.
fn is_noticed(model: &'static Model, left_out: Needed, window: Option<u64>, seeds: &[u64]) {
    let mut rules = model.default_rules();
    if let Some(length) = window {
        rules.set_window(length).expect("the model has the rule");
    }
    let wrong = seeds.iter().find(|&&seed| {
        let trace = random_trace(model, seed);
        assert!(agrees(&trace, &rules, None), "seed {seed} with every part");
        !agrees(&trace, &rules, Some(left_out))
    });
    assert!(wrong.is_some(), "{left_out:?} is left out of {}, and nothing differs", model.name);
    eprintln!("{left_out:?}: seed {wrong:?}");
}

/// So many seeds, or as many as `INTERLOPER_TRACES` says.
fn seeds(count: u64) -> Vec<u64> {
    let asked = std::env::var("INTERLOPER_TRACES").ok().and_then(|n| n.parse().ok());
    (0..asked.unwrap_or(count)).collect()
}

#[test]
fn telling_is_needed() {
    is_noticed(&ANDROID, Needed::Telling, None, &seeds(400));
}

#[test]
fn holding_verdicts_is_needed() {
    is_noticed(&ANDROID, Needed::HoldingVerdicts, None, &seeds(400));
}

#[test]
fn the_lowest_floor_is_needed() {
    is_noticed(&ANDROID, Needed::LowestFloor, Some(3_000), &seeds(1000));
}

#[test]
fn closing_events_again_is_needed() {
    is_noticed(&WEB, Needed::ClosingAgain, None, &seeds(400));
}

#[test]
fn waiting_for_others_is_needed() {
    is_noticed(&WEB, Needed::WaitingForOthers, None, &seeds(1000));
}

#[test]
fn late_parts_are_needed() {
    is_noticed(&WEB, Needed::LateParts, None, &seeds(1000));
}

#[test]
fn overtaken_messages_are_needed() {
    is_noticed(&WEB, Needed::Overtaken, None, &seeds(1000));
}
