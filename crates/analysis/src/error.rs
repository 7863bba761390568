//! The errors of an analysis.

use std::fmt::{self, Display, Formatter};
use std::io;

use codec::ReadError;
use codec::rapid::StreamError;
use order::UnknownRule;
use trace::Escaped;

/// The reason why there is no analysis. An anomalous or incomplete trace is no error:
/// [`crate::Analysis`] states it.
#[derive(Debug)]
pub enum Error {
    /// The system could not read the input.
    Io(io::Error),
    /// The input contains no readable trace.
    Unreadable(ReadError),
    /// The trace names an unknown model, and the request names none.
    UnknownModel(Vec<u8>),
    /// A switch names a rule that the model does not have.
    UnknownRule(UnknownRule),
    /// A switch is not `+` or `-` and the name of a rule.
    Switch(String),
    /// The engine or the trace cannot provide what the request asks for.
    Unsuitable(Unsuitable),
    /// An explanation was requested for this operation, which the analysis did not keep.
    NoOperation(u32),
    /// An explanation was requested, but the engine kept no order.
    NoOrder,
    /// The caller's watch stopped the analysis.
    Stopped,
}

/// A request that an engine or a mode cannot fulfil.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// Engine `stream` does not find all pairs of a location.
    StreamAllPairs,
    /// Engine `stream` cannot close this model in one pass.
    StreamModel(&'static str),
    /// Engine `stream` can close the model only if this rule is off.
    StreamRuleOn(&'static str),
    /// Engine `stream` cannot switch this rule off.
    StreamRule(&'static str),
    /// The clocks of engine `stream` would take too much memory.
    StreamMemory {
        /// The number of bytes that the clocks might need.
        needed: usize,
        /// The number of threads.
        threads: usize,
    },
    /// The relation of the oracle would take too much memory.
    OracleMemory {
        /// The number of bytes that the relation needs.
        needed: usize,
        /// The number of operations.
        operations: usize,
    },
    /// Only a log of EventRacer, under model `event`, can be reported as that tool does.
    NoEventRacerLog,
    /// Only a log of DroidRacer can be reported as that tool does.
    NoDroidRacerLog,
    /// DroidRacer reports its candidates under its own model only.
    NotDroidRacersPairs,
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Unreadable(error) => error.fmt(f),
            Self::UnknownModel(name) => {
                write!(f, "the trace asks for model {}, which is not known", Escaped(name))
            }
            Self::UnknownRule(unknown) => unknown.fmt(f),
            Self::Switch(switch) => {
                write!(f, "{switch}: expected + or - and the name of a rule")
            }
            Self::Unsuitable(what) => what.fmt(f),
            Self::NoOperation(number) => write!(f, "operation {number} is not kept"),
            Self::NoOrder => f.write_str("the engine finds races and keeps no order"),
            Self::Stopped => f.write_str("the analysis was stopped"),
        }
    }
}

impl Display for Unsuitable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::StreamAllPairs => f.write_str("engine stream does not find all pairs"),
            Self::StreamModel(model) => {
                write!(f, "engine stream cannot close model {model} in one pass")
            }
            Self::StreamRuleOn(rule) => write!(f, "engine stream cannot switch {rule} on"),
            Self::StreamRule(rule) => write!(f, "engine stream cannot switch {rule} off"),
            Self::StreamMemory { needed, threads } => {
                let needed = needed >> 20;
                write!(f, "engine stream might need {needed} MiB for {threads} threads")
            }
            Self::OracleMemory { needed, operations } => {
                let needed = needed >> 30;
                write!(f, "the oracle would need {needed} GiB for {operations} operations")
            }
            Self::NoEventRacerLog => {
                f.write_str("the input is no log of EventRacer under model event")
            }
            Self::NoDroidRacerLog => f.write_str("the input is no log of DroidRacer"),
            Self::NotDroidRacersPairs => {
                f.write_str("DroidRacer reports its candidates under model droidracer only")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Unreadable(error) => error.source(),
            _ => None,
        }
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        Self::Unreadable(error)
    }
}

impl From<StreamError> for Error {
    fn from(error: StreamError) -> Self {
        match error {
            StreamError::Io(error) => Self::Io(error),
            StreamError::Log(error) => Self::Unreadable(error),
        }
    }
}

impl From<UnknownRule> for Error {
    fn from(unknown: UnknownRule) -> Self {
        Self::UnknownRule(unknown)
    }
}

impl From<Unsuitable> for Error {
    fn from(what: Unsuitable) -> Self {
        Self::Unsuitable(what)
    }
}
