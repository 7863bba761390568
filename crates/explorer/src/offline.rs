//! The explorer as one file: the page, and the answers that it would ask a server for.
//!
//! The markup is the static report, which is there without scripts and until the page has started. The answers are
//! compressed and encoded as base64, so that no text of a trace can end the element that holds them. The content
//! security policy names the page's own script and styles by their hashes, and allows nothing else.
//!
//! The file holds the views of the first groups with some races each, the index of all groups, all events in columns,
//! and the steps of the order, from which the page answers how any two operations are ordered. What is left out is
//! said, with the command that shows it. The same run gives the same bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use order::{Closure, Order};
use report::html::{self, Application};
use serde::Serialize;
use trace::{Id, Trace};

use crate::api::{self, Answer};
use crate::columns::Columns;
use crate::server::{SCRIPT, STYLE};
use crate::session::{Analysed, Run, Session};
use crate::views::{locations, operations};

/// The groups of the static report.
const STATIC: usize = 50;

/// The largest number of groups whose races are in the file, and of races of each.
const GROUPS: usize = 500;
const RACES: usize = 20;

/// The work that the views of races may take: their number times the size of the trace.
const WORK: usize = 2_000_000_000;

/// The largest number of events whose own views are in the file, if they have no race.
const EVENTS: usize = 2000;

/// The largest number of locations, and of operations, that are listed.
const LOCATIONS: usize = 20_000;
const OPERATIONS: usize = 10_000;

/// The largest size of all pictures in bytes.
const PICTURES: usize = 80 << 10;

/// The largest number of questions about the order that computing its steps may take.
const QUESTIONS: usize = 30_000_000;

/// The largest number of operations of a trace whose order is written as a matrix, where it has no steps.
const MATRIX: usize = 3000;

/// The content security policy, with the hashes of the page's own script and styles.
const POLICY: &str = include_str!("../web/dist/policy.txt");

/// What the page needs to know about the file.
#[derive(Serialize)]
struct About {
    /// What is left out, in sentences.
    left_out: Vec<String>,
    /// Where each answer is: its offset and length.
    answers: BTreeMap<String, (usize, usize)>,
}

/// The answers of the file.
#[derive(Default)]
struct Answers {
    places: BTreeMap<String, (usize, usize)>,
    bytes: Vec<u8>,
    left_out: Vec<String>,
}

impl Answers {
    fn add(&mut self, key: String, body: &[u8]) {
        self.places.insert(key, (self.bytes.len(), body.len()));
        self.bytes.extend(body);
        // A page reads columns of numbers in place.
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
    }

    fn add_view(&mut self, key: &str, view: &impl Serialize) {
        self.add(key.to_owned(), &serde_json::to_vec(view).expect("views can be serialised"));
    }

    /// Adds the answer to a request, unless it is an error.
    fn ask(&mut self, session: &Session, path: &str, query: &str) {
        let Answer { status, body, .. } = api::answer(session, path, query);
        let key = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        if status == 200 && !self.places.contains_key(&key) {
            self.add(key, &body);
        }
    }

    /// Returns the length of the header, the header, padding, and the answers.
    fn finish(self) -> Vec<u8> {
        let about = About { left_out: self.left_out, answers: self.places };
        let mut header = serde_json::to_vec(&about).expect("a map of numbers");
        header.resize((header.len() + 8).next_multiple_of(8) - 8, b' ');
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        out.extend(header);
        out.extend(self.bytes);
        out
    }
}

/// Writes the only run of a session as one HTML file.
pub fn write(session: &Session, out: &mut dyn Write) -> io::Result<()> {
    let run = session.run(0).map_err(io::Error::other)?;
    let data = data(session, &run);
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&data, 6);
    let data = BASE64_STANDARD.encode(packed);
    let (policy, style) = (POLICY.trim_end(), STYLE);
    let application = Application { policy, groups: STATIC, style, script: SCRIPT, data: &data };
    out.write_all(html::render(&run.report, Some(&application)).as_bytes())
}

fn data(session: &Session, run: &Run) -> Vec<u8> {
    let mut answers = Answers::default();
    for view in ["runs", "0", "0/groups", "0/statistics", "0/events"] {
        answers.ask(session, view, "");
    }
    let shown = races(&mut answers, session, run);
    topics(&mut answers, session, run);
    pictures(&mut answers, session, run, &shown);
    if let Some(analysed) = run.analysed() {
        of_trace(&mut answers, session, run, analysed, &shown);
    }
    answers.finish()
}

/// Returns about how much work the view of a race is: a search near its accesses. DroidRacer's order has no clocks, so
/// that explaining it compares pairs of operations.
fn work(run: &Analysed) -> usize {
    let operations = run.trace().len();
    let has_clocks = run.model().closure != Closure::DroidRacer;
    if has_clocks { operations / 10 + 20_000 } else { 2 * operations.saturating_pow(2) + 20_000 }
}

/// Adds the views of races. Returns the ids of those races.
fn races(answers: &mut Answers, session: &Session, run: &Run) -> Vec<u32> {
    let most = (WORK / run.analysed().map_or(1, work)).max(10);
    let problems = run.report.problems();
    let mut shown: Vec<u32> = Vec::new();
    // Every group has its first race before any has its second.
    'all: for nth in 0..RACES {
        for problem in problems.iter().take(GROUPS) {
            let lead = (nth == 0).then_some(problem.lead);
            let race = lead.or_else(|| {
                let others = run.report.races_of(problem.group);
                others.filter(|race| race.id != problem.lead.id).nth(nth - 1)
            });
            let Some(race) = race else { continue };
            if shown.len() == most {
                break 'all;
            }
            let query = format!("fingerprint={}&n={}", race.fingerprint, run.nth(race));
            answers.ask(session, "0/races", &query);
            if nth == 0 {
                let query = format!("race={}&keys=fingerprint", race.id);
                answers.ask(session, "0/suppression", &query);
            }
            shown.push(race.id);
        }
    }
    let all = run.report.races.len();
    if shown.len() < all {
        answers.left_out.push(format!("{} of {all} races are in this file.", shown.len()));
    }
    shown.sort_unstable();
    shown
}

/// Adds the pictures around the accesses of the races in the file: the last one before the first access, and the
/// first one after the second. Those of races that are read first come first, as long as there is room.
fn pictures(answers: &mut Answers, session: &Session, run: &Run, shown: &[u32]) {
    let all = run.pictures();
    let mut room = PICTURES;
    let mut kept = 0;
    let mut races: Vec<_> = shown.iter().filter_map(|&id| run.with_id(id)).collect();
    races.sort_by_key(|race| (race.standing(), race.rank));
    for race in races {
        let (first, second) = (u64::from(race.first.op), u64::from(race.second.op));
        let before = all.partition_point(|picture| picture.operation <= first).checked_sub(1);
        let after = all.partition_point(|picture| picture.operation <= second);
        for picture in before.into_iter().chain([after]).filter_map(|at| all.get(at)) {
            let path = format!("0/pictures/{}", picture.operation);
            if picture.bytes.len() <= room && !answers.places.contains_key(&path) {
                room -= picture.bytes.len();
                kept += 1;
                answers.ask(session, &path, "");
            }
        }
    }
    if kept < all.len() {
        let (some, all) = (kept, all.len());
        answers.left_out.push(format!("{some} of {all} pictures of the page are in this file."));
    }
}

/// Adds the pages of the rules, labels and hints that views mention.
fn topics(answers: &mut Answers, session: &Session, run: &Run) {
    let mut names: BTreeSet<&str> = run.report.rules.iter().map(|rule| &**rule).collect();
    for race in &run.report.races {
        names.insert(&race.class);
        names.extend(race.labels.iter().map(|label| &**label));
        names.extend(race.hints.iter().map(|hint| &*hint.kind));
    }
    for name in names {
        answers.ask(session, &format!("explain/{name}"), "");
    }
}

fn of_trace(
    answers: &mut Answers,
    session: &Session,
    run: &Run,
    analysed: &Analysed,
    shown: &[u32],
) {
    let trace = analysed.trace();
    let is_shown = |id: &u32| shown.binary_search(id).is_ok();
    let races: Vec<_> = run.report.races.iter().filter(|race| is_shown(&race.id)).collect();
    let ops = races.iter().flat_map(|race| [race.first.op, race.second.op]);
    let ops: Vec<_> = ops.filter_map(|number| trace.numbered(number)).collect();
    let events: BTreeSet<_> = if trace.events().len() <= EVENTS {
        trace.events().map(|(id, _)| id.index()).collect()
    } else {
        ops.iter().filter_map(|&op| trace.event_of(op)).map(Id::index).take(EVENTS).collect()
    };
    for event in events {
        answers.ask(session, &format!("0/events/{event}"), "");
    }
    let mut list = locations::list(&run.report, analysed);
    if list.len() > LOCATIONS {
        answers.left_out.push(format!("{LOCATIONS} of {} locations are listed.", list.len()));
        list.truncate(LOCATIONS);
    }
    answers.add_view("0/locations", &list);
    let accessed: BTreeSet<_> = ops
        .iter()
        .filter_map(|&op| trace.op(op).access())
        .map(|(location, _)| location.0)
        .collect();
    for location in accessed {
        answers.ask(session, &format!("0/locations/{location}/accesses"), "");
    }
    let rows = if trace.len() <= OPERATIONS {
        operations::list(trace, 0, u32::MAX, OPERATIONS)
    } else {
        around(trace, &races.iter().flat_map(|race| [race.first.op, race.second.op]).collect())
    };
    if rows.len() < trace.len() {
        let (some, all) = (rows.len(), trace.end());
        answers.left_out.push(format!("{some} of {all} operations are listed."));
    }
    answers.add_view("0/operations", &rows);
    match analysed.closed_order().and_then(|order| order_table(&order, analysed)) {
        Some(table) => answers.add("0/order".to_owned(), &table),
        None => answers.left_out.push("The order of operations is not in this file.".to_owned()),
    }
}

/// Returns the operations around some, given by number.
fn around(trace: &Trace, numbers: &BTreeSet<u32>) -> Vec<operations::Operation> {
    const AROUND: u32 = 30;
    let mut rows: BTreeMap<u32, operations::Operation> = BTreeMap::new();
    for &number in numbers {
        if rows.len() >= OPERATIONS {
            break;
        }
        let (from, to) = (number.saturating_sub(AROUND), number.saturating_add(AROUND));
        for row in operations::list(trace, from, to, 2 * AROUND as usize) {
            rows.insert(row.op, row);
        }
    }
    rows.into_values().collect()
}

/// Returns the order in columns: its steps, or a matrix if it has none and is small.
fn order_table(order: &Order<'_>, run: &Analysed) -> Option<Vec<u8>> {
    use order::HappensBefore;
    let trace = run.trace();
    let mut table = Columns::default();
    let mut at = u32::MAX;
    let begins = trace.ops().map(|op| {
        let event = trace.event_of(op).map_or(u32::MAX, |event| event.0);
        (trace.number(op), event)
    });
    let runs: Vec<(u32, u32)> = begins
        .enumerate()
        .filter(|&(i, (_, event))| i == 0 || std::mem::replace(&mut at, event) != event)
        .map(|(_, run)| run)
        .collect();
    match order.steps(QUESTIONS) {
        Some(steps) => {
            let mut names: Vec<(&str, bool)> = Vec::new();
            let mut number = |name: &'static str, is_program_order| {
                let at = names.iter().position(|&(other, _)| other == name);
                at.unwrap_or_else(|| {
                    names.push((name, is_program_order));
                    names.len() - 1
                }) as u32
            };
            let rules =
                steps.steps.iter().map(|(.., rule)| number(rule.name, rule.is_program_order()));
            let rules: Vec<u32> = rules.collect();
            table.field("of_events", steps.of_events);
            table.field("within_events", steps.within_events);
            table.field("rules", &names);
            table.steps("from", steps.steps.iter().map(|&(from, ..)| from));
            table.steps("to", steps.steps.iter().map(|&(_, to, _)| to));
            table.u32s("rule", rules.into_iter());
        }
        None if trace.len() <= MATRIX => {
            let n = trace.len();
            let bit = |place: usize| {
                let (a, b) = (trace::OpId::new(place / n), trace::OpId::new(place % n));
                place < n * n && order.before(a, b)
            };
            let words = (0..(n * n).div_ceil(32)).map(|word| {
                (0..32).filter(|i| bit(word * 32 + i)).fold(0u32, |word, i| word | 1 << i)
            });
            table.u32s("matrix", words);
        }
        None => return None,
    }
    table.field("operations", trace.len());
    if trace.is_excerpt() {
        table.steps("number", trace.ops().map(|op| trace.number(op)));
    }
    table.steps("run", runs.iter().map(|&(op, _)| op));
    table.steps("event", runs.iter().map(|&(_, event)| event));
    let model = run.model();
    let nouns = trace.events().map(|(id, _)| report::describe::event(trace, model, id));
    let few = trace.events().len() <= 10 * EVENTS;
    table.field("nouns", if few { nouns.collect::<Vec<_>>() } else { Vec::new() });
    let threads = trace.names().threads.ids();
    let threads = threads.map(|thread| report::name::text(trace.names().threads.get(thread)));
    table.field("threads", threads.collect::<Vec<_>>());
    Some(table.finish())
}
