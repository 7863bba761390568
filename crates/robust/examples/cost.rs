//! Measures the processor time of checking both criteria on programs of the paper's shape. It
//! prints one line for each program, then a table with the median and the maximum for each size.
//! `cost [SEEDS]` uses 10 seeds by default.

use robust::{Options, Verdict, check};
use testkit::evp::{Sharing, paper_shape};

/// The sizes of programs: events, tasks, accesses, Boolean variables.
const SIZES: [(usize, usize, usize, usize); 4] =
    [(1, 4, 130, 12), (2, 4, 130, 12), (3, 6, 200, 12), (6, 12, 400, 12)];

fn main() {
    let seeds: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10);
    let mut rows = Vec::new();
    for size in SIZES {
        for sharing in [Sharing::Everything, Sharing::Handlers, Sharing::Nothing] {
            let seconds = (0..seeds).map(|seed| one(seed, sharing, size)).collect();
            rows.push(row(sharing, size, seconds));
        }
    }
    println!("\n| events, tasks, accesses, variables | shared | median s | largest s |");
    println!("|---|---|---|---|\n{}", rows.join("\n"));
    println!("\nlargest resident set of the whole run: {}", peak().unwrap_or_default());
}

/// Checks one program, prints the verdicts, and returns the processor time in seconds.
fn one(seed: u64, sharing: Sharing, size: (usize, usize, usize, usize)) -> f64 {
    let source = paper_shape(&mut fastrand::Rng::with_seed(seed), sharing, size);
    let start = processor_seconds();
    let report = check("generated", &source, &Options::default()).expect("it is valid");
    let seconds = processor_seconds() - start;
    print!("{size:?} {sharing:?}, seed {seed}: {seconds:.2} s");
    for (criterion, verdict) in &report.verdicts {
        let verdict = match verdict {
            Verdict::Proved { by } => format!("proved {by}"),
            Verdict::Violated(_) => "violated".into(),
            Verdict::Unknown { reason } => format!("unknown, {reason}"),
            Verdict::Unchecked => "unchecked".into(),
        };
        print!("; {} {verdict}", criterion.name());
    }
    println!();
    seconds
}

fn row(sharing: Sharing, size: (usize, usize, usize, usize), mut seconds: Vec<f64>) -> String {
    seconds.sort_by(f64::total_cmp);
    let (events, tasks, accesses, variables) = size;
    let (median, largest) = (seconds[seconds.len() / 2], seconds[seconds.len() - 1]);
    let shared = format!("{sharing:?}").to_lowercase();
    format!(
        "| {events}, {tasks}, {accesses}, {variables} | {shared} | {median:.2} | {largest:.2} |"
    )
}

/// The processor time of this process, which has one thread, as Linux reports it.
fn processor_seconds() -> f64 {
    let statistics = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = statistics.split_whitespace().next().and_then(|word| word.parse().ok());
    first.unwrap_or(0.0) / 1e9
}

/// The largest resident set of this process, as Linux reports it.
fn peak() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(line.split_whitespace().skip(1).collect::<Vec<_>>().join(" "))
}
