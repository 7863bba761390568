//! What is known about a trace that was made: the verdict on every planted location.

use serde::Serialize;

/// What an analysis under the trace's own model must say about a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A race that nothing covers.
    Race,
    /// A race that another covers.
    Covered,
    /// Unordered, but under a common lock.
    LockProtected,
    /// Ordered.
    Ordered,
}

/// The verdict on one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Its name.
    pub location: String,
    /// What was planted there.
    pub kind: &'static str,
    /// What an analysis must say.
    pub verdict: Verdict,
    /// The location whose race covers this one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<String>,
    /// The numbers of the accesses, in the order of the trace.
    pub operations: Vec<u64>,
}

/// Everything known. At every other location all conflicting accesses are ordered or protected by
/// a common lock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// `interloper-answers/1`.
    pub schema: &'static str,
    /// The profile the trace was made from.
    pub profile: String,
    /// By how much it was stretched.
    pub scale: f64,
    /// What the choices were drawn from.
    pub seed: u64,
    /// The model under which all this holds.
    pub model: &'static str,
    /// How many operations the trace has.
    pub operations: u64,
    /// The planted locations.
    pub answers: Vec<Answer>,
}
