//! Compresses, checks and decompresses the payloads of blocks.

use std::io;

use zstd::bulk::{Compressor, Decompressor};

use super::block::DamageKind;
use super::layout::Header;
use super::varint::PADDING;

const STORED: u8 = 0;
const ZSTD: u8 = 1;

/// How a writer stores payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Payloads are stored uncompressed.
    None,
    /// Each payload is stored as one zstd frame, at this level.
    Zstd(i32),
}

/// Compresses payloads.
pub(crate) struct Packer {
    compressor: Option<Compressor<'static>>,
    packed: Vec<u8>,
}

impl Packer {
    pub(crate) fn new(compression: Compression) -> io::Result<Self> {
        let compressor = match compression {
            Compression::None => None,
            Compression::Zstd(level) => Some(Compressor::new(level)?),
        };
        Ok(Self { compressor, packed: Vec::new() })
    }

    /// Returns the codec and the bytes to store for `raw`, uncompressed if compression gains
    /// nothing.
    pub(crate) fn pack<'a>(&'a mut self, raw: &'a [u8]) -> io::Result<(u8, &'a [u8])> {
        let Some(compressor) = &mut self.compressor else { return Ok((STORED, raw)) };
        self.packed.clear();
        self.packed.reserve(zstd::zstd_safe::compress_bound(raw.len()));
        compressor.compress_to_buffer(raw, &mut self.packed)?;
        Ok(if self.packed.len() < raw.len() { (ZSTD, &self.packed) } else { (STORED, raw) })
    }
}

/// Whether the checksum of a block's stored bytes holds.
pub(crate) fn check(header: &Header, stored: &[u8]) -> Result<(), DamageKind> {
    let holds = crc32c::crc32c(stored) == header.payload_crc;
    if holds { Ok(()) } else { Err(DamageKind::PayloadChecksum) }
}

/// Decompresses payloads.
pub(crate) struct Unpacker {
    decompressor: Decompressor<'static>,
}

impl Unpacker {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { decompressor: Decompressor::new()? })
    }

    /// Returns the payload of a checked block, followed by [`PADDING`] zero bytes.
    pub(crate) fn unpack(
        &mut self,
        header: &Header,
        stored: Vec<u8>,
    ) -> Result<Vec<u8>, DamageKind> {
        let raw_len = header.raw_len as usize;
        let mut raw = match header.codec {
            STORED => stored,
            ZSTD => {
                let mut raw = Vec::with_capacity(raw_len + PADDING);
                self.decompressor
                    .decompress_to_buffer(&stored, &mut raw)
                    .map_err(|_| DamageKind::Compression)?;
                raw
            }
            codec => return Err(DamageKind::Codec(codec)),
        };
        if raw.len() != raw_len {
            return Err(DamageKind::Compression);
        }
        raw.resize(raw_len + PADDING, 0);
        Ok(raw)
    }
}
