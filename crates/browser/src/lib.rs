//! Starts Chromium and speaks the `DevTools` protocol with it, over a pipe.
//!
//! [`Browser::launch`] runs the browser that is installed, with an empty profile of its own and no
//! networking in the background, and gives a [`Client`] to call methods and a channel of
//! [`Event`]s. Sessions are flat: one pipe, and every message says whose it is.
//!
//! **Threads.** One thread writes to the pipe, one reads it. The latter hands answers to whoever waits for them and events to
//! the channel, which is bounded: whoever takes events from it must not wait for an answer
//! meanwhile, or both may wait for each other. Calls may come from any number of other threads.
//!
//! **The end.** A browser that exits, crashes or closes the pipe ends the channel, and every call,
//! waiting or later, is [`Error::Gone`] with the last lines the browser printed. Dropping a
//! [`Browser`] ends the process and removes its profile and its temporary files, also while a panic
//! unwinds; a browser that hangs is killed after three seconds. The browser is in a process group of
//! its own, so Ctrl-C on the terminal is for the caller to handle; it exits by itself when the
//! caller is killed, because its pipe closes. The next launch then removes its files.
//!
//! **Waiting.** A browser that does not read its pipe delays no caller but those who wait for an
//! answer, and [`Client::call_unless`] can be given up at any time.
//!
//! **Platforms.** Chromium reads the protocol from inherited file descriptors, so this crate is empty
//! except on Unix.
#![cfg(unix)]

mod cbor;
mod client;
mod error;
mod find;
mod launch;

pub use client::{Client, Event};
pub use error::Error;
pub use find::{NAMES, find};
pub use launch::{Browser, Options};
