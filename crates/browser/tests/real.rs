//! Tests with the installed browser: calls, events, and its end.

#![cfg(target_os = "linux")]

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use browser::{Browser, Error, Options};
use serde_json::json;

static NEVER: AtomicBool = AtomicBool::new(false);

#[test]
fn a_browser_answers_sends_events_and_ends() {
    let (browser, events) =
        Browser::launch(&Options::default(), &NEVER).expect("Chromium is installed");
    let client = browser.client();
    let version = client.call(None, "Browser.getVersion", json!({})).expect("it answers");
    assert!(version["product"].as_str().is_some_and(|name| name.contains("Chrome")), "{version}");
    let refused = client.call(None, "No.such", json!({}));
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    let discover = json!({ "discover": true });
    client.call(None, "Target.setDiscoverTargets", discover).expect("targets are discovered");
    let event = events.recv_timeout(Duration::from_secs(10)).expect("a target is there");
    assert_eq!(event.method, "Target.targetCreated");

    // A crash of the browser is an error at once, for calls that wait and for later calls.
    let started = Instant::now();
    let crashed = client.call(None, "Browser.crash", json!({}));
    assert!(matches!(crashed, Err(Error::Gone { .. })), "{crashed:?}");
    assert!(started.elapsed() < Duration::from_secs(10));
    let later = client.call(None, "Browser.getVersion", json!({}));
    assert!(matches!(later, Err(Error::Gone { .. })), "{later:?}");
    while events.recv_timeout(Duration::from_secs(10)).is_ok() {}
}

#[test]
fn a_browser_that_cannot_be_started_is_reported() {
    let missing = Options { path: Some("/nonexistent/chromium".into()), ..Options::default() };
    let error = Browser::launch(&missing, &NEVER).err().expect("it is not there");
    assert!(error.to_string().contains("/nonexistent/chromium"), "{error}");
    let other = Options { path: Some("/bin/false".into()), ..Options::default() };
    let error = Browser::launch(&other, &NEVER).err().expect("it is no browser");
    assert!(error.to_string().contains("/bin/false"), "{error}");
}

#[test]
fn nothing_is_left_of_a_browser() {
    let folder = tempfile::tempdir().expect("a place for files");
    let wrapper = folder.path().join("browser");
    let seen = folder.path().join("arguments");
    let script = format!("#!/bin/sh\necho \"$@\" >{}\nexec chromium \"$@\"\n", seen.display());
    std::fs::write(&wrapper, script).expect("writable");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&wrapper, mode).expect("ours");
    let options = Options { path: Some(wrapper), ..Options::default() };
    let (browser, _events) = Browser::launch(&options, &NEVER).expect("Chromium is installed");
    let arguments = std::fs::read_to_string(seen).expect("written");
    let profile = arguments.split("--user-data-dir=").nth(1).expect("its own profile");
    let profile = profile.split_whitespace().next().expect("a path").to_string();
    let folder = std::path::Path::new(&profile).parent().expect("a folder of its own");
    let temporary = std::fs::read_dir(folder).expect("there").count();
    assert!(temporary > 1, "its temporary files are there as well");
    drop(browser);
    assert!(!folder.exists(), "{} is left", folder.display());
}

#[test]
fn text_goes_and_comes_as_it_is() {
    let (browser, _events) =
        Browser::launch(&Options::default(), &NEVER).expect("Chromium is installed");
    let client = browser.client();
    let targets = client.call(None, "Target.getTargets", json!({})).expect("it answers");
    let pages = targets["targetInfos"].as_array().expect("a list");
    let page = pages.iter().find(|target| target["type"] == "page").expect("it starts with one");
    let attach = json!({ "targetId": page["targetId"], "flatten": true });
    let attached = client.call(None, "Target.attachToTarget", attach).expect("it is there");
    let session = attached["sessionId"].as_str();
    let long = "long ".repeat(50_000);
    for text in ["", "plain", "Häuser", "日本語 😀", &long] {
        let code = format!("[{text:?}, {text:?}.length, -1, 3e9, 0.5, null, true]");
        let params = json!({ "expression": code, "returnByValue": true });
        let answer = client.call(session, "Runtime.evaluate", params).expect("it runs");
        let length = text.encode_utf16().count();
        let expected = json!([text, length, -1, 3_000_000_000_u64, 0.5, null, true]);
        assert_eq!(answer["result"]["value"], expected);
    }
    let half = json!({ "expression": "'a\\ud83d'" });
    let answer = client.call(session, "Runtime.evaluate", half).expect("it runs");
    assert_eq!(answer["result"]["value"], "a\u{fffd}");
}
