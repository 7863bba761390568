//! Work on several threads.

use std::num::NonZero;
use std::thread::{self, ScopedJoinHandle};

/// How many threads the machine runs at once.
pub(crate) fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// What a thread comes to; if it panicked, so does the caller.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
