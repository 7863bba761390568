//! Measures how the time for the order and for the coverage grows when the trace doubles.
//!
//! `cargo run --release -p races --example growth -- [EVENTS [DOUBLINGS [PLOT.svg]]]`
//!
//! Times are processor time, the shortest of three runs. The plot compares the coverage with linear
//! growth and with the growth of events times candidates, the smaller term of the paper's
//! algorithm.
//!
//! The traces are synthetic. Chains of events are long-lived, like those of timers and request
//! handlers; they fork and sometimes join. A twentieth of the accesses are to shared cells.

use std::time::Duration;

use races::coverage::{Candidate, ChainClocks, Covered, NodeId, cover};
use testkit::plot::{Plot, Series};

/// A multiplicative congruential generator, which yields the same traces on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

fn predecessors(events: usize, random: &mut Random) -> Vec<Vec<NodeId>> {
    // The last event of each live chain. A fork may take the place of a chain, which then ends.
    let mut ends: Vec<usize> = vec![0];
    let mut lists = vec![Vec::new()];
    for event in 1..events {
        let at = random.below(ends.len());
        let mut list = vec![NodeId::new(ends[at])];
        match random.below(100) {
            // A fork: the forked chain continues, or is dropped once there are many chains.
            0..30 if ends.len() < 64 => ends.push(event),
            0..3 => ends[random.below(64)] = event,
            3..12 => {
                let other = ends[random.below(ends.len())];
                if other != list[0].index() {
                    list.push(NodeId::new(other));
                }
                ends[at] = event;
            }
            _ => ends[at] = event,
        }
        lists.push(list);
    }
    lists
}

/// Returns the races between each access and the previous access of its cell. The number of cells
/// grows with the trace, as in real traces.
fn candidates(order: &ChainClocks, random: &mut Random) -> Vec<Candidate> {
    let mut last: Vec<Option<NodeId>> = vec![None; order.len() / 16 + 16];
    let mut candidates = Vec::new();
    for second in (0..order.len()).map(NodeId::new) {
        // Most accesses are to cells of the event's own chain, which cannot race.
        for access in 0..4 {
            if random.below(20) != 0 {
                continue;
            }
            let cell = random.below(last.len());
            let position = second.index() as u64 * 4 + access;
            if let Some(first) = last[cell].replace(second)
                && !order.le(first, second)
            {
                candidates.push(Candidate { first, second, position, may_cover: true });
            }
        }
    }
    candidates
}

/// Returns the processor time of this thread, as Linux counts it. Other work on the machine affects
/// it less than the elapsed time.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = stat.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("the first word is a number"))
}

/// How many times each measurement is repeated.
const TURNS: usize = 3;

/// Runs `run` repeatedly and returns its result with the shortest time.
fn timed<T>(mut run: impl FnMut() -> T) -> (T, Duration) {
    let mut turn = || {
        let start = processor_time();
        let result = run();
        (result, processor_time().saturating_sub(start))
    };
    let (result, mut shortest) = turn();
    for _ in 1..TURNS {
        shortest = shortest.min(turn().1);
    }
    (result, shortest)
}

/// The measurements for one trace length.
struct Row {
    events: f64,
    candidates: f64,
    order: Duration,
    coverage: Duration,
}

#[allow(clippy::cast_precision_loss, reason = "a plot is not that precise")]
fn measure(events: usize) -> Row {
    let mut random = Random(42);
    let mut lists = vec![predecessors(events, &mut random); TURNS];
    let (order, building) =
        timed(|| ChainClocks::of_predecessors(lists.pop().expect("as many as turns")));
    let candidates = candidates(&order, &mut random);
    let (coverage, covering) = timed(|| cover(&order, &candidates));
    let open = |state: &&Covered| **state == Covered::Uncovered;
    let uncovered = coverage.states().iter().filter(open).count();
    println!(
        "{events:>9} {:>7} {building:>11.1?} {:>4} {:>10} {covering:>11.1?} {uncovered:>9}",
        order.chain_count(),
        order.bytes() >> 20,
        candidates.len(),
    );
    let (events, candidates) = (events as f64, candidates.len() as f64);
    Row { events, candidates, order: building, coverage: covering }
}

fn plot(rows: &[Row]) -> Plot {
    let first = &rows[0];
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let series = |name: &str, reference, height: &dyn Fn(&Row) -> f64| Series {
        name: name.to_owned(),
        points: rows.iter().map(|row| (row.events, height(row))).collect(),
        reference,
    };
    let start = milliseconds(first.coverage);
    let product = first.events * first.candidates;
    Plot {
        title: "Race coverage by the definition".to_owned(),
        x: "events".to_owned(),
        y: "milliseconds".to_owned(),
        series: vec![
            series("coverage", false, &|row| milliseconds(row.coverage)),
            series("order", false, &|row| milliseconds(row.order)),
            series("linear", true, &|row| start * row.events / first.events),
            series("events × candidates", true, &|row| {
                start * row.events * row.candidates / product
            }),
        ],
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default| {
        arguments.get(at).map_or(default, |text| text.parse().expect("a number"))
    };
    let (first, doublings) = (number(0, 20_000), number(1, 5));
    println!("   events  chains       order   MB candidates    coverage uncovered");
    let rows: Vec<Row> = (0..doublings).map(|doubling| measure(first << doubling)).collect();
    if let Some(path) = arguments.get(2) {
        std::fs::write(path, plot(&rows).svg()).expect("the plot is writable");
    }
}
