//! A recorder that is killed at any moment leaves a file that loads up to its last complete block.
//! A reader that follows a growing file reads every operation.

use std::fs::File;
use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use codec::native::{self, Batches, Compression, Follow, Options, Writer};
use trace::{Attributes, Op};

/// The environment variable with the file that the process to be killed writes.
const TARGET: &str = "INTERLOPER_TEST_RECORD_TO";
const KILLS: u64 = 200;

/// Operation `n` of the endless trace that the killed process writes.
fn operation<W: Write>(writer: &mut Writer<W>, n: u64) -> std::io::Result<()> {
    let thread = writer.names().threads.intern(format!("T{}", n % 3).as_bytes());
    let op = match n % 10 {
        0 => Op::Lock(writer.names().locks.intern(b"L")),
        5 => Op::Unlock(writer.names().locks.intern(b"L")),
        k => {
            let name = format!("x{}", (n / 7 * k) % 5000);
            let location = writer.names().locations.intern(name.as_bytes());
            if n.is_multiple_of(4) { Op::Write(location) } else { Op::Read(location) }
        }
    };
    writer.push(thread, op, Attributes { at: Some(n * 10), ..Attributes::default() })
}

fn recorder(sink: File) -> Writer<File> {
    let options = Options { compression: Compression::Zstd(3), block_bytes: 2000 };
    Writer::new(sink, options).expect("memory")
}

/// Not a test of its own: the body of the process that the test below kills.
#[test]
fn record_until_killed() {
    let Some(target) = std::env::var_os(TARGET) else { return };
    let mut writer = recorder(File::create(target).expect("writable"));
    for n in 0.. {
        operation(&mut writer, n).expect("writable");
    }
}

#[test]
fn a_killed_recorder_leaves_a_file_that_loads() {
    let directory = tempfile::tempdir().expect("a place for files");
    let target = directory.path().join("killed.ilt");
    let mut random = fastrand::Rng::with_seed(1);
    let mut most = 0;
    for kill in 0..KILLS {
        let mut child = Command::new(std::env::current_exe().expect("this test"))
            .args(["record_until_killed", "--exact", "--nocapture"])
            .env(TARGET, &target)
            .stdout(Stdio::null())
            .spawn()
            .expect("this test starts");
        thread::sleep(Duration::from_micros(random.u64(1_000..60_000)));
        child.kill().expect("it runs for ever");
        child.wait().expect("it was killed");
        let Ok(bytes) = std::fs::read(&target) else { continue };
        let loaded = native::read(&bytes[..]).expect("a native file");
        let said = loaded.diagnostics.first().expect("the file was never closed");
        let expected = [&native::anomaly::UNCLOSED_FILE, &native::anomaly::CUT_BLOCK];
        assert!(expected.contains(&said.code), "kill {kill}: {said:?}");
        let trace = &loaded.trace;
        for (n, op) in trace.ops().enumerate() {
            assert_eq!(trace.attributes(op).at, Some(n as u64 * 10), "kill {kill}");
        }
        most = most.max(trace.len());
    }
    assert!(most > 1000, "some recorder got somewhere: {most}");
}

#[test]
fn a_growing_file_is_followed_to_its_end() {
    let directory = tempfile::tempdir().expect("a place for files");
    let target = directory.path().join("growing.ilt");
    let sink = File::create(&target).expect("writable");
    let recording = thread::spawn(move || {
        let mut writer = recorder(sink);
        for n in 0..20_000 {
            operation(&mut writer, n).expect("writable");
            if n.is_multiple_of(4000) {
                writer.flush().expect("writable");
                thread::sleep(Duration::from_millis(5));
            }
        }
        writer.finish().expect("writable");
    });
    let follow = Follow::new(File::open(&target).expect("there"), || {
        thread::sleep(Duration::from_millis(1));
        true
    });
    let mut batches = Batches::parallel(follow, 2).expect("memory");
    let mut operations = 0;
    for batch in &mut batches {
        operations += batch.expect("readable").operations();
    }
    assert_eq!(operations, 20_000);
    assert!(batches.is_closed());
    recording.join().expect("it ends");
}

#[test]
fn a_follower_that_is_stopped_reports_that_the_file_is_not_closed() {
    let directory = tempfile::tempdir().expect("a place for files");
    let target = directory.path().join("stopped.ilt");
    let mut writer = recorder(File::create(&target).expect("writable"));
    for n in 0..500 {
        operation(&mut writer, n).expect("writable");
    }
    writer.flush().expect("writable");
    let mut looks = 0;
    let follow = Follow::new(File::open(&target).expect("there"), || {
        looks += 1;
        looks < 3
    });
    let loaded = native::read(follow).expect("a native file");
    assert_eq!(loaded.trace.len(), 500);
    assert_eq!(loaded.diagnostics[0].code, &native::anomaly::UNCLOSED_FILE);
}
