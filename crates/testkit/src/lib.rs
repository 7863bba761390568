//! Support for tests; no crate of the product depends on it outside its tests.

pub mod oracle;
pub mod generate;
pub mod shared_data;
