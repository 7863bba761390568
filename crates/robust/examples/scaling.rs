//! Measures the time of the reduction and of brute force for a growing number of independent tasks.
//!
//! `cargo run --release -p robust --example scaling -- docs` writes `robustness-scaling.csv` and
//! `robustness-scaling.svg` into the folder.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use robust::{Criterion, Engine, Options, Verdict, check};
use testkit::plot::{Plot, Series};

/// The numbers of tasks for which the reduction is measured.
const TASKS: [u32; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 28, 40];

/// The number of states that brute force may visit.
const STATES: usize = 400_000;

struct Row {
    tasks: u32,
    reduction: f64,
    /// The time of brute force. None if it gave up.
    exploration: Option<f64>,
}

/// An event that writes two variables and posts `tasks` background tasks that read them.
fn program(tasks: u32) -> String {
    let posts = "    async[any] read();\n".repeat(tasks as usize);
    format!(
        "var x, y;\n\
         procedure e() {{\n    x := true;\n    y := true;\n{posts}}}\n\
         procedure read() {{\n    var seen;\n    seen := x;\n    seen := y;\n}}\n\
         driver {{ a: e; }}\n"
    )
}

/// Returns the milliseconds that proving determinism took, if it was proved.
fn measure(source: &str, engine: Engine) -> Option<f64> {
    let criteria = vec![Criterion::Determinism];
    let options = Options { criteria, engine, states: STATES, ..Options::default() };
    let start = Instant::now();
    let report = check("scaling.evp", source, &options).expect("the program is valid");
    let proved = matches!(report.verdicts[0].1, Verdict::Proved { .. });
    proved.then(|| start.elapsed().as_secs_f64() * 1000.0)
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let mut rows: Vec<Row> = Vec::new();
    for tasks in TASKS {
        let source = program(tasks);
        // The fastest of several runs, because the machine may have other work.
        let reduction = (0..9)
            .map(|_| measure(&source, Engine::Summaries).expect("the reduction decides it"))
            .fold(f64::INFINITY, f64::min);
        let gave_up = rows.last().is_some_and(|row| row.exploration.is_none());
        let exploration = if gave_up { None } else { measure(&source, Engine::Explore) };
        rows.push(Row { tasks, reduction, exploration });
    }
    let mut csv = String::from("tasks,reduction_ms,exploration_ms\n");
    for row in &rows {
        let exploration = row.exploration.map_or(String::new(), |ms| format!("{ms:.3}"));
        writeln!(csv, "{},{:.3},{exploration}", row.tasks, row.reduction).expect("a string");
    }
    std::fs::write(Path::new(&folder).join("robustness-scaling.csv"), csv)?;
    std::fs::write(Path::new(&folder).join("robustness-scaling.svg"), plot(&rows).svg())
}

/// Plots the rows with both axes logarithmic, so that a polynomial is a line.
fn plot(rows: &[Row]) -> Plot {
    let series = |name: &str, height: &dyn Fn(&Row) -> Option<f64>| Series {
        name: name.to_owned(),
        points: rows.iter().filter_map(|row| Some((f64::from(row.tasks), height(row)?))).collect(),
        reference: false,
    };
    Plot {
        title: "Robustness of independent tasks".to_owned(),
        x: "independent tasks".to_owned(),
        y: "milliseconds".to_owned(),
        series: vec![
            series("reduction", &|row| Some(row.reduction)),
            series("brute force", &|row| row.exploration),
        ],
    }
}
