//! The explorer: understand a race within a minute, in the browser.
//!
//! A [`Session`] holds runs: analysed traces, or reports without a trace. [`api::answer`] answers one request
//! about them; every answer is a view, which `views` makes of a run, and no view analyses anything itself.
//! [`Server`] passes requests of a browser on this machine to it. The page that shows the views is
//! `explorer/web`, whose bundle is embedded.
//!
//! Everything that comes from a trace is untrusted text. It leaves this crate as JSON strings only, and the
//! page shows it as text only.
//!
//! This crate opens no files: the caller loads runs ([`Load`]), and source files come from
//! [`report::text::SourceFiles`].

pub mod api;
mod columns;
pub mod offline;
mod page;
mod server;
mod session;
mod views;

pub use page::Topic;
pub use server::Server;
pub use session::{Load, Run, Session};
