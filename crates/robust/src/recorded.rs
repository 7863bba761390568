//! The two criteria on recorded traces.
//!
//! An *event* is a tree of posts: its root is an input of the user or the system, that is a
//! message that was not posted by another task, or is input, a frame or a call from another
//! process; what a task posts or forks belongs to its tree. Operations outside all trees take no
//! part. Of one trace:
//!
//! - [`cycles`]: cycles of its conflict-event graph, by a graph in the manner of Velodrome;
//! - [`inversions`]: conflicting accesses of one event that occurred against <dfs;
//! - [`predicted_inversions`], [`predicted_cycles`]: those that did not occur but occur in a
//!   reordering of the same operations, which is given and checked ([`is_feasible`]). A
//!   reordering keeps the order within each task, posts before dispatch, and runs the tasks of a
//!   Looper one at a time; it assumes that each task does the same when reordered.

mod forest;
mod observed;
mod predicted;
mod reorder;
mod schedule;

pub use forest::{Forest, Task, TaskId};
pub use observed::{Edge, Inversion, cycles, inversions};
pub use predicted::{Predicted, predicted_cycles, predicted_inversions};
pub use reorder::is_feasible;
