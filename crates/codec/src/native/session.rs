//! Reads the session of a recording, which stands in blocks of its own beside the trace.

use std::io::{self, Read, Seek};

use super::attachment::each;
use super::block::BlockReader;
use super::varint::PADDING;

/// Returns the payloads of all session blocks of a file, joined in their order. None if there is no such
/// block. It skips all other blocks; a file that is damaged ends before the damage, and a session block
/// that is damaged is an error.
pub fn session(source: impl Read + Seek) -> io::Result<Option<Vec<u8>>> {
    let mut joined: Option<Vec<u8>> = None;
    each(BlockReader::new(source).sessions(), |payload| {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the session is damaged");
        let payload = payload.ok_or_else(damaged)?;
        joined.get_or_insert_default().extend_from_slice(&payload[..payload.len() - PADDING]);
        Ok(())
    })?;
    Ok(joined)
}
