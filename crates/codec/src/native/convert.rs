//! Copies a file operation by operation, in one pass and in bounded memory.
//!
//! The copy loads as the same trace as the original. It has blocks of the usual size, each name and
//! position before its first use, as in a recording, and an end block. From a damaged file, the copy
//! gets the operations before the damage. Memory is that of the file's names, positions and stacks,
//! and of a few blocks.

use std::io::{self, Read, Write};

use super::load::out_of_resources;
use super::reader::Batches;
use super::replay::{Halt, Replay};
use super::writer::{Options, Writer};
use crate::{Completeness, ReadError};

/// Why a file could not be copied.
#[derive(Debug)]
pub enum ConvertError {
    /// The input is no native file, or reading it failed.
    Read(ReadError),
    /// Writing failed.
    Write(io::Error),
}

impl From<ReadError> for ConvertError {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

/// Copies the native file in `source` to `sink`, decoding on `workers` threads besides the caller's.
/// Returns how much of the file was read.
pub fn convert(
    source: impl Read + Send + 'static,
    workers: usize,
    sink: impl Write,
    options: Options,
) -> Result<Completeness, ConvertError> {
    let batches = Batches::parallel(source, workers).map_err(|error| out_of_resources(&error))?;
    let mut batches = batches.to_the_end();
    let mut writer = Writer::new(sink, options).map_err(ConvertError::Write)?;
    let mut replay = Replay::new(writer.names());
    let mut stopped = None;
    for batch in &mut batches {
        let batch = batch?;
        let copied = replay.declare_all(&batch, &mut writer);
        match copied.and_then(|()| replay.push_all(&batch, &mut writer)) {
            Ok(()) => {}
            Err(Halt::Sink(error)) => return Err(ConvertError::Write(error)),
            Err(Halt::Loss(loss)) => {
                stopped = Some(loss);
                break;
            }
        }
    }
    writer.finish().map_err(ConvertError::Write)?;
    Ok(match stopped {
        Some(loss) => Completeness::damaged(loss).with_operations(replay.passed()),
        None => batches.completeness(),
    })
}
