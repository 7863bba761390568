//! Support for tests; no crate of the product depends on it outside its tests.

pub mod completed;
pub mod evp;
pub mod generate;
pub mod hostile;
pub mod many_races;
pub mod oracle;
pub mod page;
pub mod plot;
pub mod renamed;
pub mod shared_data;
pub mod skip;
pub mod spelled;
pub mod threads;
pub mod verdict;
