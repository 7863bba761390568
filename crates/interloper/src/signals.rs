//! Handles SIGINT, SIGTERM and SIGHUP: which of them end the process, and what is removed before.
//!
//! While a [`Stop`] exists, the first signal only sets it, and the current work ends in its own
//! time. Any other signal ends the process as it would by default, so that the caller sees which
//! signal it was. Everything registered by [`guarded`] is cleaned up first.
//!
//! Signals are handled on a separate thread, so a cleanup may lock, wait and access files. A signal
//! that was ignored when the process started stays ignored (`nohup`), except that SIGINT always
//! sets a [`Stop`]: shells start background jobs with SIGINT ignored, and scripts end a recording
//! with `kill -INT`.

use std::collections::BTreeMap;
use std::io;
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(unix)]
#[path = "signals/unix.rs"]
mod system;
#[cfg(not(unix))]
#[path = "signals/other.rs"]
mod system;

/// A function that removes something that must not outlive the process.
pub(crate) type Cleanup = Box<dyn FnOnce() + Send>;

struct Registry {
    next: u64,
    cleanups: BTreeMap<u64, Cleanup>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { next: 0, cleanups: BTreeMap::new() });
static STOP: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a cleanup registered. When the guard is dropped, the cleanup is unregistered.
pub(crate) struct Guard(u64);

impl Drop for Guard {
    fn drop(&mut self) {
        locked(&REGISTRY).cleanups.remove(&self.0);
    }
}

/// Creates something together with its cleanup, which runs if a signal ends the process before the
/// guard is dropped. No signal ends the process between creation and registration.
pub(crate) fn guarded<T>(
    make: impl FnOnce() -> io::Result<(T, Cleanup)>,
) -> io::Result<(T, Guard)> {
    system::listen()?;
    let mut registry = locked(&REGISTRY);
    let (thing, cleanup) = make()?;
    let number = registry.next;
    registry.next += 1;
    registry.cleanups.insert(number, cleanup);
    Ok((thing, Guard(number)))
}

/// A flag that the first signal sets instead of ending the process. Only one exists at a time.
pub(crate) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(crate) fn new() -> io::Result<Stop> {
        system::listen()?;
        system::listen_to_interrupts()?;
        let flag = Arc::new(AtomicBool::new(false));
        *locked(&STOP) = Some(Arc::clone(&flag));
        Ok(Stop(flag))
    }

    /// Returns the flag, which is true once the signal has arrived.
    pub(crate) fn flag(&self) -> &Arc<AtomicBool> {
        &self.0
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        *locked(&STOP) = None;
    }
}

/// Handles a signal.
fn hear(signal: i32) {
    let stop = locked(&STOP).clone();
    if stop.is_some_and(|stop| !stop.swap(true, Ordering::Relaxed)) || system::is_ignored(signal) {
        return;
    }
    // The registry stays locked, so that nothing is created that would not be cleaned up.
    let mut registry = locked(&REGISTRY);
    for cleanup in mem::take(&mut registry.cleanups).into_values() {
        cleanup();
    }
    system::end(signal);
}
