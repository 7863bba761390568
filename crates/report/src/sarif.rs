//! Prints SARIF 2.1.0, for code scanning services and editors.
//!
//! Each group is one result, which describes the group's leading race. Classes are the tool's
//! rules, and labels are a taxonomy. The message ends with the hints; the properties contain them
//! too, and the reasons for the group's rank. The only code flow of a result has two thread flows.
//! Each leads from the farthest known cause to the access, with operation numbers as the order of
//! execution. Groups that are suppressed or hidden by labels stay in the file with a suppression.
//! The comparison with the baseline is in `baselineState`. Races that only the baseline contains
//! are left out, because services show every result as present.
//!
//! Only the first 5,000 groups in the order of reading are written, because services reject files
//! with more. A notification states how many were left out.
//!
//! The execution counts as unsuccessful if the input could not be read well enough for a verdict.
//! The first notification states why.

use std::fmt::Write;
use std::io;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::escape::{sarif_text, uri};
use crate::glossary::{CLASSES, Term, labels};
use crate::model::{AccessEntry, CauseEntry, HintEntry, RaceEntry, Report, SourceEntry};
use crate::name::printable;
use crate::phrase::{self, Wording};
use crate::standing::{Problem, Standing};

/// The largest number of groups in a file.
const RESULTS: usize = 5000;

/// The name of the taxonomy of labels.
const TAXONOMY: &str = "interloper-labels";

/// Writes the report as SARIF.
pub fn write(report: &Report, out: impl io::Write) -> serde_json::Result<()> {
    let mut problems = report.problems();
    let left_out = problems.len().saturating_sub(RESULTS);
    problems.truncate(RESULTS);
    let run = Run {
        tool: json!({ "driver": {
            "name": "interloper",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": descriptors(CLASSES.iter().copied()),
            "supportedTaxonomies": [{ "name": TAXONOMY, "index": 0 }],
        }}),
        taxonomies: json!([{
            "name": TAXONOMY,
            "shortDescription": { "text": "Reasons to read a race later, or sooner." },
            "taxa": descriptors(labels()),
        }]),
        invocations: json!([{
            "executionSuccessful": report.input.judged,
            "toolExecutionNotifications": notifications(report, left_out),
        }]),
        column_kind: "unicodeCodePoints",
        results: Results { report, problems: &problems },
        properties: json!({
            "model": printable(&report.model),
            "engine": printable(&report.engine),
            "openRaces": report.summary.open_races,
        }),
    };
    let log = Log {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: [run],
    };
    serde_json::to_writer_pretty(out, &log)
}

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Value,
    taxonomies: Value,
    invocations: Value,
    column_kind: &'static str,
    results: Results<'a>,
    properties: Value,
}

/// The results, which are created one at a time while they are written: five thousand take hundreds
/// of megabytes.
struct Results<'a> {
    report: &'a Report,
    problems: &'a [Problem<'a>],
}

impl Serialize for Results<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.problems.iter().map(|problem| result(self.report, problem)))
    }
}

fn descriptors(terms: impl Iterator<Item = Term>) -> Vec<Value> {
    let descriptor = |term: Term| {
        json!({
            "id": term.name,
            "name": pascal_case(term.name),
            "shortDescription": { "text": term.meaning },
            "fullDescription": { "text": term.meaning },
            "help": { "text": format!("interloper explain {}", term.name) },
            "defaultConfiguration": { "level": "warning" },
        })
    };
    terms.map(descriptor).collect()
}

fn pascal_case(name: &str) -> String {
    let capitalised = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(capitalised).collect()
}

fn notifications(report: &Report, left_out: usize) -> Vec<Value> {
    let of_trace = report.diagnostics.iter().map(|d| {
        let level = match &*d.severity {
            "info" => "note",
            "error" => "error",
            _ => "warning",
        };
        let (at, message) = (printable(&d.at), printable(&d.message));
        json!({
            "descriptor": { "id": printable(&d.code) },
            "level": level,
            "message": { "text": sarif_text(&format!("{at}: {message}")) },
        })
    });
    let caveat = report.caveat().map(|caveat| {
        json!({
            "descriptor": { "id": "incomplete-input" },
            "level": caveat.level(),
            "message": { "text": sarif_text(&caveat.line()) },
        })
    });
    let left_out = (left_out > 0)
        .then(|| format!("{left_out} more groups of races are in the JSON report only"));
    let own = phrase::upkeep(report)
        .into_iter()
        .chain(left_out)
        .map(|text| json!({ "level": "warning", "message": { "text": sarif_text(&text) } }));
    caveat.into_iter().chain(of_trace).chain(own).collect()
}

fn result(report: &Report, problem: &Problem<'_>) -> Value {
    let race = problem.lead;
    // Services place a result by the file of its first location, so an access that has a file comes
    // first.
    let is_swapped = race.first.source.is_none() && race.second.source.is_some();
    let [main, other] = in_turn(race, is_swapped);
    let wording = Wording::of(report);
    let flows = [main, other].map(|side| thread_flow(side, wording));
    let mut result = json!({
        "ruleId": race.class,
        "level": level(problem),
        "message": { "text": message(race, is_swapped, wording) },
        "locations": [access_location(main.1, wording)],
        "relatedLocations": related_locations(main.1, other.1, wording),
        "codeFlows": [{ "threadFlows": flows }],
        "partialFingerprints": { "interloperRace/v1": race.fingerprint },
        "occurrenceCount": problem.group.races.len() + problem.group.left_out,
        "taxa": race.labels.iter().filter_map(|label| taxon(label)).collect::<Vec<_>>(),
        "properties": {
            "group": problem.group.id,
            "rank": problem.group.rank,
            "standing": problem.standing.name(),
            "location": printable(&race.location),
            "rankReasons": race.rank_reasons.iter().map(|r| printable(r)).collect::<Vec<_>>(),
            "hints": race.hints.iter().map(hint).collect::<Vec<_>>(),
        },
    });
    if let Some(replay) = &race.replay {
        let lines: Vec<String> = replay.lines();
        result["properties"]["replay"] = json!({
            "verdict": printable(&replay.verdict),
            "kind": replay.kind.as_deref().map(printable),
            "shown": sarif_text(&lines.join("\n")),
        });
    }
    if let Some(index) = CLASSES.iter().position(|term| term.name == race.class) {
        result["ruleIndex"] = json!(index);
    }
    if let Some(state) = baseline_state(report, problem) {
        result["baselineState"] = json!(state);
    }
    // An empty list states that suppressions were searched and none was found.
    let is_suppressed = matches!(problem.standing, Standing::Hidden | Standing::Suppressed);
    let suppressions = race.excuse().filter(|_| is_suppressed).map(|excuse| {
        json!({ "kind": "external", "status": "accepted", "justification": phrase::one_line(&excuse) })
    });
    result["suppressions"] = suppressions.into_iter().collect();
    result
}

fn level(problem: &Problem<'_>) -> &'static str {
    match problem.standing {
        Standing::Covered => "note",
        _ if problem.lead.is_likely_harmful() => "error",
        _ => "warning",
    }
}

/// Returns `new` or `unchanged` if that holds for all races of the group, and `updated` if they
/// differ. A group that the baseline set aside is `unchanged` even if it has new races, because
/// those are suppressed.
fn baseline_state(report: &Report, problem: &Problem<'_>) -> Option<&'static str> {
    report.baseline.as_ref()?;
    if problem.standing == Standing::Baselined {
        return Some("unchanged");
    }
    let is_new = |race: &RaceEntry| race.baseline.as_deref() == Some("new");
    let new = report.races_of(problem.group).filter(|race| is_new(race)).count();
    Some(match new {
        0 => "unchanged",
        n if n == problem.group.races.len() => "new",
        _ => "updated",
    })
}

/// Returns the accesses with their names in reports, the second first if `is_swapped`.
fn in_turn(race: &RaceEntry, is_swapped: bool) -> [(&'static str, &AccessEntry); 2] {
    let mut accesses = [("first", &race.first), ("second", &race.second)];
    if is_swapped {
        accesses.reverse();
    }
    accesses
}

fn message(race: &RaceEntry, is_swapped: bool, wording: Wording) -> String {
    let title = sarif_text(&phrase::title(race));
    let [(here, main), (there, other)] = in_turn(race, is_swapped);
    let [main, other] = [main, other].map(|access| sarif_text(&phrase::access(access, wording)));
    let mut out = format!(
        "{title}: the {here} access is a {main}; [the {there} access](1) is a {other}. {}",
        sarif_text(&phrase::one_line(&race.why))
    );
    for hint in &race.hints {
        let _ = write!(out, " {}", sarif_text(&phrase::one_line(&hint.message)));
    }
    out
}

fn hint(hint: &HintEntry) -> Value {
    json!({ "kind": printable(&hint.kind), "message": phrase::one_line(&hint.message) })
}

/// Returns the location of the other access, then those of the causes of both.
fn related_locations(main: &AccessEntry, other: &AccessEntry, wording: Wording) -> Vec<Value> {
    let mut locations = vec![access_location(other, wording)];
    let posts = [main, other].into_iter().filter_map(|access| access.causes.first());
    locations.extend(posts.map(|cause| cause_location(cause, wording)));
    for (i, location) in locations.iter_mut().enumerate() {
        location["id"] = json!(i + 1);
    }
    locations
}

/// Returns the thread flow of an access: the farthest known cause first, the access last.
fn thread_flow((which, access): (&str, &AccessEntry), wording: Wording) -> Value {
    let entry = |op: Option<u32>, location: Value, importance: &str| {
        let mut entry = json!({ "location": location, "importance": importance });
        if let Some(op) = op {
            entry["executionOrder"] = json!(op);
        }
        entry
    };
    let causes = access.causes.iter().rev();
    let mut locations: Vec<Value> =
        causes.map(|cause| entry(cause.op, cause_location(cause, wording), "important")).collect();
    locations.push(entry(Some(access.op), access_location(access, wording), "essential"));
    // Both accesses may run on one thread, but ids must be unique within a code flow.
    let id = format!("{which} access on {}", printable(&access.thread));
    json!({ "id": id, "locations": locations })
}

fn access_location(access: &AccessEntry, wording: Wording) -> Value {
    let function = access.stack.first().map(|frame| frame.function.as_str());
    location(access.source.as_ref(), function, &phrase::access(access, wording))
}

fn cause_location(cause: &CauseEntry, wording: Wording) -> Value {
    location(cause.source.as_ref(), cause.event.as_deref(), &phrase::cause_line(cause, wording))
}

fn location(source: Option<&SourceEntry>, inside: Option<&str>, message: &str) -> Value {
    let mut location = Map::new();
    if let Some(source) = source {
        let mut physical = json!({ "artifactLocation": { "uri": uri(&source.file) } });
        if source.line > 0 {
            physical["region"] = json!({ "startLine": source.line });
            if let Some(column) = source.column.filter(|&c| c > 0) {
                physical["region"]["startColumn"] = json!(column);
            }
        }
        location.insert("physicalLocation".to_owned(), physical);
    }
    if let Some(inside) = inside {
        let logical = json!([{ "fullyQualifiedName": printable(inside) }]);
        location.insert("logicalLocations".to_owned(), logical);
    }
    location.insert("message".to_owned(), json!({ "text": sarif_text(message) }));
    Value::Object(location)
}

fn taxon(label: &str) -> Option<Value> {
    let index = labels().position(|term| term.name == label)?;
    Some(json!({ "id": label, "index": index, "toolComponent": { "name": TAXONOMY, "index": 0 } }))
}
