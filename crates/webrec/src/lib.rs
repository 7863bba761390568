//! Records a web page: rewrites its documents and scripts, and writes its operations to a file.
//!
//! [`Ready::start`] opens Chromium on an empty page, [`Ready::record`] gives it a file, and
//! [`Recording::goto`] loads a page. Documents and scripts are rewritten while they are loaded
//! (`serve`), so that they call the hooks of the runtime that is injected before the first of them.
//! The runtime sends lines of the text notation, which the crate `record` checks and writes to a
//! native file. [`Recording::finish`] closes the browser and the file.
//!
//! **What survives.** The file is flushed at least every second. A crash of the page, the browser
//! or this process loses only the operations since the last flush. However a recording ends, its
//! file loads.
//!
//! **What is trusted.** Nothing that comes from the page is trusted: lines are bounded and checked,
//! and a malformed line becomes a [`Note`]. A page can spoil its own recording, and nothing else.
//!
//! [`relay`] records the pages of a browser that another program drives, such as a test runner.
//!
//! **Threads.** One thread reads the browser's pipe and one writes to it; one receives the
//! browser's events and one writes the file; each paused request has a thread; and the caller's
//! thread drives the page.
//!
//! Like the crate `browser`, this crate is empty except on Unix.
#![cfg(unix)]

mod apart;
mod arrivals;
mod charset;
mod conduct;
mod data_url;
mod drive;
mod error;
mod health;
mod html;
mod inline;
mod journal;
mod listen;
mod local;
mod observe;
mod options;
mod pictures;
mod recording;
mod relayed;
mod scribe;
mod serve;
mod shared;
mod stall;
mod storage;
mod target;

pub use apart::{RewriterProgram, rewrite_scripts, rewrite_with};
pub use conduct::Replay;
pub use drive::{Exploration, Explored, NoStep, Step, Until, Why};
pub use error::Error;
pub use health::{Errors, Health};
pub use inline::{inline_script, served};
pub use local::is_local;
pub use observe::Replayed;
pub use options::{GivenMap, Identity, Input, Keep, Options, PageOptions, Progress, Viewport};
pub use record::{Counts, Note};
pub use recording::{Ready, Recording, Summary};
pub use relayed::{
    Condition, Conditions, Relayed, Said, Settings as RelaySettings, Test, TestStep, Use, relay,
};
pub use storage::{Cookie, Entry, OriginState, StorageState};
