//! The words of the notation that only the reader and the writer know: the header, keys and flags.
//! The words for operations, postings and kinds are on their types in the crate `trace`.

use trace::{OpKind, Posting};

/// The first word of the first line.
pub(super) const MAGIC: &[u8] = b"interloper-trace";

/// The only version of the notation.
pub(super) const VERSION: &[u8] = b"1";

/// The words that start a header line. Before the first operation, none of them names a thread.
pub(super) const HEADERS: [&[u8]; 3] = [b"model", b"process", b"location"];

/// A key of a `key=value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    At,
    Id,
    Source,
    Value,
    Type,
    Name,
    Kind,
    Delay,
    Time,
    By,
}

impl Key {
    const ALL: [Self; 10] = [
        Self::At,
        Self::Id,
        Self::Source,
        Self::Value,
        Self::Type,
        Self::Name,
        Self::Kind,
        Self::Delay,
        Self::Time,
        Self::By,
    ];

    /// Returns the key that is spelled `word`.
    pub(super) fn parse(word: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.word().as_bytes() == word)
    }

    /// Returns the spelling of the key.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::At => "at",
            Self::Id => "id",
            Self::Source => "src",
            Self::Value => "value",
            Self::Type => "type",
            Self::Name => "name",
            Self::Kind => "kind",
            Self::Delay => Posting::DELAY,
            Self::Time => Posting::TIME,
            Self::By => "by",
        }
    }

    /// Whether the key has a meaning on operations of `kind`.
    pub(super) fn is_of(self, kind: OpKind) -> bool {
        match self {
            Self::At | Self::Id | Self::Source => true,
            Self::Value => matches!(kind, OpKind::Read | OpKind::Write),
            Self::Type | Self::Name => kind == OpKind::Begin,
            Self::Kind => kind == OpKind::Enter,
            Self::Delay | Self::Time => kind == OpKind::Enqueue,
            Self::By => kind == OpKind::Arc,
        }
    }
}

/// A flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    /// A posting without a number.
    Posting(Posting),
    Async,
    /// EventRacer Android's word for `async`.
    Barrier,
    Sync,
}

impl Flag {
    /// Returns the flag that is spelled `word`.
    pub(super) fn parse(word: &[u8]) -> Option<Self> {
        let others = [Self::Async, Self::Barrier, Self::Sync];
        let posting = Posting::from_flag(word).map(Self::Posting);
        posting.or_else(|| others.into_iter().find(|flag| flag.word().as_bytes() == word))
    }

    /// Returns the spelling of the flag.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Posting(posting) => posting.word(),
            Self::Async => "async",
            Self::Barrier => "barrier",
            Self::Sync => "sync",
        }
    }

    /// Returns the index of the flag among all flags.
    pub(super) fn index(self) -> usize {
        let postings = Posting::FLAGS.len();
        match self {
            Self::Posting(posting) => {
                Posting::FLAGS.iter().position(|&flag| flag == posting).unwrap_or(postings)
            }
            Self::Async => postings,
            Self::Barrier => postings + 1,
            Self::Sync => postings + 2,
        }
    }

    /// Whether the flag has a meaning on operations of `kind`.
    pub(super) fn is_of(self, kind: OpKind) -> bool {
        kind == OpKind::Enqueue || (kind == OpKind::Invoke && self == Self::Sync)
    }
}

/// Whether operations of `kind` have flags.
pub(super) fn takes_flags(kind: OpKind) -> bool {
    matches!(kind, OpKind::Enqueue | OpKind::Invoke)
}
