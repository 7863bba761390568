//! Writes a few small files of each format into the corpora: `cargo run --example seeds`.

use std::fs;
use std::path::Path;

use codec::native::{self, Compression, Options};
use codec::text;
use testkit::generate::{Profile, sample};

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let put = |target: &str, name: String, bytes: &[u8]| {
        fs::create_dir_all(corpus.join(target))?;
        fs::write(corpus.join(target).join(name), bytes)
    };
    for seed in 0..24 {
        let profile = if seed % 2 == 0 { Profile::Realistic } else { Profile::Wild };
        let trace = sample(seed, profile, 10 + seed as usize * 4);
        let compression = if seed % 3 == 0 { Compression::Zstd(3) } else { Compression::None };
        let mut bytes = Vec::new();
        native::write(&trace, &mut bytes, Options { compression, block_bytes: 150 })?;
        put("native_read", format!("seed{seed}"), &bytes)?;
        put("native_repair", format!("seed{seed}"), &bytes)?;
        put("native_rows", format!("seed{seed}"), &rows(&bytes))?;
        let mut notation = Vec::new();
        text::write(&trace, &mut notation)?;
        put("text_read", format!("seed{seed}"), &notation)?;
    }
    let std = b"T0|fork(T1)|1\nT1|acq(L1)|2\nT1|w(V1)|3\nT1|rel(L1)|4\nT0|join(T1)|5\nT0|begin|6\nmain|r(a.b[1])|7\r\nT0|end|8\n";
    put("rapid_read", "seed".to_owned(), std)
}

/// A file as `fuzz::file_of_blocks` takes it, where its blocks are stored as they are.
fn rows(mut file: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((header, rest)) = file.split_first_chunk::<36>() {
        let len = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
        out.extend([header[5], header[24], len as u8, (len >> 8) as u8]);
        out.extend_from_slice(&rest[..len]);
        file = &rest[len..];
    }
    out
}
