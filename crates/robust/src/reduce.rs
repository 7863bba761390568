//! Reductions to reachability in a sequential program.
//!
//! | pass | paper | from, to |
//! |---|---|---|
//! | `delay` with `det` | Fig. 8, `detStr` | program → instrumented program, single-thread semantics |
//! | `delay` with `ser` | Section 7, `robStr` | program → instrumented program, single-thread semantics, for serializability |
//! | [`seq()`] | Section 6.3 | program → sequential program |
//! | `client` | Section 7 | events → one procedure that runs them |
//! | `slice` | – | drops data that no condition depends on |
//! | `dead` | – | forgets locals that nothing reads any more |
//!
//! Each result is an ordinary program of the language that can be printed and read. Marks on
//! statements ([`Mark`](crate::core::Mark)) are the source map. The criterion is violated iff the
//! sequential program can end with its error flag set (Theorems 5 to 7), provided the driver orders
//! nothing. If it does, a violation may need an order of events that the driver rules out, but a
//! proof remains valid. The proofs are in `delay`, `det` and `ser`.

mod accesses;
mod build;
mod client;
mod dead;
mod delay;
mod det;
mod posts;
mod seq;
mod ser;
mod slice;

use crate::Criterion;
use crate::core::{Block, GlobalId, InstanceId, Program, SiteId};
use crate::lang::Error;

pub use posts::unbounded_posts;
pub use seq::seq;

/// Restrictions of the search for violations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Only this access may be the pivot.
    pub pivot: Option<SiteId>,
    /// Only these instances run.
    pub only: Option<Vec<InstanceId>>,
}

impl Options {
    fn may_be_pivot(&self, site: SiteId) -> bool {
        self.pivot.is_none_or(|pivot| pivot == site)
    }
}

/// A sequential program, and its flag that marks a violation.
#[derive(Clone, Debug)]
pub struct Sequential {
    /// The program. Its one instance is the entry.
    pub program: Program,
    /// True at the end of a run iff the run found a violation.
    pub error: GlobalId,
}

/// An instrumented program, still with `async`, and the statements around each event.
struct Instrumented {
    program: Program,
    error: GlobalId,
    event_begin: Block,
    event_end: Block,
}

/// The sequential program that can end with its error flag set iff `program` violates
/// `criterion`.
///
/// For serializability this presupposes determinism. The driver's causality is left out: a
/// violation still has to be replayed under it.
pub fn reduce(
    program: &Program,
    criterion: Criterion,
    options: &Options,
) -> Result<Sequential, Vec<Error>> {
    let errors = unbounded_posts(program);
    if !errors.is_empty() {
        return Err(errors);
    }
    let instrumented = match criterion {
        Criterion::Determinism => det::det_str(program, options),
        Criterion::Serializability => ser::rob_str(program, options),
    };
    let sequential = seq(&instrumented.program).map_err(|error| vec![error])?;
    let program = client::client(sequential, &instrumented, options);
    Ok(Sequential { program, error: instrumented.error })
}

impl Sequential {
    /// Removes the data that cannot influence the error flag, and resets locals where they die.
    #[must_use]
    pub fn sliced(&self) -> Self {
        let mut program = slice::slice(&self.program, self.error);
        dead::reset_dead(&mut program);
        Self { program, error: self.error }
    }
}

/// The globals and enumerations of `source`, without code.
fn empty_copy(source: &Program) -> Program {
    Program {
        enums: source.enums.clone(),
        globals: source.globals.clone(),
        procedures: Vec::new(),
        instances: Vec::new(),
    }
}
