//! The operations of a log, and the names of component states.

use super::Symbol;
use crate::base::ThreadId;

/// An identity hash or an intent number: 32 bits, which the log prints signed or unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash(pub u32);

/// The address of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u64);

/// A message, which is posted, called and returned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(pub u64);

/// An operation line.
#[derive(Clone, Copy, Debug)]
pub struct LogOp {
    /// The number of the operation.
    pub id: u64,
    /// The number of the operation's line, from 1.
    pub line: u64,
    /// The thread that the operation names; the idle-handler registrations and START name none.
    pub thread: Option<ThreadId>,
    /// The kind of the operation.
    pub kind: OpKind,
}

/// The kind of an operation. The names are those of the log.
#[expect(missing_docs, reason = "the fields carry the log's own names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    Start,
    ThreadInit,
    ThreadExit,
    Fork {
        child: ThreadId,
    },
    AttachQ {
        queue: Hash,
    },
    Loop {
        queue: Hash,
    },
    NativeEntry,
    NativeExit,
    Post {
        message: MessageId,
        delay: u64,
    },
    Call {
        message: MessageId,
    },
    Ret {
        message: MessageId,
    },
    Lock {
        object: ObjectId,
    },
    Unlock {
        object: ObjectId,
    },
    Notify {
        notified: ThreadId,
    },
    Wait,
    Access,
    EnableEvent {
        view: Hash,
        event: u32,
    },
    TriggerEvent {
        view: Hash,
        event: u32,
    },
    EnableFocus {
        window: Hash,
    },
    TriggerFocus {
        window: Hash,
    },
    EnableLifecycle {
        id: Hash,
        state: LifecycleState,
    },
    TriggerLifecycle {
        id: Hash,
        state: LifecycleState,
    },
    InstanceIntent {
        instance: Hash,
        intent: Hash,
    },
    TriggerService {
        component: Symbol,
        id: Hash,
        state: ServiceState,
    },
    TriggerBroadcast {
        action: Symbol,
        component: Hash,
        intent: Hash,
        later: Option<u64>,
        state: BroadcastState,
    },
    AddIdleHandler {
        idler: Hash,
        queue: Hash,
    },
    RemoveIdleHandler {
        idler: Hash,
        queue: Hash,
    },
    QueueIdle {
        idler: Hash,
        queue: Hash,
    },
}

/// A state of the application or of an activity.
#[expect(missing_docs, reason = "the variants carry the log's own names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LifecycleState {
    BindApp,
    BindAppDone,
    Launch,
    Start,
    Resume,
    Pause,
    Stop,
    Destroy,
    Result,
    NewIntent,
    /// A state that no rule names; it can still be enabled and triggered.
    Other(Symbol),
}

/// A state of a service, or a request to it.
#[expect(missing_docs, reason = "the variants carry the log's own names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceState {
    RequestStart,
    RequestBind,
    RequestUnbind,
    RequestStop,
    Create,
    Bind,
    Args,
    Connect,
    Unbind,
    Stop,
    Unknown,
}

/// A stage of a broadcast.
#[expect(missing_docs, reason = "the variants carry the log's own names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BroadcastState {
    Register,
    Unregister,
    Send,
    SendSticky,
    RemoveSticky,
    OnReceiveLater,
    OnReceive,
    Unknown,
}

/// Returns a state's name without the parts that differ between versions of the tool: `-` and `_`,
/// the prefix `ABC_`, the suffixes `-ACT` and `_SERVICE` or `_BROADCAST` or `_RECEIVER`.
fn stem(name: &[u8]) -> Vec<u8> {
    let mut text: Vec<u8> = name.iter().map(|&b| if b == b'-' { b'_' } else { b }).collect();
    if text.starts_with(b"ABC_") {
        text.drain(..4);
    }
    let suffixes: [&[u8]; 5] = [b"_ACT", b"_SERVICE", b"_BROADCAST", b"_RECEIVER", b"_INTENT"];
    if let Some(suffix) = suffixes.into_iter().find(|suffix| text.ends_with(suffix)) {
        text.truncate(text.len() - suffix.len());
    }
    text
}

impl LifecycleState {
    /// Returns the state with that name, if a rule uses it.
    pub(crate) fn by_name(name: &[u8]) -> Option<Self> {
        Some(match stem(name).as_slice() {
            b"BIND_APP" => Self::BindApp,
            b"BINDAPP_DONE" => Self::BindAppDone,
            b"LAUNCH" => Self::Launch,
            b"START" => Self::Start,
            b"RESUME" => Self::Resume,
            b"PAUSE" => Self::Pause,
            b"STOP" => Self::Stop,
            b"DESTROY" => Self::Destroy,
            b"RESULT" => Self::Result,
            b"NEW" => Self::NewIntent,
            _ => return None,
        })
    }
}

impl ServiceState {
    pub(crate) fn by_name(name: &[u8]) -> Self {
        match stem(name).as_slice() {
            b"REQUEST_START" => Self::RequestStart,
            b"REQUEST_BIND" => Self::RequestBind,
            b"REQUEST_UNBIND" => Self::RequestUnbind,
            b"REQUEST_STOP" => Self::RequestStop,
            b"CREATE" => Self::Create,
            b"BIND" => Self::Bind,
            b"SERVICE_ARGS" => Self::Args,
            b"SERVICE_CONNECT" => Self::Connect,
            b"UNBIND" => Self::Unbind,
            b"STOP" => Self::Stop,
            _ => Self::Unknown,
        }
    }

    /// Returns whether the application makes this request; the other states are the environment's
    /// answers.
    pub fn is_request(self) -> bool {
        matches!(
            self,
            Self::RequestStart | Self::RequestBind | Self::RequestUnbind | Self::RequestStop
        )
    }
}

impl BroadcastState {
    pub(crate) fn by_name(name: &[u8]) -> Self {
        match stem(name).as_slice() {
            b"REGISTER" => Self::Register,
            b"UNREGISTER" => Self::Unregister,
            b"SEND" => Self::Send,
            b"SEND_STICKY" => Self::SendSticky,
            b"REMOVE_STICKY" => Self::RemoveSticky,
            b"TRIGGER_ONRECIEVE_LATER" | b"TRIGGER_ONRECEIVE_LATER" => Self::OnReceiveLater,
            b"ONRECEIVE" => Self::OnReceive,
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_known_under_the_names_versions_give_them() {
        assert_eq!(LifecycleState::by_name(b"RESUME-ACT"), Some(LifecycleState::Resume));
        assert_eq!(LifecycleState::by_name(b"NEW_INTENT"), Some(LifecycleState::NewIntent));
        assert_eq!(LifecycleState::by_name(b"NEW-INTENT"), Some(LifecycleState::NewIntent));
        assert_eq!(LifecycleState::by_name(b"RELAUNCH-ACT"), None);
        assert_eq!(ServiceState::by_name(b"CREATE-SERVICE"), ServiceState::Create);
        assert_eq!(ServiceState::by_name(b"SERVICE-ARGS"), ServiceState::Args);
        assert_eq!(ServiceState::by_name(b"REQUEST_STOP_SERVICE"), ServiceState::RequestStop);
        assert_eq!(ServiceState::by_name(b"STOP-SERVICE"), ServiceState::Stop);
        let sticky = BroadcastState::by_name(b"ABC_SEND_STICKY_BROADCAST");
        assert_eq!(sticky, BroadcastState::SendSticky);
        assert_eq!(BroadcastState::by_name(b"ABC_SEND_BROADCAST"), BroadcastState::Send);
        assert_eq!(BroadcastState::by_name(b""), BroadcastState::Unknown);
    }
}
