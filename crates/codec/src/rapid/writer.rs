//! Writes a trace of threads and locks as a log.
//!
//! The log has the operations that matter in the model `threads`. It leaves out `init` and `exit`,
//! which order nothing there that forks, joins and threads do not order, and it leaves out values
//! and times. Bytes that would end a name, and control characters, are written `%XX`. A trace with other operations is
//! rejected.

use std::io::{self, Write};

use trace::{FunctionId, Id, Op, Trace};

use super::{ATOMIC, source};

/// Writes a trace that has only threads, locks, accesses and functions. Fails at the first
/// operation that STD cannot express.
pub fn write(trace: &Trace, out: &mut impl Write) -> io::Result<()> {
    let names = trace.names();
    let mut functions: Vec<Vec<FunctionId>> = vec![Vec::new(); names.threads.len()];
    for op in trace.ops() {
        let thread = trace.thread_of(op);
        let (word, target) = match trace.op(op) {
            Op::Init | Op::Exit => continue,
            Op::Read(x) => ("r", names.locations.get(x)),
            Op::Write(x) => ("w", names.locations.get(x)),
            Op::Lock(x) => ("acq", names.locks.get(x)),
            Op::Unlock(x) => ("rel", names.locks.get(x)),
            Op::Fork(x) => ("fork", names.threads.get(x)),
            Op::Join(x) => ("join", names.threads.get(x)),
            Op::Enter(x) => {
                functions[thread.index()].push(x);
                ("begin", names.functions.get(x))
            }
            Op::Leave => {
                let left = functions[thread.index()].pop();
                ("end", left.map_or(ATOMIC, |x| names.functions.get(x)))
            }
            other => {
                let message = format!(
                    "operation {} is a {other:?}; STD holds only threads, locks, reads and writes",
                    op.0
                );
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        };
        put(names.threads.get(thread), out)?;
        write!(out, "|{word}(")?;
        put(target, out)?;
        out.write_all(b")|")?;
        let location = source::spell(trace, trace.attributes(op).source);
        put(&location, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Writes a field. Bytes that would end the field, and control characters, which would act in a terminal, are
/// written `%XX`, and an empty name as one `%`.
fn put(text: &[u8], out: &mut impl Write) -> io::Result<()> {
    if text.is_empty() {
        return out.write_all(b"%");
    }
    let mut before = 0;
    for (at, &byte) in text.iter().enumerate() {
        // U+0080 to U+009F are control characters, too.
        let is_high = matches!((byte, text.get(at + 1)), (0xc2, Some(0x80..=0x9f)))
            || matches!((before, byte), (0xc2, 0x80..=0x9f));
        if byte == b'|' || byte.is_ascii_control() || is_high {
            write!(out, "%{byte:02X}")?;
        } else {
            out.write_all(&[byte])?;
        }
        before = byte;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_as_text() {
        let shown = |text: &str| {
            let mut out = Vec::new();
            put(text.as_bytes(), &mut out).expect("memory");
            String::from_utf8(out).expect("text")
        };
        assert_eq!(shown("a\u{1b}[31m|\n\t\u{7f}"), "a%1B[31m%7C%0A%09%7F");
        assert_eq!(shown("\u{9b}31mé\u{a0}"), "%C2%9B31mé\u{a0}");
        assert_eq!(shown(""), "%");
    }
}
