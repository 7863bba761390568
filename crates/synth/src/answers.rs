//! The known answers about a generated trace: the verdict on every planted location.

use serde::Serialize;

/// The verdict that an analysis under the trace's own model must reach on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A race that no other race covers.
    Race,
    /// A race that another race covers.
    Covered,
    /// A conflict that is not ordered, but under a common lock.
    LockProtected,
    /// A conflict that is ordered.
    Ordered,
}

/// The verdict on one location.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// The name of the location.
    pub location: String,
    /// The kind of scenario that was planted there.
    pub kind: &'static str,
    /// The verdict that an analysis must reach.
    pub verdict: Verdict,
    /// The location whose race covers the race here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<String>,
    /// The numbers of the accesses, in the order of the trace.
    pub operations: Vec<u64>,
    /// The longest window, in nanoseconds, under which rule WINDOW alone orders the accesses. None if no
    /// window does, and in model `event`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest_window: Option<u64>,
}

/// All known answers about a trace. At every location without an answer, all conflicting accesses
/// are ordered or protected by a common lock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answers {
    /// The name of the schema, `interloper-answers/1`.
    pub schema: &'static str,
    /// The name of the profile.
    pub profile: String,
    /// The scale of the trace.
    pub scale: f64,
    /// The seed of the random choices.
    pub seed: u64,
    /// The happens-before model under which the answers hold.
    pub model: &'static str,
    /// How many operations the trace has.
    pub operations: u64,
    /// The planted locations.
    pub answers: Vec<Answer>,
}
