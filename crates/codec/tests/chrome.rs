//! Viewers of the Trace Event Format can show the whole timeline: it is valid JSON, every record
//! has its place and time, slices nest, time does not run backwards, and arrows have two ends
//! inside slices.

use std::collections::BTreeMap;

use codec::{chrome, text};
use serde_json::Value;
use testkit::generate::{Profile, sample};
use trace::Trace;

fn timeline(trace: &Trace) -> Vec<Value> {
    let mut bytes = Vec::new();
    chrome::write(trace, &mut bytes).expect("memory takes all");
    let value: Value = serde_json::from_slice(&bytes).expect("JSON");
    value["traceEvents"].as_array().expect("a list").clone()
}

#[test]
fn slices_nest_and_arrows_have_two_ends() {
    let mut drawn = 0;
    for seed in 0..200 {
        let profile = if seed % 2 == 0 { Profile::Realistic } else { Profile::Wild };
        let trace = sample(seed, profile, 200);
        let mut depth: BTreeMap<String, i64> = BTreeMap::new();
        let mut time: BTreeMap<String, f64> = BTreeMap::new();
        let mut arrows: BTreeMap<String, Vec<(f64, String)>> = BTreeMap::new();
        let mut events = 0;
        for record in timeline(&trace) {
            let phase = record["ph"].as_str().expect("a phase").to_owned();
            assert!(record["pid"].is_u64() && record["tid"].is_u64(), "seed {seed}: {record}");
            assert!(phase == "E" || record["name"].is_string(), "seed {seed}: {record}");
            let place = format!("{} {}", record["pid"], record["tid"]);
            if phase != "M" {
                let now = record["ts"].as_f64().expect("a time");
                let last = time.entry(place.clone()).or_insert(0.0);
                assert!(now >= *last, "seed {seed}: time runs backwards");
                *last = now;
            }
            match phase.as_str() {
                "B" => {
                    *depth.entry(place).or_default() += 1;
                    events += u32::from(record["cat"] == "event");
                }
                "E" => {
                    let depth = depth.entry(place).or_default();
                    *depth -= 1;
                    assert!(*depth >= 0, "seed {seed}: a slice ends that never began");
                }
                "s" | "f" => {
                    let open = depth.get(&place).copied().unwrap_or(0);
                    assert!(open > 0, "seed {seed}: an arrow ends in no slice: {record}");
                    assert_eq!(record["bp"] == "e", phase == "f", "seed {seed}: {record}");
                    let key = format!("{} {} {}", record["cat"], record["name"], record["id"]);
                    let at = record["ts"].as_f64().expect("a time");
                    arrows.entry(key).or_default().push((at, phase));
                }
                _ => {
                    assert_eq!(phase, "M", "seed {seed}");
                    assert!(record["args"]["name"].is_string(), "seed {seed}: {record}");
                }
            }
        }
        assert!(depth.values().all(|&depth| depth == 0), "seed {seed}: a slice never ends");
        let begun = trace.events().filter(|(_, event)| event.begin.is_some()).count();
        assert_eq!(events as usize, begun, "seed {seed}");
        drawn += arrows.len();
        for (key, ends) in arrows {
            let [(start, s), (end, f)] = &ends[..] else { panic!("seed {seed}: {key} {ends:?}") };
            assert!(s == "s" && f == "f" && start <= end, "seed {seed}: {key} {ends:?}");
        }
    }
    assert!(drawn > 200, "the traces hold arrows: {drawn}");
}

#[test]
fn a_small_timeline_in_full() {
    let trace = text::read(
        b"interloper-trace 1\nui attach q at=1000\nbg enqueue m q at=1500\n\
          ui begin m name=tap%20%22ok%22 at=2000\nui enter f at=2001\nui end m at=3000\n",
    )
    .expect("a trace")
    .trace;
    let shown: Vec<String> = timeline(&trace)
        .iter()
        .filter(|record| record["ph"] != "M")
        .map(|record| {
            format!("{} {} {} {}", record["ph"], record["name"], record["tid"], record["ts"])
        })
        .collect();
    assert_eq!(
        shown,
        [
            r#""B" "post" 2 1.5"#,
            r#""s" "post" 2 1.5"#,
            r#""E" null 2 1.5"#,
            r#""B" "tap \"ok\"" 1 2.0"#,
            r#""f" "post" 1 2.0"#,
            r#""B" "f" 1 2.001"#,
            r#""E" null 1 3.0"#,
            r#""E" null 1 3.0"#,
        ]
    );
}

#[test]
fn an_arrow_never_leads_back_in_time() {
    let trace = text::read(
        b"interloper-trace 1\nui attach q at=1000\nbg enqueue m q at=5000\nui begin m\nui end m\n\
          bg enqueue never q at=6000\n",
    )
    .expect("a trace")
    .trace;
    let arrows: Vec<(Value, f64)> = timeline(&trace)
        .iter()
        .filter(|record| record["ph"] == "s" || record["ph"] == "f")
        .map(|record| (record["ph"].clone(), record["ts"].as_f64().expect("a time")))
        .collect();
    assert_eq!(arrows, [("s".into(), 5.0), ("f".into(), 5.0)]);
}
