//! What the targets share: making checksums right, so that rows are reached.

/// A native file of one block for each chunk of `data`: a byte for the type, one for the span,
/// two for the length, then the payload. The checksums hold, so that what is fuzzed is what
/// stands behind them.
pub fn file_of_blocks(mut data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut first = 0_u64;
    while let [kind, span, low, high, rest @ ..] = data {
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (payload, after) = rest.split_at(len);
        data = after;
        let kind = kind % 6;
        let operations = matches!(kind, 2 | 3);
        let span = if operations { u32::from(*span) } else { 0 };
        let mut header = vec![0x93, b'I', b'L', b'T', 1, kind, 0, 0];
        header.extend((len as u32).to_le_bytes());
        header.extend((len as u32).to_le_bytes());
        header.extend(first.to_le_bytes());
        header.extend(span.to_le_bytes());
        header.extend(crc32c::crc32c(payload).to_le_bytes());
        header.extend(crc32c::crc32c(&header).to_le_bytes());
        file.extend(header);
        file.extend_from_slice(payload);
        if kind == 3 {
            first += u64::from(span);
        }
    }
    file
}
