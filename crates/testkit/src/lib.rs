//! Support for tests; no crate of the product depends on it outside its tests.

pub mod generate;
pub mod hostile;
pub mod many_races;
pub mod oracle;
pub mod shared_data;
pub mod spelled;
