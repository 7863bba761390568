//! Writes an [`ActionLog`] in the format that the original tool reads.

use crate::log::{ActionLog, Command};
use crate::strings::StringTable;

/// Returns the bytes of a log. A log that is not `complete` ends after ACTIONS.
///
/// Reading them gives an equal log, except that void commands become code 6, which is read as void
/// again.
pub fn write(log: &ActionLog) -> Vec<u8> {
    let mut out = Vec::new();
    write_strings(&mut out, &log.vars);
    write_strings(&mut out, &log.scopes);
    write_actions(&mut out, log);
    if log.complete {
        write_strings(&mut out, &log.js);
        write_strings(&mut out, &log.values);
    }
    out
}

fn push(out: &mut Vec<u8>, value: i32) {
    out.extend_from_slice(&value.to_le_bytes());
}

fn push_count(out: &mut Vec<u8>, count: usize) {
    push(out, i32::try_from(count).expect("an ActionLog holds less than 2 GiB"));
}

fn write_strings(out: &mut Vec<u8>, table: &StringTable) {
    push_count(out, table.as_bytes().len());
    out.extend_from_slice(table.as_bytes());
    // The original's hash table loops forever unless it has more buckets than strings.
    push_count(out, 2 * table.count() + 3);
}

fn write_actions(out: &mut Vec<u8>, log: &ActionLog) {
    push_count(out, log.op_count());
    push_count(out, log.arcs.len());
    for arc in &log.arcs {
        push(out, log.number(arc.tail).cast_signed());
        push(out, log.number(arc.head).cast_signed());
        push(out, arc.delay.map_or(-1, u32::cast_signed));
    }
    for op in log.op_ids() {
        push(out, log.number(op).cast_signed());
        push(out, log.kind(op) as i32);
        push_count(out, log.commands(op).len());
        for &command in log.commands(op) {
            let (code, arg) = encode(command);
            push(out, code);
            push(out, arg);
        }
    }
}

fn encode(command: Command) -> (i32, i32) {
    let id = |index: usize| (index as u32).cast_signed();
    match command {
        Command::Enter(scope) => (0, id(scope.index())),
        Command::Exit => (1, -1),
        Command::Read(cell) => (2, id(cell.index())),
        Command::Write(cell) => (3, id(cell.index())),
        Command::Trigger(number) => (4, number.map_or(-1, u32::cast_signed)),
        Command::Value(value) => (5, id(value.index())),
        Command::Void => (6, -1),
    }
}
