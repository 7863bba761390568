//! Tests of the crate through its public interface.

mod agreement;
mod comparison;
mod known_verdicts;
mod language;
mod recorded;
