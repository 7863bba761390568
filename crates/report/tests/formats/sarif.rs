//! Tests SARIF against the official schema, and against the behaviour of services.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::{corpus, report_of, report_of_file, root, sarif_of, varied};

/// The official schema, from the package that Cargo keeps for it.
fn official_schema() -> Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // starts: cargo
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|p| p["name"] == "serde-sarif").expect("serde-sarif");
    let manifest = PathBuf::from(package["manifest_path"].as_str().expect("a path"));
    let schema = manifest.with_file_name("src").join("schema.json");
    let schema = std::fs::read_to_string(schema).expect("the package has it");
    // The pattern of `language`, which the product does not write, has a stray bracket that some
    // engines of regular expressions reject.
    let stray = schema.matches("{2}]?$").count();
    assert!(stray <= 2, "the schema changed");
    serde_json::from_str(&schema.replace("{2}]?$", "{2}\\\\]?$")).expect("JSON")
}

#[test]
fn sarif_is_valid() {
    let schema = official_schema();
    assert_eq!(schema["properties"]["version"]["enum"], serde_json::json!(["2.1.0"]));
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let mut reports: Vec<_> = corpus().iter().map(|path| report_of_file(path)).collect();
    reports.push(varied());
    reports.push(report_of(&testkit::hostile::trace()));
    let mut results = 0;
    for report in &reports {
        let sarif: Value = serde_json::from_str(&sarif_of(report)).expect("JSON");
        let errors: Vec<_> = validator.iter_errors(&sarif).collect();
        assert!(errors.is_empty(), "{errors:?}");
        results += sarif["runs"][0]["results"].as_array().unwrap().len();
    }
    assert!(results > 40, "only {results} results were checked");
    // The validator must be able to fail.
    let mut broken: Value = serde_json::from_str(&sarif_of(&varied())).unwrap();
    broken["runs"][0]["results"][0]["level"] = "terrible".into();
    assert!(!validator.is_valid(&broken));
}

#[test]
fn a_result_contains_the_whole_race() {
    let sarif: Value = serde_json::from_str(&sarif_of(&varied())).unwrap();
    let run = &sarif["runs"][0];
    let results = run["results"].as_array().unwrap();
    for result in results {
        let flows = result["codeFlows"].as_array().unwrap();
        assert_eq!(flows.len(), 1);
        let threads = flows[0]["threadFlows"].as_array().unwrap();
        assert_eq!(threads.len(), 2);
        assert_ne!(threads[0]["id"], threads[1]["id"]);
        for thread in threads {
            let steps = thread["locations"].as_array().unwrap();
            let order: Vec<i64> =
                steps.iter().map(|step| step["executionOrder"].as_i64().unwrap()).collect();
            assert!(order.is_sorted(), "{order:?}");
        }
        let rule = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][rule]["id"], result["ruleId"]);
        for taxon in result["taxa"].as_array().unwrap() {
            let index = taxon["index"].as_u64().unwrap() as usize;
            assert_eq!(run["taxonomies"][0]["taxa"][index]["id"], taxon["id"]);
        }
    }
    // The race of two events has both registrations besides the other access.
    let posted = results.iter().find(|r| r["ruleId"] == "cross-posted").unwrap();
    assert_eq!(posted["relatedLocations"].as_array().unwrap().len(), 3);
}

#[test]
fn suppressions_and_baseline_show() {
    let sarif: Value = serde_json::from_str(&sarif_of(&varied())).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let of = |location: &str| {
        results.iter().find(|r| r["properties"]["location"] == location).expect("a result")
    };
    assert_eq!(
        of("Log.last")["suppressions"][0]["justification"],
        "suppressed: the last line wins"
    );
    assert_eq!(of("Cache.size")["suppressions"][0]["status"], "accepted");
    assert_eq!(of("Stats.hits")["suppressions"], serde_json::json!([]));
    assert_eq!(of("Stats.hits")["baselineState"], "unchanged");
    assert_eq!(of("Log.last")["baselineState"], "new");
}

/// A fingerprint must not change when lines move.
#[test]
fn fingerprints_survive_line_moves() {
    let path = root().join("corpus/eventracer-android/image-rows.trace");
    let trace = std::fs::read_to_string(path).unwrap();
    let moved = trace.replace(".java:1", ".java:31");
    assert_ne!(trace, moved);
    let fingerprints = |trace: &str| -> Vec<Value> {
        let sarif: Value = serde_json::from_str(&sarif_of(&report_of(trace.as_bytes()))).unwrap();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        results.iter().map(|r| r["partialFingerprints"].clone()).collect()
    };
    assert_eq!(fingerprints(&trace), fingerprints(&moved));
}
