//! The views: what the page shows of a run. Each file has one kind of view; a view is made for one request.

pub(crate) mod compare;
pub(crate) mod events;
pub(crate) mod groups;
pub(crate) mod lanes;
pub(crate) mod locations;
pub(crate) mod operations;
pub(crate) mod race;
pub(crate) mod rails;
pub(crate) mod run;
pub(crate) mod search;
pub(crate) mod source;
pub(crate) mod statistics;
pub(crate) mod suppress;
