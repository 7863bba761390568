//! Runs `interloper replay` as its users do, with the installed browser, on a page on loopback: what a recording of
//! a login contains, and what a replay of it needs.

#![cfg(all(target_os = "linux", feature = "record-web"))]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::thread;

use codec::native;

/// A login that sends the password in its address, keeps it in a variable, and shows the answer, which repeats it.
const PAGE: &str = "<!doctype html><title>t</title><input id=user><input id=pw type=password>\
    <button id=go>go</button><p id=shown></p><script>\n\
    var known = '';\n\
    pw.oninput = () => { known = pw.value; };\n\
    setTimeout(() => { known = known + ''; }, 400);\n\
    go.onclick = () => fetch('/login?p=' + encodeURIComponent(known) + '&u=' + user.value)\
    .then((r) => r.text()).then((text) => { shown.textContent = text; });\n\
    setTimeout(() => { shown.title = 'late'; shown.textContent += '.'; }, 1200);\n\
    </script>";
const SECRET: &str = "Tr0ub4dor &3";

/// Serves the page, and answers any other request with its own first line. Returns the address, and the first
/// lines of all requests.
fn serve() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = format!("http://{}/", listener.local_addr().expect("bound"));
    let asked = Arc::<Mutex<Vec<String>>>::default();
    let noted = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let noted = Arc::clone(&noted);
            thread::spawn(move || drop(answer(stream, &noted)));
        }
    });
    (address, asked)
}

fn answer(mut stream: TcpStream, noted: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    // The browser may connect without a request when it records. A replay has no network.
    if first.is_empty() {
        noted.lock().expect("no panic").push(first);
        return Ok(());
    }
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    noted.lock().expect("no panic").push(first.clone());
    let body = if first.starts_with("GET / ") {
        PAGE.to_string()
    } else {
        format!("welcome, {SECRET}: {first}")
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: id=c00kie\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
        body.len()
    )
}

fn interloper(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interloper"));
    command.args(args).current_dir(folder).env_remove("INTERLOPER_SECRET_PW");
    command.output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_recorded_login_has_no_secret_and_a_replay_asks_for_it() {
    let (address, asked) = serve();
    let asked = || asked.lock().expect("no panic").clone();
    let folder = tempfile::tempdir().expect("a folder");
    let steps =
        format!("type #user ada\ntype #pw {SECRET}\nclick #go\nwait-for #shown:not(:empty)\n");
    fs::write(folder.path().join("login.steps"), steps).expect("the steps");
    let record = [
        "record",
        "web",
        &address,
        "--steps",
        "login.steps",
        "--out",
        "login.ilt",
        "--no-check",
        "--header",
        "X-Token: t0ken",
        "--time",
        "1.5",
    ];
    let done = interloper(folder.path(), &record);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let path = folder.path().join("login.ilt");
    let session = native::session(fs::File::open(&path).expect("a file")).expect("a file");
    let session = text(&session.expect("a session"));
    let convert = interloper(folder.path(), &["convert", "login.ilt", "-", "--to", "text"]);
    let trace = text(&convert.stdout);
    assert!(trace.contains("known"), "{trace}");
    let bodies = session.split("\"body\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let bodies: String = bodies.map(|body| text(&unbase64(body))).collect();
    assert!(bodies.contains("welcome, {secret:pw}"), "{bodies}");
    for secret in [SECRET, "Tr0ub4dor", "Tr0ub4", "t0ken", "c00kie"] {
        for (what, kept) in [("session", &session), ("trace", &trace), ("bodies", &bodies)] {
            assert!(!kept.contains(secret), "{secret} is in the {what}: {kept}");
        }
    }
    assert!(session.contains("{secret:pw}") && session.contains("X-Token"), "{session}");

    let refused = interloper(folder.path(), &["replay", "login.ilt"]);
    let why = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{why}");
    assert!(why.contains("the login cannot be replayed") && why.contains("missing: pw"), "{why}");

    let before = asked();
    let secret = format!("pw={SECRET}");
    let replay = ["replay", "login.ilt", "--top", "1", "--format", "json", "--secret", &secret];
    let done = interloper(folder.path(), &replay);
    let report: serde_json::Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(report["missing"], serde_json::json!([]), "{report}");
    assert!(!text(&done.stdout).contains("Tr0ub4"), "{report}");
    assert_eq!(asked(), before, "a replay asks no server");
}

/// Decodes base64.
fn unbase64(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != b'=').collect();
    let group = |group: &[u8]| {
        let bits = group.iter().fold(0_u32, |bits, &byte| bits << 6 | u32::from(value(byte)));
        let bits = bits << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    };
    bytes.chunks(4).flat_map(group).collect()
}
