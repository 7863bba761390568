//! A trace as one Parquet table, an operation a row, for `DuckDB` and its like.
//!
//! | column | what |
//! |---|---|
//! | `op` | number of the operation |
//! | `thread` `process` `event` | where it runs |
//! | `kind` | as the notation spells it; `invoke_sync` for a blocking invoke |
//! | `object` `object2` | the names it mentions, in the notation's order |
//! | `posting` `delay` `async` `sync` | of an enqueue; `delay` is its delay or time |
//! | `at` `value` `event_type` `event_name` `provenance` `source_id` | its attributes; `event_type` of an arc is its `by=` |
//! | `file` `line` `column` | its source position |
//! | `location_kind` | of the location it accesses |
//!
//! Text columns are UTF-8. In names, `%` and bytes that are no UTF-8 are written `%XX`, as in the
//! notation. The model is the file's key `interloper.model`.
//!
//! Not held: processes of threads that do nothing, kinds of locations that nothing accesses.
//! `process` and `event` are for queries; reading takes the process from the thread's first row,
//! and the event from the begins and ends.

mod columns;
mod reader;
mod text;
mod writer;

pub use reader::read;
pub use writer::write;

/// The key that holds the model.
const MODEL_KEY: &str = "interloper.model";
/// Rows of a row group: what is in memory at once.
const GROUP: usize = 1 << 16;
