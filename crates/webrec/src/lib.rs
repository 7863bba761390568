//! Records a page: rewrites what it loads, writes down what it tells.
//!
//! [`Ready::start`] opens Chromium on an empty page, [`Ready::record`] gives it a file, and
//! [`Recording::goto`] loads a page. Documents
//! and scripts are rewritten on their way in (`serve`), so that they call the hooks of the runtime
//! that is injected before the first of them. The runtime sends lines of the text notation, which
//! the crate `record` checks and writes to a native file. [`Recording::finish`] closes browser and file.
//!
//! **What survives.** The file is flushed at least every second: a crash of the page, the browser or
//! this process loses what was told since. Whatever ends a recording early, the file so far loads.
//!
//! **What is trusted.** Nothing that comes from the page: lines are bounded and checked, and what
//! makes no sense is a [`Note`]. A page can spoil its own recording, and nothing else.
//!
//! Threads: one reads the browser's pipe and one writes to it, one listens, one writes the file, one
//! for each request that is held, and the caller's drives the page.
//!
//! Like the crate `browser`, this crate is empty except on Unix.
#![cfg(unix)]

mod charset;
mod data_url;
mod drive;
mod error;
mod html;
mod listen;
mod local;
mod recording;
mod scribe;
mod serve;
mod shared;
mod target;

pub use drive::{Exploration, Explored, NoStep, Step, Why};
pub use error::Error;
pub use local::is_local;
pub use record::{Counts, Note};
pub use recording::{Input, Options, Progress, Ready, Recording, Summary};
