//! Ctrl-C on systems without Unix signals.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use signal_hook::consts::SIGINT;

const LOOK: Duration = Duration::from_millis(50);

static LISTENS: Mutex<bool> = Mutex::new(false);

/// Starts the thread that handles Ctrl-C, unless it already runs.
pub(super) fn listen() -> io::Result<()> {
    let mut listens = super::locked(&LISTENS);
    if *listens {
        return Ok(());
    }
    let came = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGINT, Arc::clone(&came))?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        loop {
            thread::sleep(LOOK);
            if came.swap(false, Ordering::Relaxed) {
                super::hear(SIGINT);
            }
        }
    })?;
    *listens = true;
    Ok(())
}

pub(super) fn listen_to_interrupts() -> io::Result<()> {
    Ok(())
}

pub(super) fn is_ignored(_signal: i32) -> bool {
    false
}

/// Ends the process.
pub(super) fn end(signal: i32) {
    std::process::exit(128 + signal);
}
