//! Coverage and race paths, computed literally as the original tool does.
//!
//! Coverage here differs from the paper's definition, which `races::coverage` implements: a race
//! may cover another with the same second access, and of several coverers the last one found is
//! kept.

mod coverage;
mod path;

pub use coverage::{CompatCoverage, RaceState};
pub use path::RacePaths;
