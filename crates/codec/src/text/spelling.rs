//! The words of the notation: operations, keys, flags, kinds. Reader and writer share them.

use trace::{LocationKind, Op, Posting, Provenance};

/// The first word of the first line.
pub(super) const MAGIC: &[u8] = b"interloper-trace";

/// The only version there is.
pub(super) const VERSION: &[u8] = b"1";

/// The words that start a header line, and are no thread until the first operation was read.
pub(super) const HEADERS: [&[u8]; 3] = [b"model", b"process", b"location"];

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name {
            $($variant,)*
        }

        impl $name {
            /// What `word` spells.
            pub(super) fn parse(word: &[u8]) -> Option<Self> {
                $(if word == $word.as_bytes() { return Some(Self::$variant); })*
                None
            }

            /// How it is spelled.
            pub(super) fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// The name of an operation. The frequent ones come first.
    Verb {
        Read = "read",
        Write = "write",
        Enter = "enter",
        Leave = "leave",
        Begin = "begin",
        End = "end",
        Enqueue = "enqueue",
        Init = "init",
        Exit = "exit",
        Fork = "fork",
        Join = "join",
        Notify = "notify",
        Wait = "wait",
        Lock = "lock",
        Unlock = "unlock",
        Attach = "attach",
        Loop = "loop",
        EnqueueEnd = "enqueue_end",
        Remove = "remove",
        PostBarrier = "post_barrier",
        RemoveBarrier = "remove_barrier",
        Register = "register",
        Invoke = "invoke",
        Unregister = "unregister",
        Enable = "enable",
        Trigger = "trigger",
        Arc = "arc",
    }
}

words! {
    /// A key of a `key=value`.
    Key {
        At = "at",
        Id = "id",
        Source = "src",
        Value = "value",
        Type = "type",
        Name = "name",
        Kind = "kind",
        Delay = "delay",
        Time = "time",
        By = "by",
    }
}

words! {
    /// A flag.
    Flag {
        Front = "front",
        Idle = "idle",
        Input = "input",
        Display = "display",
        Ipc = "ipc",
        Async = "async",
        Barrier = "barrier",
        Sync = "sync",
    }
}

impl Verb {
    /// The operation's name.
    pub(super) fn of(op: Op) -> Self {
        match op {
            Op::Init => Self::Init,
            Op::Exit => Self::Exit,
            Op::Fork(_) => Self::Fork,
            Op::Join(_) => Self::Join,
            Op::Notify(_) => Self::Notify,
            Op::Wait(_) => Self::Wait,
            Op::Lock(_) => Self::Lock,
            Op::Unlock(_) => Self::Unlock,
            Op::Attach(_) => Self::Attach,
            Op::Loop(_) => Self::Loop,
            Op::Enqueue(_) => Self::Enqueue,
            Op::EnqueueEnd(_) => Self::EnqueueEnd,
            Op::Remove(_) => Self::Remove,
            Op::Begin(_) => Self::Begin,
            Op::End(_) => Self::End,
            Op::PostBarrier(..) => Self::PostBarrier,
            Op::RemoveBarrier(_) => Self::RemoveBarrier,
            Op::Register(_) => Self::Register,
            Op::Invoke { .. } => Self::Invoke,
            Op::Unregister(_) => Self::Unregister,
            Op::Enable(_) => Self::Enable,
            Op::Trigger(_) => Self::Trigger,
            Op::Arc(..) => Self::Arc,
            Op::Read(_) => Self::Read,
            Op::Write(_) => Self::Write,
            Op::Enter(_) => Self::Enter,
            Op::Leave => Self::Leave,
        }
    }

    /// Whether `key` means something on this operation.
    pub(super) fn takes_key(self, key: Key) -> bool {
        match key {
            Key::At | Key::Id | Key::Source => true,
            Key::Value => matches!(self, Self::Read | Self::Write),
            Key::Type | Key::Name => self == Self::Begin,
            Key::Kind => self == Self::Enter,
            Key::Delay | Key::Time => self == Self::Enqueue,
            Key::By => self == Self::Arc,
        }
    }

    /// Whether `flag` means something on this operation.
    pub(super) fn takes_flag(self, flag: Flag) -> bool {
        self == Self::Enqueue || (self == Self::Invoke && flag == Flag::Sync)
    }

    /// Whether any flag does.
    pub(super) fn takes_flags(self) -> bool {
        matches!(self, Self::Enqueue | Self::Invoke)
    }
}

impl Flag {
    /// The posting it asks for, if it asks for one.
    pub(super) fn posting(self) -> Option<Posting> {
        match self {
            Self::Front => Some(Posting::Front),
            Self::Idle => Some(Posting::Idle),
            Self::Input => Some(Posting::Input),
            Self::Display => Some(Posting::Display),
            Self::Ipc => Some(Posting::Ipc),
            Self::Async | Self::Barrier | Self::Sync => None,
        }
    }
}

/// The kinds of location that have a name of their own.
const LOCATION_KINDS: [(&str, LocationKind); 7] = [
    ("user", LocationKind::User),
    ("framework", LocationKind::Framework),
    ("handler", LocationKind::Handler),
    ("dom", LocationKind::Dom),
    ("cookie", LocationKind::Cookie),
    ("storage", LocationKind::Storage),
    ("resource", LocationKind::Resource),
];

/// The kind of location that `word` names, unless it is a recorder's own.
pub(super) fn location_kind(word: &[u8]) -> Option<LocationKind> {
    LOCATION_KINDS.iter().find(|(name, _)| name.as_bytes() == word).map(|&(_, kind)| kind)
}

/// The word for a kind of location, unless it is a recorder's own.
pub(super) fn location_kind_word(kind: LocationKind) -> Option<&'static str> {
    LOCATION_KINDS.iter().find(|(_, named)| *named == kind).map(|&(name, _)| name)
}

/// The kind of function that `word` names.
pub(super) fn provenance(word: &[u8]) -> Option<Provenance> {
    match word {
        b"user" => Some(Provenance::User),
        b"framework" => Some(Provenance::Framework),
        _ => None,
    }
}

/// The word for a kind of function.
pub(super) fn provenance_word(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::User => "user",
        Provenance::Framework => "framework",
    }
}
