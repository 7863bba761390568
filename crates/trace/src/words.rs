//! The words of the notation for operations, postings and kinds.
//!
//! Each word is spelled once, on the type that it stands for. The reader and the writer of the
//! notation, the other formats that carry these words, and reports all take them from here.

use crate::op::{Op, Posting, Provenance};
use crate::table::LocationKind;

macro_rules! op_kinds {
    ($($pattern:pat => $kind:ident = $word:literal;)*) => {
        /// The kind of an operation: an [`Op`] without its arguments.
        // The frequent kinds come first, because `from_word` compares in this order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum OpKind {
            $(#[doc = concat!("The operation `", $word, "`.")] $kind,)*
        }

        impl OpKind {
            /// Every kind of operation.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// The kind that the notation calls `word`.
            pub fn from_word(word: &[u8]) -> Option<Self> {
                $(if word == $word.as_bytes() { return Some(Self::$kind); })*
                None
            }

            /// The notation's word for this kind of operation.
            pub fn word(self) -> &'static str {
                match self { $(Self::$kind => $word,)* }
            }
        }

        impl Op {
            /// The kind of this operation.
            pub fn kind(self) -> OpKind {
                match self { $($pattern => OpKind::$kind,)* }
            }
        }
    };
}

op_kinds! {
    Self::Read(_) => Read = "read";
    Self::Write(_) => Write = "write";
    Self::Enter(_) => Enter = "enter";
    Self::Leave => Leave = "leave";
    Self::Begin(_) => Begin = "begin";
    Self::End(_) => End = "end";
    Self::Enqueue(_) => Enqueue = "enqueue";
    Self::Init => Init = "init";
    Self::Exit => Exit = "exit";
    Self::Fork(_) => Fork = "fork";
    Self::Join(_) => Join = "join";
    Self::Notify(_) => Notify = "notify";
    Self::Wait(_) => Wait = "wait";
    Self::Lock(_) => Lock = "lock";
    Self::Unlock(_) => Unlock = "unlock";
    Self::Attach(_) => Attach = "attach";
    Self::Loop(_) => Loop = "loop";
    Self::EnqueueEnd(_) => EnqueueEnd = "enqueue_end";
    Self::Remove(_) => Remove = "remove";
    Self::PostBarrier(..) => PostBarrier = "post_barrier";
    Self::RemoveBarrier(_) => RemoveBarrier = "remove_barrier";
    Self::Register(_) => Register = "register";
    Self::Invoke { .. } => Invoke = "invoke";
    Self::Unregister(_) => Unregister = "unregister";
    Self::Enable(_) => Enable = "enable";
    Self::Trigger(_) => Trigger = "trigger";
    Self::Arc(..) => Arc = "arc";
}

impl Posting {
    /// The notation's key for the delay of a message, as in `delay=5`.
    pub const DELAY: &str = "delay";

    /// The notation's key for the point in time of a message, as in `time=5`.
    pub const TIME: &str = "time";

    /// The postings without a number, which the notation spells as flags.
    pub const FLAGS: [Self; 5] = [Self::Front, Self::Idle, Self::Input, Self::Display, Self::Ipc];

    /// The notation's word for this posting: a key for [`Posting::Delayed`] and
    /// [`Posting::AtTime`], a flag for the others.
    pub fn word(self) -> &'static str {
        match self {
            Self::Delayed(_) => Self::DELAY,
            Self::AtTime(_) => Self::TIME,
            Self::Front => "front",
            Self::Idle => "idle",
            Self::Input => "input",
            Self::Display => "display",
            Self::Ipc => "ipc",
        }
    }

    /// The posting without a number that the flag `word` asks for.
    pub fn from_flag(word: &[u8]) -> Option<Self> {
        Self::FLAGS.into_iter().find(|posting| posting.word().as_bytes() == word)
    }

    /// The delay or the point in time that this posting carries.
    pub fn number(self) -> Option<i64> {
        match self {
            Self::Delayed(number) | Self::AtTime(number) => Some(number),
            _ => None,
        }
    }
}

impl Provenance {
    /// Both provenances.
    pub const ALL: [Self; 2] = [Self::User, Self::Framework];

    /// The notation's word for this provenance.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Framework => "framework",
        }
    }

    /// The provenance that the notation calls `word`.
    pub fn from_word(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|provenance| provenance.word().as_bytes() == word)
    }
}

impl LocationKind {
    /// The kinds that the notation has a word for: all but [`LocationKind::Other`].
    pub const NAMED: [Self; 7] = [
        Self::User,
        Self::Framework,
        Self::Handler,
        Self::Dom,
        Self::Cookie,
        Self::Storage,
        Self::Resource,
    ];

    /// The notation's word for this kind of location. A kind that a recorder made up has none: its
    /// name is the text in [`LocationKind::Other`].
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::User => Some("user"),
            Self::Framework => Some("framework"),
            Self::Handler => Some("handler"),
            Self::Dom => Some("dom"),
            Self::Cookie => Some("cookie"),
            Self::Storage => Some("storage"),
            Self::Resource => Some("resource"),
            Self::Other(_) => None,
        }
    }

    /// The kind of location that the notation calls `word`, unless a recorder made the word up.
    pub fn from_word(word: &[u8]) -> Option<Self> {
        Self::NAMED.into_iter().find(|kind| kind.word().map(str::as_bytes) == Some(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_names_one_thing_and_reads_back() {
        for &kind in OpKind::ALL {
            assert_eq!(OpKind::from_word(kind.word().as_bytes()), Some(kind));
        }
        for posting in Posting::FLAGS {
            assert_eq!(Posting::from_flag(posting.word().as_bytes()), Some(posting));
            assert_eq!(posting.number(), None);
        }
        for provenance in Provenance::ALL {
            assert_eq!(Provenance::from_word(provenance.word().as_bytes()), Some(provenance));
        }
        for kind in LocationKind::NAMED {
            let word = kind.word().expect("a named kind has a word");
            assert_eq!(LocationKind::from_word(word.as_bytes()), Some(kind));
        }
        let absent = b"absent";
        assert_eq!(OpKind::from_word(absent), None);
        assert_eq!(Posting::from_flag(Posting::DELAY.as_bytes()), None);
        assert_eq!(Provenance::from_word(absent), None);
        assert_eq!(LocationKind::from_word(absent), None);
    }
}
