//! docs/format.md is sufficient: a writer and reader in Python, made from it alone, agree with this
//! crate.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use codec::native::{self, Compression, Options};
use serde_json::{Value, json};
use testkit::generate::{Knobs, Profile, generate};
use testkit::spelled::spelled;
use trace::{Attributes, LocationKind, Op, OpId, Posting, Provenance, Trace};

fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/ilt.py")
}

/// Whether Python is installed. If it is not, the test is counted as skipped.
fn python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|o| o.status.success());
    let required = std::env::var_os("INTERLOPER_REQUIRE_PYTHON").is_some();
    assert!(found || !required, "python3 is required here but absent");
    if !found {
        testkit::skip::skip("python3 is absent");
    }
    found
}

fn run(arguments: &[&str], file: &Path, rest: &[&str], input: &str) -> String {
    let mut child = Command::new("python3")
        .arg(script())
        .args(arguments)
        .arg(file)
        .args(rest)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).expect("the script reads");
    let output = child.wait_with_output().expect("python3 ends");
    assert!(output.status.success(), "the script failed");
    String::from_utf8(output.stdout).expect("JSON")
}

/// Converts each byte to one character.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&b| char::from(b)).collect()
}

fn attributes(trace: &Trace, a: Attributes) -> Value {
    let text = |id| json!(latin(trace.text(id)));
    let source = |id| {
        let s = trace.source(id);
        json!([latin(trace.text(s.file)), s.line, s.column])
    };
    let provenance = |p| json!(if p == Provenance::User { "user" } else { "framework" });
    let all = [
        ("at", a.at.map(|n| json!(n))),
        ("value", a.value.map(text)),
        ("source", a.source.map(source)),
        ("source_id", a.source_id.map(|n| json!(n))),
        ("type", a.event_type.map(text)),
        ("name", a.event_name.map(text)),
        ("provenance", a.provenance.map(provenance)),
    ];
    all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
}

fn operation(trace: &Trace, op: Op) -> (&'static str, Vec<Value>) {
    let n = trace.names();
    let name = |bytes: &[u8]| json!(latin(bytes));
    let event = |id| name(n.events.get(id));
    match op {
        Op::Init => ("init", vec![]),
        Op::Exit => ("exit", vec![]),
        Op::Fork(x) => ("fork", vec![name(n.threads.get(x))]),
        Op::Join(x) => ("join", vec![name(n.threads.get(x))]),
        Op::Notify(x) => ("notify", vec![name(n.handles.get(x))]),
        Op::Wait(x) => ("wait", vec![name(n.handles.get(x))]),
        Op::Lock(x) => ("lock", vec![name(n.locks.get(x))]),
        Op::Unlock(x) => ("unlock", vec![name(n.locks.get(x))]),
        Op::Attach(x) => ("attach", vec![name(n.queues.get(x))]),
        Op::Loop(x) => ("loop", vec![name(n.queues.get(x))]),
        Op::Enqueue(e) => {
            let (kind, number) = match e.posting {
                Posting::Delayed(0) => ("plain", 0),
                Posting::Delayed(delay) => ("delay", delay),
                Posting::AtTime(time) => ("time", time),
                Posting::Front => ("front", 0),
                Posting::Idle => ("idle", 0),
                Posting::Input => ("input", 0),
                Posting::Display => ("display", 0),
                Posting::Ipc => ("ipc", 0),
            };
            let flags: Vec<_> = [(e.is_async, "async"), (e.sync, "sync")]
                .into_iter()
                .filter_map(|(set, flag)| set.then_some(flag))
                .collect();
            let queue = name(n.queues.get(e.queue));
            ("enqueue", vec![event(e.event), queue, json!([kind, number, flags])])
        }
        Op::EnqueueEnd(x) => ("enqueue_end", vec![event(x)]),
        Op::Remove(x) => ("remove", vec![event(x)]),
        Op::Begin(x) => ("begin", vec![event(x)]),
        Op::End(x) => ("end", vec![event(x)]),
        Op::PostBarrier(b, q) => {
            ("post_barrier", vec![name(n.barriers.get(b)), name(n.queues.get(q))])
        }
        Op::RemoveBarrier(x) => ("remove_barrier", vec![name(n.barriers.get(x))]),
        Op::Register(x) => ("register", vec![name(n.callbacks.get(x))]),
        Op::Invoke { callback, sync } => {
            (if sync { "invoke_sync" } else { "invoke" }, vec![name(n.callbacks.get(callback))])
        }
        Op::Unregister(x) => ("unregister", vec![name(n.callbacks.get(x))]),
        Op::Enable(x) => ("enable", vec![name(n.environment.get(x))]),
        Op::Trigger(x) => ("trigger", vec![name(n.environment.get(x))]),
        Op::Arc(from, to) => ("arc", vec![event(from), event(to)]),
        Op::Read(x) => ("read", vec![name(n.locations.get(x))]),
        Op::Write(x) => ("write", vec![name(n.locations.get(x))]),
        Op::Enter(x) => ("enter", vec![name(n.functions.get(x))]),
        Op::Leave => ("leave", vec![]),
    }
}

/// The trace in the script's notation: declarations, sorted, then operations.
fn lines(trace: &Trace) -> Vec<Value> {
    let names = trace.names();
    let mut lines = Vec::new();
    for thread in names.threads.ids() {
        let process = trace.thread(thread).process;
        if process.0 != 0 {
            let (thread, process) = (names.threads.get(thread), names.processes.get(process));
            lines.push(json!(["process", latin(thread), latin(process)]));
        }
    }
    for location in names.locations.ids() {
        let kind = match trace.location_kind(location) {
            None => continue,
            Some(LocationKind::Other(text)) => latin(trace.text(text)),
            Some(kind) => format!("{kind:?}").to_lowercase(),
        };
        lines.push(json!(["kind", latin(names.locations.get(location)), kind]));
    }
    lines.extend(trace.model().map(|model| json!(["model", latin(model)])));
    lines.sort_by_key(ToString::to_string);
    lines.extend(trace.ops().map(|id: OpId| {
        let (op, arguments) = operation(trace, trace.op(id));
        let thread = latin(names.threads.get(trace.thread_of(id)));
        json!([thread, op, arguments, attributes(trace, trace.attributes(id))])
    }));
    lines
}

fn traces() -> impl Iterator<Item = (u64, Trace)> {
    (0..12).map(|seed| {
        let profile = if seed % 2 == 0 { Profile::Realistic } else { Profile::Wild };
        let knobs = Knobs { odd_names: seed % 3 == 0, ..Knobs::drawn(seed, profile, 250) };
        (seed, generate(seed, &knobs))
    })
}

#[test]
fn files_of_the_script_are_read() {
    if !python() {
        return;
    }
    for (seed, trace) in traces() {
        let lines: Vec<String> = lines(&trace).iter().map(ToString::to_string).collect();
        let input = lines.join("\n");
        let directory = tempfile::tempdir().expect("a place for a file");
        let file = directory.path().join("t.ilt");
        run(&["write"], &file, &[&(1 + seed * 7).to_string()], &input);
        let bytes = std::fs::read(&file).expect("the script wrote it");
        let loaded = native::read(&bytes[..]).expect("a native file");
        let odd = loaded.diagnostics.iter().find(|d| native::anomaly::CODES.contains(&d.code));
        assert_eq!(odd, None, "seed {seed}");
        assert_eq!(spelled(&loaded.trace), spelled(&trace), "seed {seed}");
    }
}

#[test]
fn the_script_reads_written_files() {
    if !python() {
        return;
    }
    for (seed, trace) in traces() {
        let directory = tempfile::tempdir().expect("a place for a file");
        let file = directory.path().join("t.ilt");
        let options = Options { compression: Compression::None, block_bytes: 20 << (seed % 8) };
        let mut bytes = Vec::new();
        native::write(&trace, &mut bytes, options).expect("memory takes all");
        std::fs::write(&file, &bytes).expect("a place for a file");
        let output = run(&["read"], &file, &[], "");
        let mut read: Vec<Value> =
            output.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        let header = read.len() - trace.len();
        read[..header].sort_by_key(ToString::to_string);
        assert_eq!(read, lines(&trace), "seed {seed}");
    }
}

#[test]
fn the_file_in_the_documentation_is_read() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    let page = std::fs::read_to_string(page).expect("the page is in the repository");
    let example = page.split("## A smallest file").nth(1).expect("the page has the example");
    let mut payloads = vec![Vec::new(); 3];
    let mut current = 0;
    for line in example.lines().filter(|line| line.starts_with("    ")) {
        for word in line.split_whitespace() {
            match word {
                "tables" => current = 0,
                "sync" => current = 1,
                "data" => current = 2,
                _ => match (word.len(), u8::from_str_radix(word, 16)) {
                    (2, Ok(byte)) => payloads[current].push(byte),
                    _ => break,
                },
            }
        }
    }
    let mut file = Vec::new();
    for (payload, (kind, span)) in payloads.iter().zip([(1_u8, 0_u32), (2, 2), (3, 2)]) {
        let mut header = vec![0x93, b'I', b'L', b'T', 1, kind, 0, 0];
        let len = (payload.len() as u32).to_le_bytes();
        header.extend([len, len].concat());
        header.extend(0_u64.to_le_bytes());
        header.extend(span.to_le_bytes());
        header.extend(crc32c::crc32c(payload).to_le_bytes());
        header.extend(crc32c::crc32c(&header).to_le_bytes());
        file.extend(header);
        file.extend(payload);
    }
    let loaded = native::read(&file[..]).expect("a native file");
    let mut text = Vec::new();
    codec::text::write(&loaded.trace, &mut text).expect("memory takes all");
    let text = String::from_utf8(text).expect("ASCII");
    assert!(text.ends_with("T0 fork T1\nT1 write x\n"), "{text}");
}
