use std::fmt::Write as _;

use codec::native::{self, Options};
use rewrite::Kind;

use super::*;
use crate::scripts::Place;

const FIRST: RealmId = RealmId::FIRST;

/// Returns the file after a page sent `payloads`, in the text notation, and the notes.
fn written(payloads: &[(RealmId, &str)]) -> (String, Vec<crate::Note>) {
    let (scripts, notes) = (Scripts::default(), Notes::default());
    let source = "function f() { a.b; }\nfunction g() { a.c; a.d; }\na.e";
    scripts.rewrite(source, Kind::Script, &[], &Place::whole("app.js")).expect("parses");
    let writer = Writer::new(Vec::new(), Options::default()).expect("memory");
    let mut wire = Wire::new(writer, "web").expect("memory");
    for &(realm, payload) in payloads {
        let sender = Sender { thread: "main", realm };
        wire.take(sender, payload, &scripts, &notes).expect("memory");
    }
    let bytes = wire.finish().expect("memory");
    let loaded = native::read(&bytes[..]).expect("a native file");
    let mut text = Vec::new();
    codec::text::write(&loaded.trace, &mut text).expect("memory");
    (String::from_utf8(text).expect("the notation is ASCII"), notes.all())
}

/// The last site of a line of the test's script.
fn site(line: u32) -> u32 {
    let scripts = Scripts::default();
    let source = "function f() { a.b; }\nfunction g() { a.c; a.d; }\na.e";
    scripts.rewrite(source, Kind::Script, &[], &Place::whole("app.js")).expect("parses");
    let on_line = |&n: &u32| scripts.spot(n).is_some_and(|spot| spot.line == line);
    (0..100).rfind(on_line).expect("there")
}

#[test]
fn lines_become_operations_with_places_and_functions() {
    let (f, g) = (site(1), site(2));
    let payload = format!(
        "begin r1.1 type=script name=app.js\nread Window.a value=1 site={f}\n\
         write x.b site={f}\nread x.c site={g}\nend r1.1\nlocation x.c kind=dom\n"
    );
    let (text, notes) = written(&[(FIRST, &payload)]);
    assert!(notes.is_empty(), "{notes:?}");
    let lines: Vec<_> = text.lines().collect();
    let expected = [
        "interloper-trace 1",
        "model web",
        "location x.c kind=dom",
        "main begin r1.1 type=script name=app.js",
        "main enter f",
        "main read Window.a",
        "main write x.b",
        "main leave",
        "main enter g",
        "main read x.c",
        "main leave",
        "main end r1.1",
    ];
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line} is not {expected}");
    }
    assert!(lines[5].contains("value=1") && lines[5].contains("src=app.js:1:"), "{text}");
    assert!(lines[9].contains("src=app.js:2:"), "{text}");
}

#[test]
fn later_realms_have_names_of_their_own() {
    let lines = "enqueue r1.2 network\nbegin r1.2\nread Window.a\nwrite localStorage[k]\n\
                 register r1.c3\nend r1.2\nlocation Window.a kind=user";
    let (text, _) = written(&[(FIRST, lines), (FIRST.next(), lines)]);
    for expected in [
        "location Window.a@2 kind=user",
        "main enqueue r1.2 network",
        "main enqueue r2.2 network",
        "main read Window.a@2",
        "main write localStorage[k]@2",
        "main register r2.c3",
    ] {
        assert!(text.lines().any(|line| line == expected), "no {expected} in\n{text}");
    }
}

/// However many documents come and go, each name stands once in the file, and the file loads.
#[test]
fn a_realm_that_is_gone_leaves_a_file_that_loads() {
    let (scripts, notes) = (Scripts::default(), Notes::default());
    let writer = Writer::new(Vec::new(), Options::default()).expect("memory");
    let mut wire = Wire::new(writer, "web").expect("memory");
    let lines = "=1 Window.a\nbegin r1.1\n*820\nenqueue w7.1.in/0 w7.1.in\nend r1.1\n\
                 location Window.a kind=dom\n";
    let mut realm = FIRST;
    for _ in 0..3 {
        let sender = Sender { thread: "main", realm };
        wire.take(sender, lines, &scripts, &notes).expect("memory");
        wire.forget(realm);
        assert_eq!(wire.out.kinds.len(), 1, "the kinds of the first realm stay");
        realm = realm.next();
    }
    let bytes = wire.finish().expect("memory");
    let trace = native::read(&bytes[..]).expect("a native file").trace;
    let names = trace.names();
    for name in ["Window.a", "Window.a@2", "Window.a@3"] {
        assert!(names.locations.find(name.as_bytes()).is_some(), "{name}");
    }
    assert!(names.events.find(b"w7.1.in/0@3").is_some());
    assert!(notes.all().is_empty());
}

/// A word is renamed by the kind of thing that it names, not by its look or spelling.
#[test]
fn names_are_renamed_by_what_they_name() {
    let lines = "enqueue %721.2 r1.timers delay=1\nbegin r1.2 type=r1.t name=r1.n\n\
                 read r1.x value=r1.2\nwrite % value=%\nenter r1.f\nleave\narc r1.2 r01.3 by=r1.b\n\
                 enqueue ra.1 r.1\nend r1.2\nlocation r1.x kind=dom";
    let (text, notes) = written(&[(FIRST, ""), (FIRST.next(), lines)]);
    assert!(notes.is_empty(), "{notes:?}");
    let expected = "interloper-trace 1\nmodel web\nlocation r1.x@2 kind=dom\n\
                    main enqueue r2.2 r2.timers delay=1\nmain begin r2.2 type=r1.t name=r1.n\n\
                    main read r1.x@2 value=r1.2\nmain write @2 value=\nmain enter r1.f\n\
                    main leave\nmain arc r2.2 r2.3 by=r1.b\nmain enqueue ra.1 r.1\nmain end r2.2\n";
    assert_eq!(text, expected);
}

#[test]
fn malformed_lines_are_noted_and_not_written() {
    let long = format!("read {}", "x".repeat(LONGEST));
    let payload = format!(
        "bogus\nread\nread a b=c=d\nread %zz\nbegin \u{e9}\n{long}\n# diagnostic no-hook Foo.bar\n\
         # diagnostic no-hook other\n\nread ok site=notanumber\nread ok site=4294967295\nread ok"
    );
    let (text, notes) = written(&[(FIRST, &payload)]);
    assert_eq!(text.matches("main read ok\n").count(), 3, "{text}");
    let said: Vec<_> = notes.iter().map(|note| (note.code.as_str(), note.count)).collect();
    assert_eq!(said, [("long-line", 1), ("no-hook", 2), ("unreadable-line", 5)]);
    assert_eq!(notes[1].text, "Foo.bar");
}

/// Whatever bytes a page sends, the file loads.
#[test]
fn any_lines_are_taken() {
    let pieces = [
        "begin", "end", "read", "write", "r1.1", "r1.2", " ", " ", "\n", "site=1", "site=", "x",
        "enqueue", "q", "%", "%20", "location", "kind=dom", "leave", "enter", "=", "\u{0}", "fork",
        "arc", "#", "\r", "type=a", "src=a:1", "attach", "delay=3", "\n=1 ", "\n=2 ", "\n=3 2 ",
        "\n*021", "\n*826", "24", "6P1", "o", "\n*00",
    ];
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..3000 {
        let count = random.usize(..40);
        let text: String = (0..count).map(|_| pieces[random.usize(..pieces.len())]).collect();
        let (scripts, notes) = (Scripts::default(), Notes::default());
        let writer = Writer::new(Vec::new(), Options::default()).expect("memory");
        let mut wire = Wire::new(writer, "web").expect("memory");
        for realm in [FIRST, FIRST.next()] {
            let sender = Sender { thread: "main", realm };
            wire.take(sender, &text, &scripts, &notes).expect("memory");
        }
        let operations = wire.counts().operations;
        let bytes = wire.finish().expect("memory");
        let loaded = native::read(&bytes[..]).expect("a native file");
        assert_eq!(loaded.trace.len() as u64, operations, "{text}");
    }
}

/// A disk with room for a number of bytes.
struct Small(Vec<u8>, usize);

impl Write for &mut Small {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.1 - self.0.len());
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn operations_written_before_the_disk_was_full_load() {
    let (scripts, notes) = (Scripts::default(), Notes::default());
    let mut disk = Small(Vec::new(), 3000);
    let writer = Writer::new(&mut disk, Options::default()).expect("memory");
    let mut wire = Wire::new(writer, "web").expect("memory");
    let sender = Sender { thread: "main", realm: FIRST };
    let mut number = 0;
    let error = loop {
        number += 1;
        let line = format!("write Window.v{number} value={number}");
        wire.take(sender, &line, &scripts, &notes).expect("only flushing writes");
        if let Err(error) = wire.flush() {
            break error;
        }
    };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    drop(wire);
    let loaded = native::read(&disk.0[..]).expect("a native file");
    assert!(loaded.trace.len() >= 2, "{}", loaded.trace.len());
}

#[test]
fn the_time_of_a_thread_does_not_run_backwards() {
    let lines = "begin r1.1 at=7000\nend r1.1 at=9000";
    let early = "begin r1.1 at=8000\nend r1.1 at=10000";
    let (text, notes) = written(&[(FIRST, lines), (FIRST.next(), early)]);
    assert!(notes.is_empty(), "{notes:?}");
    for expected in ["r1.1 at=7000", "end r1.1 at=9000", "begin r2.1 at=9000", "end r2.1 at=10000"]
    {
        assert!(text.contains(expected), "no {expected} in\n{text}");
    }
}

/// The locations, values and sites that lines of the next tests mention.
const NAMES: [&str; 4] = ["Window.a", "closure(f)@1.x", "Object(created%20at%20a.js:1)@2.k", "b"];
const VALUES: [&str; 6] = ["undefined", "%22a%20b%22", "Array(1)@7", "%", "0", "-2147483648"];

/// Writes a number as `packed` reads it.
fn digits(out: &mut String, mut number: u32) {
    while number >= 32 {
        out.push(char::from(0x50 + (number % 32) as u8));
        number /= 32;
    }
    out.push(char::from(0x30 + number as u8));
}

fn signed(out: &mut String, number: i64) {
    let folded = if number < 0 { -2 * number - 1 } else { 2 * number };
    digits(out, u32::try_from(folded).expect("32 bits"));
}

/// Accesses in the packed form.
struct Line {
    text: String,
    location: u32,
    site: u32,
}

impl Line {
    fn new() -> Self {
        Line { text: "*".into(), location: 0, site: 0 }
    }

    fn add(
        &mut self,
        write: bool,
        location: u32,
        index: Option<u32>,
        site: Option<u32>,
        value: Value,
    ) {
        let integer = matches!(value, Value::Integer(_));
        let parts = [write, index.is_some(), site.is_some(), integer];
        let bits: u8 = parts.iter().enumerate().map(|(at, &part)| u8::from(part) << at).sum();
        self.text.push(char::from(0x30 + bits));
        signed(&mut self.text, i64::from(location) - i64::from(self.location));
        self.location = location;
        if let Some(index) = index {
            digits(&mut self.text, index);
        }
        if let Some(site) = site {
            signed(&mut self.text, i64::from(site) - i64::from(self.site));
            self.site = site;
        }
        match value {
            Value::Integer(number) => signed(&mut self.text, number.into()),
            Value::Number(number) => digits(&mut self.text, number),
        }
    }
}

/// The same random accesses with names and with numbers, from two realms that take turns.
fn both_ways(seed: u64) -> [Vec<(RealmId, String)>; 2] {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut known = std::collections::HashMap::new();
    let [mut named, mut numbered] = [Vec::new(), Vec::new()];
    for _ in 0..40 {
        let realm = if random.bool() { FIRST } else { FIRST.next() };
        let (mut long, mut short, mut line) = (String::new(), String::new(), Line::new());
        let mut number_of = |definitions: &mut String, key: (RealmId, String, &'static str)| {
            // Most numbers are defined in turn.
            let next = known.len() as u32 + random.u32(..1000) / 900 * 1000;
            let (realm, name, kind) = key;
            let is_owned = kind == "location" && name.contains('.') && random.bool();
            if let Some(&known) = known.get(&(realm, name.clone(), kind)) {
                return known;
            }
            known.insert((realm, name.clone(), kind), next);
            if is_owned {
                let (owner, key) = name.split_at(name.rfind('.').expect("it has one"));
                known.insert((realm, owner.to_owned(), "owner"), next + 500_000);
                let _ = writeln!(definitions, "={} {owner}", next + 500_000);
                let _ = writeln!(definitions, "={next} {} {key}", next + 500_000);
            } else {
                let _ = writeln!(definitions, "={next} {name}");
            }
            next
        };
        let mut choices = fastrand::Rng::with_seed(seed + 1000);
        for _ in 0..choices.usize(..5) {
            let name = NAMES[choices.usize(..NAMES.len())];
            let value = VALUES[choices.usize(..VALUES.len())];
            let index = (choices.u8(..3) == 0).then(|| choices.u32(..300));
            let kind = if index.is_some() { "object" } else { "location" };
            let location = number_of(&mut short, (realm, name.to_owned(), kind));
            let site = (choices.u8(..5) > 0).then(|| choices.u32(..10));
            let write = choices.bool();
            let packed = match value.parse() {
                Ok(number) => Value::Integer(number),
                Err(_) => Value::Number(number_of(&mut short, (realm, value.to_owned(), "value"))),
            };
            line.add(write, location, index, site, packed);
            let word = if write { "write" } else { "read" };
            let element = index.map_or(String::new(), |index| format!("[{index}]"));
            let at = site.map_or(String::new(), |site| format!(" site={site}"));
            let _ = writeln!(long, "{word} {name}{element} value={value}{at}");
        }
        named.push((realm, long));
        numbered.push((realm, format!("{short}{}\n", line.text)));
    }
    [named, numbered]
}

#[test]
fn accesses_by_number_are_those_by_name() {
    for seed in 0..50 {
        let [named, numbered] = both_ways(seed);
        let text = |payloads: &[(RealmId, String)]| {
            let payloads: Vec<_> =
                payloads.iter().map(|(realm, text)| (*realm, text.as_str())).collect();
            written(&payloads)
        };
        let (expected, notes) = text(&named);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(text(&numbered), (expected, notes), "seed {seed}");
    }
}

/// The text of one access.
fn packed(write: bool, location: u32, index: Option<u32>, value: Value) -> String {
    let mut line = Line::new();
    line.add(write, location, index, None, value);
    line.text
}

#[test]
fn numbers_that_mean_nothing_are_notes() {
    let next = FIRST.next();
    let read = |number| packed(false, number, None, Value::Integer(2));
    let element = |number| packed(true, number, Some(3), Value::Integer(3));
    let big = u32::MAX / 2;
    let payloads = [
        (FIRST, format!("{}\n=1 a\n=1 b\n{}\n{}\n", read(1), read(1), element(1))),
        (next, format!("{}\n=1 a\n{}\n", read(1), element(1))),
        (FIRST, format!("=4294967296 x\n=4294967295 y\n={big} last\n{}\n", read(big))),
        (FIRST, format!("{}\n=2 1 .owned\n=2 7 .owned\n", read(7777))),
        (FIRST, packed(false, 1, None, Value::Number(1)) + "\n"),
        (FIRST, packed(false, 1, None, Value::Number(99)) + "\n"),
        (FIRST, "=x y\n= y\n=2\n=3 \n=4 two words\n=5 a=b\n=6 %4\n=7 \u{e9}\n=8  a\n".into()),
        (FIRST, "*0\n*@\n*P\n*00\n*0x\n*01\u{e9}\n*021\n*02PPPPPPPP0\n*02oooooo4\n*82O9 \n".into()),
    ];
    let payloads: Vec<_> = payloads.iter().map(|(realm, text)| (*realm, text.as_str())).collect();
    let (text, notes) = written(&payloads);
    let accesses: Vec<_> =
        text.lines().filter(|line| line.contains("read") || line.contains("write")).collect();
    let expected = [
        "main read a value=2",
        "main write a[3]@2 value=3",
        "main read last value=2",
        "main read a value=-16",
    ];
    assert_eq!(accesses, expected, "{text}");
    let count = |code: &str| notes.iter().find(|note| note.code == code).map(|note| note.count);
    assert_eq!(count("undefined-number"), Some(9), "{notes:?}");
    assert_eq!(count("redefined-number"), Some(1));
    assert_eq!(count("unreadable-line"), Some(19));
    assert_eq!(notes.len(), 3);
}

/// Sends lines to a wire whose names may take `most` bytes, and returns how many it keeps and the notes.
fn kept(most: usize, payloads: &[String]) -> (usize, Vec<crate::Note>) {
    let (scripts, notes) = (Scripts::default(), Notes::default());
    let writer = Writer::new(std::io::sink(), Options::default()).expect("a sink");
    let mut wire = Wire::new(writer, "web").expect("a sink");
    wire.most = most;
    for payload in payloads {
        let sender = Sender { thread: "main", realm: FIRST };
        wire.take(sender, payload, &scripts, &notes).expect("a sink");
    }
    (wire.out.bytes() + wire.numbers.bytes(), notes.all())
}

#[test]
fn invented_names_take_bounded_memory() {
    let most = 4 << 20;
    let long = "x".repeat(60_000);
    let lines = |line: &dyn Fn(u32) -> String| (0..20_000).map(line).collect::<Vec<_>>().join("\n");
    for (what, payload) in [
        ("locations", lines(&|n| format!("read a{n}{}", "b".repeat(1000)))),
        ("values", lines(&|n| format!("read a value=\"{n}{}\"", "b".repeat(1000)))),
        ("definitions", lines(&|n| format!("={n} {}", "b".repeat(1000)))),
        ("owned definitions", format!("=0 {long}\n{}", lines(&|n| format!("={} 0 y", n + 1)))),
        // An element of an object, by a packed access of a few characters.
        (
            "elements",
            format!(
                "=0 {long}\n{}",
                lines(&|n| {
                    let digits: String = [n % 32, n / 32 % 32, n / 1024]
                        .iter()
                        .enumerate()
                        .map(|(at, digit)| {
                            char::from(if at < 2 { b'P' } else { b'0' } + *digit as u8)
                        })
                        .collect();
                    format!("*:0{digits}0")
                })
            ),
        ),
    ] {
        let (bytes, notes) = kept(most, &[payload]);
        assert!(bytes > most && bytes < most + 200_000, "{what}: {bytes}, {notes:?}");
        assert!(notes.iter().any(|note| note.code == "too-many-names"), "{what}: {notes:?}");
    }
}

#[test]
fn a_name_that_continues_others_does_not_grow_without_end() {
    let step = "x".repeat(40_000);
    let lines: Vec<String> = (1..100).map(|n| format!("={n} {} {step}", n - 1)).collect();
    let (bytes, notes) = kept(MOST, &[format!("=0 {step}\n{}", lines.join("\n"))]);
    assert!(bytes < 200_000, "{bytes}");
    assert!(notes.iter().any(|note| note.code == "long-name"), "{notes:?}");
}
