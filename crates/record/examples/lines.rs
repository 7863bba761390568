//! The smallest recorder: lines on standard input, a native file on standard output.
//!
//! Each line is the name of a thread, a tab, and a line of the text notation without its thread:
//!
//! ```sh
//! printf 'main\tbegin r1.1 type=timer\nmain\twrite total value=1\nmain\tend r1.1\n' |
//!   cargo run -p record --example lines -- web >page.ilt
//! ```
//!
//! The argument is the model of happens-before, `web` by default. Malformed lines are reported on
//! standard error and are no failure.

use std::io::{self, BufRead, Write};

use codec::native::{Options, Writer};
use record::{Counts, Note, Notes, RealmId, Scripts, Sender, Wire};

fn main() -> io::Result<()> {
    let model = std::env::args().nth(1).unwrap_or_else(|| "web".to_string());
    let (counts, notes) = record(io::stdin().lock(), io::stdout().lock(), &model)?;
    eprintln!("{} events, {} accesses", counts.events, counts.accesses);
    for note in notes {
        eprintln!("note: {}: {:?} ({} times)", note.code, note.text, note.count);
    }
    Ok(())
}

/// Writes the lines of `input` to `output` as a native file.
pub(crate) fn record(
    input: impl BufRead,
    output: impl Write,
    model: &str,
) -> io::Result<(Counts, Vec<Note>)> {
    let (scripts, notes) = (Scripts::default(), Notes::default());
    let mut wire = Wire::new(Writer::new(output, Options::default())?, model)?;
    for bytes in input.split(b'\n') {
        let line = String::from_utf8_lossy(&bytes?).into_owned();
        match line.split_once('\t') {
            Some((thread, line)) => {
                let sender = Sender { thread, realm: RealmId::FIRST };
                wire.take(sender, line, &scripts, &notes)?;
            }
            None => notes.add("no-thread", || line),
        }
    }
    let counts = wire.counts();
    wire.finish()?.flush()?;
    Ok((counts, notes.all()))
}
