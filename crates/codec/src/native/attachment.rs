//! Reads attachments: blocks that hold no part of the trace.

use std::io::{self, Read, Seek};

use super::block::{BlockReader, Stop};
use super::payload::{Unpacker, check};

/// Calls `take` with the payload, and its padding, of each block that the reader does not leave unread, or with none if
/// the block is damaged. A file that is damaged ends before the damage.
pub(crate) fn each<R: Read + Seek>(
    blocks: BlockReader<R>,
    mut take: impl FnMut(Option<Vec<u8>>) -> io::Result<()>,
) -> io::Result<()> {
    let mut blocks = blocks.seeking();
    let mut unpacker = Unpacker::new()?;
    loop {
        let block = match blocks.next_block() {
            Ok(Some(block)) => block,
            Ok(None) | Err(Stop::Damage(_) | Stop::Foreign(_)) => return Ok(()),
            Err(Stop::Io(error)) => return Err(error),
        };
        let Some(stored) = block.stored else { continue };
        let is_sound = check(&block.header, &stored).is_ok();
        take(is_sound.then(|| unpacker.unpack(&block.header, stored).ok()).flatten())?;
    }
}
