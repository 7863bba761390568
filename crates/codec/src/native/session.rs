//! Reads the session of a recording, which stands in blocks of its own beside the trace.

use std::io::{self, Read, Seek};

use super::attachment::each;
use super::block::BlockReader;
use super::varint::PADDING;

/// The longest session, in bytes. A recorder keeps less than half as much.
const LONGEST: usize = 256 << 20;

/// Returns the payloads of all session blocks of a file, joined in their order. None if there is no such
/// block. It skips all other blocks; a file that is damaged ends before the damage, and a session block
/// that is damaged is an error.
pub fn session(source: impl Read + Seek) -> io::Result<Option<Vec<u8>>> {
    let mut joined: Option<Vec<u8>> = None;
    each(BlockReader::new(source).sessions(), |payload| {
        let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
        let payload = payload.ok_or_else(|| invalid("the session is damaged".into()))?;
        let joined = joined.get_or_insert_default();
        joined.extend_from_slice(&payload[..payload.len() - PADDING]);
        if joined.len() > LONGEST {
            return Err(invalid(format!("the session has more than {} MB", LONGEST >> 20)));
        }
        Ok(())
    })?;
    Ok(joined)
}
