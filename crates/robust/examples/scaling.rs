//! Time against the number of independent tasks: the reduction and brute force.
//!
//! `cargo run --release -p robust --example scaling -- docs` writes `robustness-scaling.csv` and
//! `robustness-scaling.svg` into the folder.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use robust::{Criterion, Engine, Options, Verdict, check};

/// Tasks the reduction is measured on.
const TASKS: [u32; 12] = [1, 2, 3, 4, 5, 6, 8, 10, 14, 20, 28, 40];

/// States brute force may visit.
const STATES: usize = 400_000;

struct Row {
    tasks: u32,
    reduction: f64,
    /// Absent where brute force gave up.
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

/// Milliseconds to prove determinism, if it was proved.
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
        // The best of several: the machine may be doing other things.
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
    std::fs::write(Path::new(&folder).join("robustness-scaling.svg"), svg(&rows))
}

/// Both axes logarithmic, so that a polynomial is a line.
fn svg(rows: &[Row]) -> String {
    let x = |tasks: u32| 60.0 + 330.0 * f64::from(tasks).log2() / 40f64.log2();
    let y = |ms: f64| 240.0 - 40.0 * (ms.max(0.01).log10() + 2.0);
    let points = |series: &dyn Fn(&Row) -> Option<f64>| {
        let all = rows.iter().filter_map(|row| Some((row.tasks, series(row)?)));
        all.map(|(tasks, ms)| format!("{:.1},{:.1}", x(tasks), y(ms))).collect::<Vec<_>>().join(" ")
    };
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 460 290\" \
         font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"460\" height=\"290\" fill=\"white\"/>\n",
    );
    for power in -2..=3 {
        let at = y(10f64.powi(power));
        writeln!(
            out,
            "<path d=\"M60 {at} H400\" stroke=\"#ddd\"/>\
             <text x=\"54\" y=\"{:.1}\" text-anchor=\"end\">{} ms</text>",
            at + 4.0,
            10f64.powi(power)
        )
        .expect("writing to a string");
    }
    for tasks in [1, 2, 5, 10, 20, 40] {
        writeln!(
            out,
            "<text x=\"{:.1}\" y=\"258\" text-anchor=\"middle\">{tasks}</text>",
            x(tasks)
        )
        .expect("writing to a string");
    }
    let series: [(&str, &str, String); 2] = [
        ("reduction", "#1f6f8b", points(&|row| Some(row.reduction))),
        ("brute force", "#c0392b", points(&|row| row.exploration)),
    ];
    for (index, (name, colour, line)) in series.iter().enumerate() {
        writeln!(
            out,
            "<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"20\" fill=\"{colour}\">{name}</text>",
            70 + 100 * index
        )
        .expect("writing to a string");
    }
    out.push_str(
        "<text x=\"225\" y=\"280\" text-anchor=\"middle\">independent tasks</text>\n</svg>\n",
    );
    out
}
