//! Signals on Unix.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::{Handle, Signals};
use signal_hook::low_level::emulate_default_handler;

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// The members of [`SIGNALS`] that were ignored when the process started.
static IGNORED: OnceLock<Vec<i32>> = OnceLock::new();
static LISTENER: Mutex<Option<Handle>> = Mutex::new(None);

/// Starts the thread that handles the signals that were not ignored, unless it already runs.
pub(super) fn listen() -> io::Result<()> {
    let mut listener = super::locked(&LISTENER);
    if listener.is_some() {
        return Ok(());
    }
    // A limit on the size of files (`ulimit -f`) must fail the write instead of ending the process.
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    let ignored = IGNORED.get_or_init(ignored);
    let mut signals = Signals::new(SIGNALS.iter().filter(|signal| !ignored.contains(signal)))?;
    let handle = signals.handle();
    thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            super::hear(signal);
        }
    })?;
    *listener = Some(handle);
    Ok(())
}

/// Handles SIGINT even if it was ignored.
pub(super) fn listen_to_interrupts() -> io::Result<()> {
    super::locked(&LISTENER).as_ref().map_or(Ok(()), |handle| handle.add_signal(SIGINT))
}

pub(super) fn is_ignored(signal: i32) -> bool {
    IGNORED.get().is_some_and(|ignored| ignored.contains(&signal))
}

/// Ends the process by a signal.
pub(super) fn end(signal: i32) {
    let _ = emulate_default_handler(signal);
    std::process::exit(128 + signal);
}

/// Returns the ignored signals, as Linux reports them; elsewhere none.
fn ignored() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    SIGNALS.into_iter().filter(|signal| mask >> (signal - 1) & 1 == 1).collect()
}
