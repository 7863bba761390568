//! Plans replays of a recorded execution in which two racing events run in the other order, and judges
//! what they show.
//!
//! [`Recorded::plan`] finds the tasks of two racing accesses, and the control that can hold the first of them
//! back until the second is over. A recorder runs the program again with such a [`Hold`], and reports
//! what a person can observe at the end ([`Observation`]). [`judge`] compares the observations in the
//! recorded order with those in the other one, and gives a [`Verdict`].
//!
//! Events of two executions are identified by their [paths](Paths), which do not depend on the order of
//! what runs elsewhere. A [`Session`] is what a recording keeps so that its program can run again.
//!
//! This crate knows no browser: it takes a trace and a session, and returns data.

mod control;
mod gate;
mod landmark;
mod learned;
mod observation;
mod paths;
mod picture;
mod plan;
mod schedule;
mod secret;
mod session;
mod verdict;
mod witness;

pub use control::{Control, Hold, Recorded};
pub use gate::Place;
pub use landmark::{Callback, Landmark, Sighting};
pub use learned::{Edge, Learned};
pub use observation::{Difference, Differences, Observation};
pub use paths::{Paths, in_document, repeats, unnumbered};
pub use picture::{Frame, Picture};
pub use plan::{Began, NoPlan, Plan};
pub use schedule::Schedule;
pub use secret::{Secrets, secret_names};
pub use session::{Connection, Exchange, Given, Session, SessionStep, SocketFrame};
pub use verdict::{Judgement, Kind, Outcome, Verdict, judge};
pub use witness::{Witness, witness};
