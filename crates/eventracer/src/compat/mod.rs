//! What the original tool computes from the races, literally.
//!
//! Coverage here differs from the paper's definition, which `races::coverage` implements: it
//! lets a race cover another with the same second access, and takes the last coverer it meets.

mod coverage;
mod path;

pub use coverage::{CompatCoverage, RaceState};
pub use path::RacePaths;
