//! Measures the graph engine and the baselines on the same traces, and prints a table and plots.
//!
//! `bench PLOTS SECONDS GIGABYTES FILE…` closes happens-before of each native file, named
//! `MIX-SCALE.ilt`, by every algorithm. Each run has a process of its own, with limits on processor
//! time and memory. It prints a Markdown table. If SECONDS is 0, it runs only the graph engine.
//! `bench ALGORITHM FILE` is such a process. The time is the processor time of closing
//! happens-before, without reading the file; the memory is the peak of the process, which includes
//! reading.

#![allow(clippy::cast_precision_loss, reason = "shown with few digits")]

use std::fmt::Write;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use baselines::{
    Algorithm1, BitVectors, BreadthFirst, Clocks, Options, Relation, Skeleton, Sweeps,
};
use order::{ANDROID, Graph};
use trace::Trace;

const ALGORITHMS: [(&str, &str); 8] = [
    ("graph", "ours"),
    ("er", "EventRacer Android"),
    ("er-no-pruning", "EventRacer Android without pruning"),
    ("er-slow", "EventRacer Android without fast queries"),
    ("er-neither", "EventRacer Android with neither"),
    ("clocks", "plain vector clocks"),
    ("bits", "bit vectors"),
    ("bfs", "breadth-first search"),
];

/// The limit on the processor time of the graph engine, in seconds, and as a multiple of the limit
/// of the others.
const OURS_SECONDS: u32 = 120;
const OURS_LONGER: u32 = 8;

/// A measurement is the fastest of so many runs, or of as many as begin in so many seconds. Other
/// work on the machine may slow a run down, but cannot speed it up.
const RUNS: usize = 9;
const RUNS_SECONDS: f64 = 10.0;

/// The measurements of one process.
#[derive(Clone, Copy)]
struct Measured {
    seconds: f64,
    megabytes: f64,
    nodes: usize,
    chains: Option<usize>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [algorithm, file] => measure(algorithm, file),
        [plots, seconds, gigabytes, files @ ..] if !files.is_empty() => {
            let seconds = seconds.parse().expect("seconds are a number");
            compare(Path::new(plots), seconds, gigabytes, files);
        }
        _ => {
            eprintln!("usage: bench PLOTS SECONDS GIGABYTES FILE…, or bench ALGORITHM FILE");
            std::process::exit(2);
        }
    }
}

fn measure(algorithm: &str, file: &str) {
    let source = File::open(file).expect("the file was made");
    let trace = codec::native::read_skeleton(source).expect("a native file").trace;
    let started = processor_seconds();
    let (nodes, chains) = close(algorithm, &trace);
    let seconds = processor_seconds() - started;
    let chains = chains.map_or(String::new(), |chains| chains.to_string());
    println!("{seconds} {} {nodes} {chains}", peak_megabytes());
}

fn close(algorithm: &str, trace: &Trace) -> (usize, Option<usize>) {
    if algorithm == "graph" {
        let graph = black_box(Graph::new(trace, &ANDROID.default_rules()));
        return (graph.stats().nodes, Some(graph.stats().chains));
    }
    let skeleton = Skeleton::new(trace);
    let algorithm1 = |pruning, fast_queries| {
        black_box(Algorithm1::new(&skeleton, Options { pruning, fast_queries })).chains()
    };
    let chains = match algorithm {
        "er" => algorithm1(true, true),
        "er-no-pruning" => algorithm1(false, true),
        "er-slow" => algorithm1(true, false),
        "er-neither" => algorithm1(false, false),
        "clocks" => swept::<Clocks>(&skeleton),
        "bits" => swept::<BitVectors>(&skeleton),
        "bfs" => swept::<BreadthFirst>(&skeleton),
        other => panic!("no algorithm is called {other}"),
    };
    (skeleton.len(), chains)
}

fn swept<R: Relation>(skeleton: &Skeleton) -> Option<usize> {
    black_box(Sweeps::<R>::new(skeleton)).chains()
}

/// The processor time of this thread so far, which other work on the machine does not change.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let first = stat.split(' ').next().and_then(|word| word.parse::<u64>().ok());
    first.expect("the first is a number") as f64 / 1e9
}

/// The peak memory of this process.
fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux reports VmHWM");
    let kilobytes = peak.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    kilobytes.expect("the first is a number") / 1024.0
}

/// Returns the fastest of some runs. None if the first run reached a limit.
fn fastest(algorithm: &str, file: &str, seconds: u32, gigabytes: &str) -> Option<Measured> {
    let mut best = run(algorithm, file, seconds, gigabytes)?;
    let mut passed = best.seconds;
    for _ in 1..RUNS {
        if passed > RUNS_SECONDS {
            break;
        }
        let Some(again) = run(algorithm, file, seconds, gigabytes) else { break };
        passed += again.seconds;
        best.seconds = best.seconds.min(again.seconds);
    }
    Some(best)
}

/// Runs one algorithm on one file. None if it reached a limit.
fn run(algorithm: &str, file: &str, seconds: u32, gigabytes: &str) -> Option<Measured> {
    let program = std::env::current_exe().expect("the program has a path");
    let limits = "ulimit -t \"$1\"; ulimit -v $(($2 * 1048576)); shift 2; exec \"$@\"";
    // starts: own
    let output = Command::new("sh")
        .args(["-c", limits, "sh", &seconds.to_string(), gigabytes])
        .arg(program)
        .args([algorithm, file])
        .output()
        .expect("a shell");
    let text = String::from_utf8(output.stdout).ok().filter(|_| output.status.success())?;
    let mut words = text.split_whitespace();
    Some(Measured {
        seconds: words.next()?.parse().ok()?,
        megabytes: words.next()?.parse().ok()?,
        nodes: words.next()?.parse().ok()?,
        chains: words.next().and_then(|word| word.parse().ok()),
    })
}

/// The mix of a file, which its name starts with.
fn mix(file: &str) -> &str {
    let stem = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file);
    stem.rsplit_once('-').map_or(stem, |(mix, _)| mix)
}

fn compare(plots: &Path, seconds: u32, gigabytes: &str, files: &[String]) {
    let ours_seconds = OURS_SECONDS.max(OURS_LONGER * seconds);
    println!(
        "Limits: {seconds} s, ours {ours_seconds} s, {gigabytes} GB; `–` is a limit reached.\n"
    );
    println!("| mix | nodes | algorithm | CPU s | × ours | growth | peak MB | × ours | chains |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut mixes: Vec<&str> = files.iter().map(|file| mix(file)).collect();
    mixes.dedup();
    fs::create_dir_all(plots).expect("a folder for the plots");
    for name in mixes {
        let mut series: Vec<Vec<Measured>> = vec![Vec::new(); ALGORITHMS.len()];
        // An algorithm that reached a limit is not run on a longer trace.
        let mut out = [false; ALGORITHMS.len()];
        for file in files.iter().filter(|file| mix(file) == name) {
            let mut ours: Option<Measured> = None;
            for (i, (algorithm, label)) in ALGORITHMS.iter().enumerate() {
                // The graph engine has a higher limit, so that it reaches the longest traces.
                let limit = if i == 0 { ours_seconds } else { seconds };
                if limit == 0 {
                    continue;
                }
                let done = if out[i] { None } else { fastest(algorithm, file, limit, gigabytes) };
                out[i] = done.is_none();
                ours = ours.or(done);
                row((name, label), ours, done, series[i].last());
                series[i].extend(done);
            }
        }
        let svg = |of: fn(&Measured) -> f64, unit| plot(&series, of, unit);
        let write = |what, text| fs::write(plots.join(format!("{name}-{what}.svg")), text);
        write("time", svg(|m| m.seconds, "s")).expect("a writable folder");
        write("memory", svg(|m| m.megabytes, "MB")).expect("a writable folder");
    }
}

fn row(
    (mix, label): (&str, &str),
    ours: Option<Measured>,
    done: Option<Measured>,
    half: Option<&Measured>,
) {
    let nodes = done.or(ours).map_or(0, |m| m.nodes);
    let (Some(done), Some(ours)) = (done, ours) else {
        return println!("| {mix} | {nodes} | {label} | – | – | – | – | – | – |");
    };
    let growth = half.map_or("–".into(), |half| format!("{:.2}", done.seconds / half.seconds));
    println!(
        "| {mix} | {nodes} | {label} | {:.3} | {:.1} | {growth} | {:.0} | {:.1} | {} |",
        done.seconds,
        done.seconds / ours.seconds,
        done.megabytes,
        done.megabytes / ours.megabytes,
        done.chains.map_or("–".into(), |chains| chains.to_string()),
    );
}

const COLOURS: [&str; ALGORITHMS.len()] =
    ["#1f6f8b", "#c0392b", "#e67e22", "#8e44ad", "#7f8c8d", "#27ae60", "#2c3e50", "#d4ac0d"];

/// Plots series with both axes logarithmic, so that a polynomial is a line.
fn plot(series: &[Vec<Measured>], of: fn(&Measured) -> f64, unit: &str) -> String {
    let all = || series.iter().flatten();
    let decades = |values: &mut dyn Iterator<Item = f64>| {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values {
            (low, high) = (low.min(value.log10().floor()), high.max(value.log10().ceil()));
        }
        (low, high.max(low + 1.0))
    };
    let (left, right) = decades(&mut all().map(|m| m.nodes as f64));
    let (low, high) = decades(&mut all().map(|m| of(m).max(1e-4)));
    let x = |nodes: f64| 70.0 + 330.0 * (nodes.log10() - left) / (right - left);
    let y = |value: f64| 250.0 - 220.0 * (value.max(1e-4).log10() - low) / (high - low);
    let mut out = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 660 290\" \
         font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"660\" height=\"290\" fill=\"white\"/>\n",
    );
    for power in low as i32..=high as i32 {
        let (at, value) = (y(10f64.powi(power)), 10f64.powi(power));
        let _ = writeln!(
            out,
            "<path d=\"M70 {at:.1} H400\" stroke=\"#ddd\"/>\
             <text x=\"64\" y=\"{:.1}\" text-anchor=\"end\">{value} {unit}</text>",
            at + 4.0
        );
    }
    for power in left as i32..=right as i32 {
        let value = 10f64.powi(power);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"266\" text-anchor=\"middle\">{value}</text>",
            x(value)
        );
    }
    for (i, line) in series.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let point = |m: &Measured| format!("{:.1},{:.1}", x(m.nodes as f64), y(of(m)));
        let points = line.iter().map(point).collect::<Vec<_>>().join(" ");
        let (colour, label) = (COLOURS[i], ALGORITHMS[i].1);
        let _ = writeln!(
            out,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\
             <text x=\"415\" y=\"{}\" fill=\"{colour}\">{label}</text>",
            40 + 18 * i
        );
    }
    out.push_str("<text x=\"235\" y=\"284\" text-anchor=\"middle\">nodes</text>\n</svg>\n");
    out
}
