//! A trace of threads and locks as a log.
//!
//! The log says what the trace says to model `threads`: `init` and `exit`, which order nothing there
//! that forks, joins and threads do not, are left out, and so are values and times. A trace with
//! anything else STD has no word for, and names that would end their field, are refused.

use std::fmt;
use std::io::{self, Write};

use trace::{Escaped, FunctionId, Id, Op, OpId, Trace};

use super::source;

/// Why a trace could not be written.
#[derive(Debug)]
pub enum WriteError {
    /// Writing failed.
    Io(io::Error),
    /// STD cannot say this.
    Unsayable {
        /// The operation.
        op: OpId,
        /// What it is about it.
        what: String,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "{error}"),
            Self::Unsayable { op, what } => {
                write!(f, "operation {} cannot be written as STD: {what}", op.0)
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Unsayable { .. } => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes a trace as an STD log.
pub fn write(trace: &Trace, out: &mut dyn Write) -> Result<(), WriteError> {
    let names = trace.names();
    let mut blocks: Vec<Vec<FunctionId>> = vec![Vec::new(); names.threads.len()];
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        let open = &mut blocks[thread.index()];
        let (word, target) = match trace.op(op) {
            Op::Init | Op::Exit => continue,
            Op::Read(x) => ("r", names.locations.get(x)),
            Op::Write(x) => ("w", names.locations.get(x)),
            Op::Lock(x) => ("acq", names.locks.get(x)),
            Op::Unlock(x) => ("rel", names.locks.get(x)),
            Op::Fork(x) => ("fork", names.threads.get(x)),
            Op::Join(x) => ("join", names.threads.get(x)),
            Op::Enter(x) => {
                open.push(x);
                ("begin", names.functions.get(x))
            }
            Op::Leave => ("end", open.pop().map_or(&b""[..], |x| names.functions.get(x))),
            _ => {
                let what = "STD knows threads, locks and accesses only".to_owned();
                return Err(WriteError::Unsayable { op, what });
            }
        };
        let may_be_empty = matches!(word, "begin" | "end");
        let thread = sayable(op, names.threads.get(thread), false)?;
        let target = sayable(op, target, may_be_empty)?;
        let location = source::spell(trace, trace.attributes(op).source);
        out.write_all(thread)?;
        write!(out, "|{word}(")?;
        out.write_all(target)?;
        out.write_all(b")|")?;
        out.write_all(sayable(op, &location, true)?)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// `name`, unless it would end its field.
fn sayable(op: OpId, name: &[u8], may_be_empty: bool) -> Result<&[u8], WriteError> {
    let what = if name.is_empty() && !may_be_empty {
        "it has an empty name".to_owned()
    } else if name.iter().any(|b| matches!(b, b'|' | b'\n' | b'\r')) {
        format!("`{}` holds a bar or the end of a line", Escaped(name))
    } else {
        return Ok(name);
    };
    Err(WriteError::Unsayable { op, what })
}
