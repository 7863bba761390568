//! A trace as one Parquet table with a row for each operation, for `DuckDB` and similar tools.
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
//! The table lacks the processes of threads without operations, and the kinds of locations without
//! accesses. `process` and `event` are for queries; the reader takes the process from the thread's
//! first row, and the event from the begins and ends.

mod columns;
mod reader;
mod text;
mod writer;

pub use reader::read;
pub use writer::write;

/// The word in the column `kind` for a blocking invoke.
const INVOKE_SYNC: &str = "invoke_sync";
/// The key of the file's metadata that holds the model.
const MODEL_KEY: &str = "interloper.model";
/// The number of rows of a row group. One group at a time is in memory.
const GROUP: usize = 1 << 16;
