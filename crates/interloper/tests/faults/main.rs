//! Tests the state of files after a command is interrupted or cannot write, through the real binary
//! and with the installed browser.
//!
//! In every case, earlier files are intact and nothing is left behind, except by `kill -9`, whose
//! leftovers the next run of the same command removes. The tests try a few moments each;
//! `INTERLOPER_FAULT_MOMENTS=50` gives the table in docs/testing.md, and `INTERLOPER_FAULT_SEED=N`
//! other moments.
#![cfg(all(target_os = "linux", feature = "record-web"))]

mod links;
mod moments;
mod places;
mod recorder;
mod support;
