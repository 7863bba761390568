//! Compares the results with every number and name that the original tool printed for the logs
//! beside the repository.

use std::fs;

use eventracer::compat::RaceState;
use eventracer::connectivity::ChainDecomposition;
use eventracer::harm::is_network_race;
use eventracer::ids::RaceId;
use eventracer::levels::{Level, Verdict};
use eventracer::stats::RaceStats;
use eventracer::tags::Tag;
use eventracer::undef::classify_reads;
use eventracer::{ActionLog, Analysis, LoggedArcs, Prepared, prepare, read};
use serde_json::{Map, Value, json};
use testkit::shared_data::shared_data;

type Compat<'a> = Analysis<'a, ChainDecomposition>;

/// The keys of an answer that describe how it was made, not what the tool printed.
const PROVENANCE: [&str; 2] = ["generator", "races_complete"];

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

fn log_counters(prepared: &Prepared, order: &ChainDecomposition, analysis: &Compat) -> Value {
    let counters = prepared.counters;
    let shapes = analysis.detection.shapes;
    let backward = prepared.log.arcs.iter().filter(|arc| arc.tail > arc.head).count();
    json!({
        "nodes": counters.nodes, "arcs": counters.arcs, "dropped": counters.dropped,
        "independent": counters.independent, "script_arcs": counters.script_arcs,
        "event_arcs": counters.target_arcs, "timed": counters.timed,
        "timer_arcs": counters.timer_arcs, "chains": order.chain_count(),
        "vars_ww": shapes.write_write, "vars_rw": shapes.read_write, "vars_wr": shapes.write_read,
        "top": analysis.coverage.tops.len(), "multi": analysis.coverage.multi_covered(),
        "backward_warnings": backward,
    })
}

fn counts(analysis: &Compat) -> Value {
    let (top, multi) = (analysis.coverage.tops.len(), analysis.coverage.multi_covered());
    json!({
        "races": analysis.detection.races.len(), "uncovered_single": top, "multi_covered": multi,
        "uncovered": top - multi, "racy_variables": analysis.count_from(Level::Covered),
        "uncovered_variables": analysis.count_from(Level::Tagged),
        "after_filters": analysis.count_from(Level::Normal),
        "high_risk": analysis.count_from(Level::HighRisk),
    })
}

fn var(analysis: &Compat, verdict: &Verdict) -> usize {
    analysis.table.var(verdict.cell).index()
}

fn rows(analysis: &Compat) -> Value {
    let row = |level: &Level| (level.number().to_string(), json!(analysis.count_from(*level)));
    Level::ALL.iter().map(row).collect::<Map<_, _>>().into()
}

fn order_of_cells(analysis: &Compat) -> Value {
    let list = |level: &Level| {
        let cells: Vec<usize> =
            analysis.verdicts_from(*level).map(|verdict| var(analysis, verdict)).collect();
        (level.number().to_string(), json!(cells))
    };
    Level::ALL[2..].iter().map(list).collect::<Map<_, _>>().into()
}

fn type_of(name: &[u8]) -> &'static str {
    let types: [(&[u8], &str); 3] =
        [(b"Tree[", "DOM Node"), (b"DOMNode[", "DOM Attribute"), (b"Array[", "JS Array")];
    let found = types.iter().find(|(prefix, _)| name.starts_with(prefix));
    found.map_or("JS Variable", |(_, name)| name)
}

fn variable(analysis: &Compat, verdict: &Verdict) -> Value {
    let name = analysis.prepared.log.var_name(analysis.table.var(verdict.cell));
    let ids = |keep: fn(&RaceState) -> bool| -> Vec<usize> {
        let kept = verdict.races.iter().filter(|race| keep(analysis.coverage.state(**race)));
        kept.map(|race| race.index()).collect()
    };
    let open = ids(|state| *state == RaceState::Uncovered);
    let covering = analysis.coverage.covering_cells(verdict.cell);
    let covering: Vec<usize> = covering.map(|cell| analysis.table.var(cell).index()).collect();
    json!({
        "id": var(analysis, verdict), "name": latin1(name), "type": type_of(name),
        "level": verdict.level.number(), "races": verdict.races.len(), "uncovered": open.len(),
        "tags": verdict.tags.iter().map(Tag::name).collect::<Vec<_>>(),
        "init": verdict.initialization, "net": verdict.network,
        "uncovered_ids": open, "covered_ids": ids(|state| *state != RaceState::Uncovered),
        "multi_ids": ids(|state| matches!(state, RaceState::MultiCovered(_))),
        "covered_by_vars": covering,
        "values": latin1(&analysis.values(verdict.cell).join(&b' ')),
    })
}

fn race(analysis: &Compat, id: usize) -> Value {
    let log = &analysis.prepared.log;
    let race = &analysis.detection.races[id];
    let mut value = json!({
        "id": id, "type": format!("{}-{}", race.kinds.0.name(), race.kinds.1.name()),
        "e1": log.number(race.first.op()), "e2": log.number(race.second.op()),
        "net": is_network_race(log, race),
    });
    match analysis.coverage.state(RaceId::new(id)) {
        RaceState::Uncovered => value["state"] = json!("uncovered"),
        RaceState::Covered(by) => {
            value["state"] = json!("covered");
            value["by"] = json!(by.index());
        }
        RaceState::MultiCovered(path) => {
            value["state"] = json!("multi");
            let cell = |by: &RaceId| analysis.detection.races[by.index()].cell;
            let cells = path.iter().map(|by| analysis.table.var(cell(by)).index());
            value["by_vars"] = cells.collect();
        }
    }
    value
}

fn undef(analysis: &mut Compat) -> Value {
    let cells: Vec<_> =
        analysis.verdicts_from(Level::Tagged).take(100).map(|verdict| verdict.cell).collect();
    let log = &analysis.prepared.log;
    let mut pages = Map::new();
    for cell in cells {
        let reads = classify_reads(&analysis.table, cell, analysis.order, &mut analysis.paths);
        let reads: Vec<Value> = reads
            .iter()
            .map(|(read, state)| json!([log.number(read.op()), state.name()]))
            .collect();
        pages.insert(analysis.table.var(cell).index().to_string(), json!(reads));
    }
    pages.into()
}

fn racestats(log: &ActionLog) -> Value {
    if !log.complete {
        return json!({"rejected": true});
    }
    let prepared = prepare(log.clone(), LoggedArcs::Needed);
    let order = ChainDecomposition::new(&prepared.graph);
    let analysis = Analysis::new(&prepared, &order);
    let stats = RaceStats::of(&analysis);
    let tagged = |tag: Tag| stats.tagged[tag as usize];
    let high_risk: Vec<String> = analysis
        .verdicts_from(Level::HighRisk)
        .map(|verdict| {
            let net = if verdict.network { "N" } else { "" };
            let init = if verdict.initialization { "I" } else { "" };
            let name = prepared.log.var_name(analysis.table.var(verdict.cell));
            format!("{net}{init}* {}", latin1(name))
        })
        .collect();
    json!({
        "numNodes": stats.nodes, "numArcs": stats.arcs, "numChains": order.chain_count(),
        "fastTrackVCs": stats.fast_track_clocks, "numRaces": stats.races, "NumVars": stats.cells,
        "NumRace": stats.racy, "Uncovr1": stats.uncovered, "Uncover": stats.uncovered,
        "SAME": tagged(Tag::WriteSameValue), "LOCL": tagged(Tag::OnlyLocalWrite),
        "EVNT": tagged(Tag::LateEventAttach) + tagged(Tag::NoEventAttached),
        "LAZY": tagged(Tag::MaybeLazyInit), "COOK": tagged(Tag::CookieOrClassname),
        "UNLD": tagged(Tag::RaceWithUnload), "Remain": stats.remaining,
        "InitU": stats.initialization, "InitR": stats.remaining_initialization,
        "Net_R": stats.remaining_network, "high_risk_lines": high_risk,
        "graph": {
            "nodes": prepared.counters.nodes, "needed": prepared.counters.logged,
            "input": prepared.counters.arcs,
        },
    })
}

/// Returns all results for a log, in the shape of an answer file.
fn answer(log: &ActionLog) -> Value {
    let prepared = prepare(log.clone(), LoggedArcs::All);
    let order = ChainDecomposition::new(&prepared.graph);
    let mut analysis = Analysis::new(&prepared, &order);
    let races = analysis.detection.races.len();
    json!({
        "info_locations": prepared.log.vars.count(), "info_nodes": prepared.counters.nodes - 1,
        "log": log_counters(&prepared, &order, &analysis), "counts": counts(&analysis),
        "rows": rows(&analysis), "order": order_of_cells(&analysis),
        "variables": analysis.verdicts.iter().map(|v| variable(&analysis, v)).collect::<Vec<_>>(),
        "races": (0..races).map(|id| race(&analysis, id)).collect::<Vec<_>>(),
        "undef": undef(&mut analysis), "racestats": racestats(log),
    })
}

/// Returns the differences between two values, each with the path to it.
fn differences(path: &str, ours: &Value, theirs: &Value, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            for key in ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key))) {
                let (a, b) = (ours.get(key), theirs.get(key));
                let path = format!("{path}.{key}");
                differences(&path, a.unwrap_or(&Value::Null), b.unwrap_or(&Value::Null), out);
            }
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
                differences(&format!("{path}[{i}]"), a, b, out);
            }
        }
        _ if ours != theirs => out.push(format!("{path}: ours {ours}, theirs {theirs}")),
        _ => {}
    }
}

fn compare(name: &str) {
    let Some(log) = shared_data(&format!("eventracer/{name}.log")) else { return };
    let Some(expected) = shared_data(&format!("eventracer/{name}.json")) else { return };
    let (log, _) = read(&fs::read(log).expect("a readable file")).expect("a whole log");
    let expected = fs::read(expected).expect("a readable file");
    let mut expected: Value = serde_json::from_slice(&expected).expect("valid JSON");
    for key in PROVENANCE {
        expected.as_object_mut().expect("an object").remove(key);
    }
    let mut found = Vec::new();
    differences(name, &answer(&log), &expected, &mut found);
    let shown = found.iter().take(20).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(found.is_empty(), "{} differences, such as\n{shown}", found.len());
}

#[test]
fn er_86_is_reproduced() {
    compare("er_86");
}

#[test]
fn small_basic_is_reproduced() {
    compare("01_small_basic");
}

#[test]
fn network_xhr_is_reproduced() {
    compare("04_network_xhr");
}
