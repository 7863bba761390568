//! The relation R: the least relation over the base edges closed under three rules.
//!
//! - **TRANS.** a R b, b R c ⇒ a R c if task(a) or task(c) is none, or their threads differ, or the
//!   tasks are equal, or ret(task a) R call(task c), or b = post(m) and c = call(m). Plain
//!   transitivity would order tasks of one thread through another thread, which the scheduler does
//!   not promise, and hide races between them.
//! - **NOPRE.** a R call(m'), task(a) = m ≠ m' of the same thread ⇒ ret(m) R call(m').
//! - **FIFO.** post(m1) R post(m2), same destination, both queued by their delay, d1 ≤ d2 ⇒
//!   ret(m1) R call(m2).
//!
//! R is also closed under the order of deliveries: cause1 R cause2 of one channel ⇒ receive1 R
//! receive2 and post1 R post2.
//!
//! R need not be antisymmetric: base edges may point backwards, and a contradictory log may have
//! cycles. [`slow`](slow::close) implements the definition literally, and [`fast`](fast::close) is
//! the one in use. Tests compare the two on random bases and on real logs.

mod bits;
mod explain;
mod fast;
mod instances;
mod slow;

pub use explain::{Explainer, Step};
pub use fast::close;
pub use slow::close as close_slowly;

use crate::base::OpId;
use bits::BitMatrix;

/// The relation R over the operations of a base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    rows: BitMatrix,
}

impl Relation {
    /// Whether a R b.
    pub fn before(&self, a: OpId, b: OpId) -> bool {
        self.rows.has(a.index(), b.index())
    }

    /// Whether neither a R b nor b R a.
    pub fn unordered(&self, a: OpId, b: OpId) -> bool {
        !self.before(a, b) && !self.before(b, a)
    }
}
