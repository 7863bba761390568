//! What happens to files when a command is cut off, or cannot write: through the real binary, with
//! the browser that is installed.
//!
//! Everywhere holds: what was there before is intact, and nothing is left behind, except by
//! `kill -9`, whose leftovers the next run of the same command removes. The tests try a few moments
//! each; `INTERLOPER_FAULT_MOMENTS=50` gives the table in docs/testing.md, and
//! `INTERLOPER_FAULT_SEED=N` other moments.
#![cfg(all(target_os = "linux", feature = "record-web"))]

mod links;
mod moments;
mod places;
mod recorder;
mod support;
