//! Functions for work on several threads.

use std::num::NonZero;
use std::thread::{self, ScopedJoinHandle};

/// Returns how many threads the machine runs at once.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Joins a worker thread and returns its result. Resumes the worker's panic in the caller.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
