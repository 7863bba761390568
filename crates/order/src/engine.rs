//! Engines: ways to close the rules of a model over a trace.

pub(crate) mod droidracer;
pub(crate) mod events;
pub(crate) mod graph;
pub(crate) mod oracle;
pub(crate) mod stream;
