//! What is ordinary in the traces of one model and an anomaly in the traces of others.

/// The conventions that the traces of a model follow.
///
/// The crate `order` gives every model its conventions. They stand here because a trace is checked
/// while it is built, by the model that its header names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Whether an event may begin that no operation posted.
    pub begins_unposted: bool,
    /// Whether a thread may serve several queues.
    pub serves_several_queues: bool,
}

impl Conventions {
    /// Every event is posted, and a thread serves at most one queue.
    pub const STRICT: Self = Self { begins_unposted: false, serves_several_queues: false };

    /// A browser starts much on its own, such as what it parses, loads and dispatches. Its main
    /// thread serves a queue for each source of tasks that keeps order.
    pub const BROWSER: Self = Self { begins_unposted: true, serves_several_queues: true };

    /// Returns the conventions of the model called `name`, which are strict for an unknown model.
    pub fn of_model(name: &[u8]) -> Self {
        match name {
            b"web" => Self::BROWSER,
            _ => Self::STRICT,
        }
    }
}
