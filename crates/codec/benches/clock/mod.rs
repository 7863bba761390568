//! Processor time, which other work on the machine does not change.

use std::hint::black_box;
use std::time::Duration;

/// What the calling thread has run so far, as Linux counts it.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = stat.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanoseconds.expect("the first word is a number"))
}

/// The processor time of `work`, median of `turns`.
pub(crate) fn median<R>(turns: usize, work: impl Fn() -> R) -> Duration {
    let mut times: Vec<Duration> = (0..turns)
        .map(|_| {
            let start = processor_time();
            black_box(work());
            processor_time().saturating_sub(start)
        })
        .collect();
    times.sort();
    times[turns / 2]
}

/// Millions of `count` a second.
#[allow(clippy::cast_precision_loss, reason = "a rate is shown with one decimal")]
pub(crate) fn rate(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64() / 1e6
}
