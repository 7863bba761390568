//! Writes a few small files of each format into the corpora: `cargo run --example seeds`.

use std::fs;
use std::path::Path;

use codec::native::{self, Compression, Options};
use codec::text;
use eventracer::LogBuilder;
use eventracer::log::OpKind;
use testkit::generate::{Profile, sample};

/// A log of DroidRacer with a race.
const ABC_LOG: &[u8] = b"\
1 START
2 THREADINIT tid:1
3 ATTACH-Q tid:1\t queue:7
4 LOOP tid:1\t queue:7
5 NATIVE-ENTRY tid:2thread-name:Binder Thread #1
6 POST src:2 msg:1 dest:-1 delay:0
7 NATIVE-EXIT tid:2thread-name:Binder Thread #1
8 POST src:3 msg:2 dest:-1 delay:5
9 CALL tid:1\t msg:1
rwId:1 WRITE tid:1 obj:0x10 class:LA; field:8
10 ACCESS tid:1\t accessId:1
11 ENABLE-LIFECYCLE tid:1 component: id:3 state:PAUSE-ACT
12 RET tid:1\t msg:1
13 CALL tid:1\t msg:2
14 TRIGGER-LIFECYCLE tid:1 component: id:3 state:PAUSE-ACT
rwId:2 READ tid:1 obj:0x10 class:LA; field:8
15 ACCESS tid:1\t accessId:2
16 RET tid:1\t msg:2
";

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
    put("rapid_read", "seed".to_owned(), std)?;
    put("droidracer_read", "seed".to_owned(), ABC_LOG)?;
    put("eventracer_read", "seed".to_owned(), &action_log())
}

/// A log with every section and most commands.
fn action_log() -> Vec<u8> {
    let mut log = LogBuilder::new();
    log.op(0, OpKind::UserInterface).enter("auto:explore").write("Timer:1").value("1").exit();
    log.op(1, OpKind::Timer).read("NodeTree:0x1").trigger(2);
    log.op(2, OpKind::Network).enter("fire:readystatechange").write("NodeTree:0x1").value("1");
    log.arc(0, 1, Some(5)).arc(0, 2, None);
    eventracer::write(&log.build())
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
