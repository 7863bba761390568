//! Turns the lines that a recorded program sends into a native trace file (`.ilt`).
//!
//! A recorder for one platform, such as `webrec` for pages, rewrites scripts through [`Scripts`],
//! which keeps their texts, sites and source maps. The rewritten program sends lines of the text
//! notation. [`Wire`] checks them, looks up their places in [`Scripts`], and writes the file.
//! [`Notes`] counts the diagnostics. `examples/lines.rs` is the smallest such recorder.
//!
//! **What is absent.** This crate knows no browser, opens no file and starts no thread. Lines come
//! in as text, and the file goes to any [`std::io::Write`].
//!
//! **What is trusted.** Nothing that the program sends is trusted: lines and names are bounded and
//! checked, and a malformed line becomes a [`Note`].

pub mod names;
mod notes;
mod scripts;
pub mod sourcemap;
mod wire;

pub use notes::{Note, Notes};
pub use scripts::{Awaited, Place, Rewriter, Scripts, Spot};
pub use sourcemap::SourceMap;
pub use wire::{Counts, RealmId, Sender, Wire};
