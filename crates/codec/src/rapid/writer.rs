//! From a trace of threads and locks to STD.

use std::io::{self, Write};

use trace::{Id, Op, OpId, ThreadId, Trace};

use super::ATOMIC;

/// Writes a trace that has only threads and locks.
///
/// Init and exit have no line: STD takes them for granted. So a fork of a thread without init, and
/// a join of a thread without exit, which order nothing here, are left out, and so are enters and
/// leaves of functions but `atomic`. Bytes of names that STD gives a meaning are written `%XX`.
///
/// Fails on the first operation that STD has no word for.
pub fn write(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let threads = trace.names().threads.len();
    let mut initialised = vec![false; threads];
    let mut exited = vec![false; threads];
    let mut atomic = vec![Vec::new(); threads];
    for id in trace.ops() {
        if trace.op(id) == Op::Init {
            initialised[trace.thread_of(id).index()] = true;
        }
    }
    for id in trace.ops() {
        let thread = trace.thread_of(id);
        match trace.op(id) {
            Op::Exit => exited[thread.index()] = true,
            Op::Fork(child) if !initialised[child.index()] => {}
            Op::Join(child) if !exited[child.index()] => {}
            Op::Enter(function) => {
                let is_atomic = trace.names().functions.get(function) == ATOMIC;
                atomic[thread.index()].push(is_atomic);
                if is_atomic {
                    line(trace, id, "begin", ATOMIC, out)?;
                }
            }
            Op::Leave => {
                if atomic[thread.index()].pop() == Some(true) {
                    line(trace, id, "end", ATOMIC, out)?;
                }
            }
            op => event(trace, id, op, out)?,
        }
    }
    Ok(())
}

fn event(trace: &Trace, id: OpId, op: Op, out: &mut impl Write) -> io::Result<()> {
    let names = trace.names();
    match op {
        Op::Init => Ok(()),
        Op::Fork(child) => line(trace, id, "fork", names.threads.get(child), out),
        Op::Join(child) => line(trace, id, "join", names.threads.get(child), out),
        Op::Lock(lock) => line(trace, id, "acq", names.locks.get(lock), out),
        Op::Unlock(lock) => line(trace, id, "rel", names.locks.get(lock), out),
        Op::Read(location) => line(trace, id, "r", names.locations.get(location), out),
        Op::Write(location) => line(trace, id, "w", names.locations.get(location), out),
        _ => {
            let message = format!(
                "operation {} is a {op:?}; STD holds only threads, locks, reads and writes",
                id.0
            );
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

fn line(
    trace: &Trace,
    id: OpId,
    op: &str,
    argument: &[u8],
    out: &mut impl Write,
) -> io::Result<()> {
    let thread: ThreadId = trace.thread_of(id);
    put_name(trace.names().threads.get(thread), out)?;
    write!(out, "|{op}(")?;
    put_name(argument, out)?;
    let position = trace.attributes(id).source.map_or(0, |source| trace.source(source).line);
    writeln!(out, ")|{position}")
}

fn put_name(name: &[u8], out: &mut impl Write) -> io::Result<()> {
    for &byte in name {
        let plain = byte.is_ascii_graphic() && !matches!(byte, b'|' | b'(' | b')' | b'%');
        if plain { out.write_all(&[byte]) } else { write!(out, "%{byte:02X}") }?;
    }
    Ok(())
}
