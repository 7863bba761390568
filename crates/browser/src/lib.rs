//! Starts Chromium and uses the `DevTools` protocol with it, over a pipe.
//!
//! [`Browser::launch`] runs the installed browser, with an empty profile of its own and no
//! networking in the background, and returns a [`Client`] to call methods and a channel of
//! [`Event`]s. Sessions are flat: there is one pipe, and every message names its session.
//!
//! **Threads.** One thread writes to the pipe, and one reads from it. The latter passes answers to
//! the threads that wait for them, and events to the channel, which is bounded. The thread that
//! receives events must not wait for an answer, because both threads could wait for each other.
//! Calls may come from any number of other threads.
//!
//! **The end.** When the browser exits, crashes or closes the pipe, the channel ends, and every
//! call, waiting or later, returns [`Error::Gone`] with the browser's last output. Dropping a
//! [`Browser`] kills its processes and removes its profile and its temporary files, also while a panic
//! unwinds. The browser is in a process group
//! of its own, so Ctrl-C on the terminal is for the caller to handle; it exits by itself when the
//! caller is killed, because its pipe closes. The next launch then removes its files.
//!
//! **Waiting.** A browser that does not read its pipe delays only the callers that wait for an
//! answer, and [`Client::call_unless`] can be cancelled at any time.
//!
//! **Relaying.** A [`Relay`] stands in for a browser that another program, the driver, starts and uses: it
//! passes the driver's messages through, and is a second client of the same browser that the driver does
//! not see.
//!
//! **Platforms.** Chromium reads the protocol from inherited file descriptors, so this crate is
//! empty except on Unix.
#![cfg(unix)]

mod cbor;
mod client;
mod error;
mod find;
mod json;
mod launch;
mod relay;

pub use client::{Client, Event, Pending};
pub use error::Error;
pub use find::{NAMES, find};
pub use launch::{Browser, Network, Options, has_sandbox, terminate};
pub use relay::{Between, Downstream, Driver, Pass, Relay};
