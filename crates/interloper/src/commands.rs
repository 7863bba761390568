//! The commands, one file each.

pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod explore;
pub(crate) mod order;
#[cfg(all(unix, feature = "record-web"))]
pub(crate) mod playwright;
#[cfg_attr(not(all(unix, feature = "record-web")), path = "commands/record/absent.rs")]
pub(crate) mod record;
#[cfg(all(unix, feature = "record-web"))]
pub(crate) mod replay;
pub(crate) mod robust;
pub(crate) mod shell;
pub(crate) mod stats;
pub(crate) mod synth;
