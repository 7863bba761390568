//! Reads the session of a recording, which stands in blocks of its own beside the trace.

use std::io::{self, Read, Seek};

use super::block::{BlockReader, Stop};
use super::layout::BlockType;
use super::payload::{Unpacker, check};
use super::varint::PADDING;

/// Returns the payloads of all session blocks of a file, joined in their order. None if there is no such
/// block. It skips all other blocks; a file that is damaged ends before the damage, and a session block
/// that is damaged is an error.
pub fn session(source: impl Read + Seek) -> io::Result<Option<Vec<u8>>> {
    let mut blocks = BlockReader::new(source).sessions().seeking();
    let mut unpacker = Unpacker::new()?;
    let mut joined = None;
    loop {
        let block = match blocks.next_block() {
            Ok(Some(block)) => block,
            Ok(None) | Err(Stop::Damage(_) | Stop::Foreign(_)) => return Ok(joined),
            Err(Stop::Io(error)) => return Err(error),
        };
        let (BlockType::Session, Some(stored)) = (block.header.kind, block.stored) else {
            continue;
        };
        let damaged = |_| io::Error::new(io::ErrorKind::InvalidData, "the session is damaged");
        check(&block.header, &stored).map_err(damaged)?;
        let mut raw = unpacker.unpack(&block.header, stored).map_err(damaged)?;
        raw.truncate(raw.len() - PADDING);
        joined.get_or_insert_with(Vec::new).extend_from_slice(&raw);
    }
}
