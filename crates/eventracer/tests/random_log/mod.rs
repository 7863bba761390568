//! Random logs that exercise every rule: explored and real user actions, shared resources, event
//! targets, timers, backward arcs, repeated accesses, handlers that fire, unloading.

use eventracer::log::OpKind;
use eventracer::{ActionLog, LogBuilder};
use proptest::prelude::*;

const SCOPES: [&str; 9] = [
    "auto:explore",
    "fire:click",
    "fire:unloadx",
    "fire:readystatechange",
    "delete_document",
    "DOM Timer",
    "event:load",
    "parse HTML[]",
    "",
];

const CELLS: [&str; 16] = [
    "NodeTree:a",
    "NodeTree:b",
    "NodeTree:b-3",
    "CachedResource-1",
    "ScriptRunner-1",
    "ScriptRunner-2",
    "DOMNode[0x7f].style",
    "DOMNode[0x7f].className",
    "Window[1].cookie",
    "Window[1].document.cookie",
    "Object[1].x",
    "Object[2].y",
    "Timer:1",
    "Array[1]$LEN",
    "SPAN[0x1].click",
    "Tree[0x1]:id",
];

const VALUES: [&str; 7] = ["undefined", "0x1f", "08", "Object[1]", "", "true", "\"a\""];

/// One command of a random op.
#[derive(Clone, Debug)]
enum RandomCommand {
    Enter(usize),
    Exit,
    Read(usize),
    Write(usize),
    Value(usize),
    Trigger(u32),
}

fn command() -> impl Strategy<Value = RandomCommand> {
    prop_oneof![
        2 => (0..SCOPES.len()).prop_map(RandomCommand::Enter),
        1 => Just(RandomCommand::Exit),
        5 => (0..CELLS.len()).prop_map(RandomCommand::Read),
        4 => (0..CELLS.len()).prop_map(RandomCommand::Write),
        3 => (0..VALUES.len()).prop_map(RandomCommand::Value),
        1 => (0..9_u32).prop_map(RandomCommand::Trigger),
    ]
}

/// An op: its kind, whether it starts with exploration, its commands.
type Op = (usize, bool, Vec<RandomCommand>);

fn op() -> impl Strategy<Value = Op> {
    (0..OpKind::ALL.len(), prop::bool::weighted(0.3), prop::collection::vec(command(), 0..7))
}

/// An arc: two places among the ops, whether to keep it backward, its delay.
type RandomArc = (prop::sample::Index, prop::sample::Index, bool, Option<u32>);

fn arc() -> impl Strategy<Value = RandomArc> {
    let delay = prop::option::of(prop_oneof![0..4_u32, Just(0x3fff_ffff)]);
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), prop::bool::weighted(0.04), delay)
}

fn build(ops: &[Op], arcs: &[RandomArc], stride: u32) -> ActionLog {
    let mut log = LogBuilder::new();
    for (i, (kind, explored, commands)) in ops.iter().enumerate() {
        log.op(i as u32 * stride, OpKind::ALL[*kind]);
        if *explored {
            log.enter("auto:explore");
        }
        for command in commands {
            match *command {
                RandomCommand::Enter(scope) => log.enter(SCOPES[scope]),
                RandomCommand::Exit => log.exit(),
                RandomCommand::Read(cell) => log.read(CELLS[cell]),
                RandomCommand::Write(cell) => log.write(CELLS[cell]),
                RandomCommand::Value(value) => log.value(VALUES[value]),
                RandomCommand::Trigger(number) => log.trigger(number),
            };
        }
    }
    for (one, other, backward, delay) in arcs {
        let (one, other) = (one.index(ops.len()) as u32, other.index(ops.len()) as u32);
        let (low, high) = (one.min(other) * stride, one.max(other) * stride);
        let (tail, head) = if *backward { (high, low) } else { (low, high) };
        log.arc(tail, head, *delay);
    }
    log.build()
}

/// A random log of up to `ops` ops, whose numbers are `stride` apart.
pub(crate) fn log(ops: usize, stride: u32) -> impl Strategy<Value = ActionLog> {
    let arcs = prop::collection::vec(arc(), 0..ops * 2);
    (prop::collection::vec(op(), 1..ops), arcs)
        .prop_map(move |(ops, arcs)| build(&ops, &arcs, stride))
}
