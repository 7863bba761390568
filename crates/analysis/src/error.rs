//! Why an analysis gives no result.

use std::fmt::{self, Display, Formatter};
use std::io;

use codec::ReadError;
use codec::rapid::StreamError;
use order::UnknownRule;
use trace::Escaped;

/// Why there is no analysis. A trace that is odd or incomplete is no error: [`crate::Analysis`] states
/// that.
#[derive(Debug)]
pub enum Error {
    /// The system could not read the input.
    Io(io::Error),
    /// No trace can be made of the input.
    Unreadable(ReadError),
    /// The trace asks for a model that is not known, and the request for none.
    UnknownModel(Vec<u8>),
    /// A switch names a rule that the model does not have.
    UnknownRule(UnknownRule),
    /// A switch is not `+` or `-` and the name of a rule.
    Switch(String),
    /// The request asks for something that the engine or the trace cannot give.
    Unsuitable(Unsuitable),
    /// Two operations are to be explained, and this one is not kept.
    NoOperation(u32),
    /// Two operations are to be explained, and the pass kept no order.
    NoOrder,
    /// The watch stopped the analysis.
    Stopped,
}

/// What an engine or a mode cannot give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsuitable {
    /// Engine `stream` finds the first race of each location, not all pairs.
    StreamAllPairs,
    /// Engine `stream` has no other model than `threads`; this one was asked for.
    StreamModel(&'static str),
    /// Engine `stream` cannot switch this rule off.
    StreamRule(&'static str),
    /// The clocks of engine `stream` would take too much memory.
    StreamMemory {
        /// How many bytes they might need.
        needed: usize,
        /// Of how many threads.
        threads: usize,
    },
    /// The relation of the oracle would take too much memory.
    OracleMemory {
        /// How many bytes it needs.
        needed: usize,
        /// For how many operations.
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
            Self::StreamAllPairs => {
                f.write_str("engine stream finds the first race of each location, not all pairs")
            }
            Self::StreamModel(model) => {
                write!(f, "engine stream knows model threads only, not {model}")
            }
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
