//! Parses one line, by the table of line kinds.

use super::fields::{Field, FieldError, Problem, split};
use super::operation::{BroadcastState, LifecycleState, MessageId, OpKind, ServiceState};
use super::sink::{Sink, quote};
use super::{Names, Target};
use crate::base::ThreadId;
use crate::codes;
use trace::Place;

/// A line, with the state that is needed to report errors in it.
pub(crate) struct LineReader<'a> {
    pub(crate) text: &'a [u8],
    /// The position of the first field, after the number and the kind.
    pub(crate) fields: usize,
    pub(crate) number: u64,
    pub(crate) names: &'a mut Names,
    pub(crate) sink: &'a mut Sink,
}

/// The content of an operation line.
pub(crate) struct OpLine {
    pub(crate) thread: Option<ThreadId>,
    pub(crate) kind: OpKind,
    /// The set that an ACCESS closes.
    pub(crate) access_set: Option<u64>,
}

/// The content of an access line.
pub(crate) struct AccessLine {
    pub(crate) thread: ThreadId,
    pub(crate) is_write: bool,
    pub(crate) target: Target,
}

impl<'a> LineReader<'a> {
    fn split<const N: usize>(
        &mut self,
        keys: [&'static str; N],
    ) -> Result<[Field<'a>; N], FieldError> {
        split(self.text, self.fields, keys)
    }

    /// Returns the fields of a line whose last value is a number, and reports any text after that.
    fn numeric<const N: usize>(
        &mut self,
        keys: [&'static str; N],
    ) -> Result<[Field<'a>; N], FieldError> {
        let fields = self.split(keys)?;
        let extra = fields[N - 1].extra();
        if !extra.is_empty() {
            let at = Place::Line {
                line: self.number,
                column: (self.text.len() - extra.len() + 1) as u64,
            };
            self.sink.report(&codes::EXTRA_TEXT, at, || quote(extra));
        }
        Ok(fields)
    }

    /// Parses an operation of kind `kind`. Returns `None` if there is no such kind.
    pub(crate) fn operation(&mut self, kind: &[u8]) -> Result<Option<OpLine>, FieldError> {
        Ok(Some(match kind {
            b"START" => OpLine { thread: None, kind: OpKind::Start, access_set: None },
            b"THREADINIT" => self.plain(OpKind::ThreadInit)?,
            b"THREADEXIT" => self.plain(OpKind::ThreadExit)?,
            b"WAIT" => self.plain(OpKind::Wait)?,
            b"NATIVE-ENTRY" => self.native(OpKind::NativeEntry)?,
            b"NATIVE-EXIT" => self.native(OpKind::NativeExit)?,
            b"FORK" => {
                let [parent, child] = self.numeric(["par-tid", "child-tid"])?;
                on(parent, OpKind::Fork { child: child.thread()? })?
            }
            b"NOTIFY" => {
                let [tid, notified] = self.numeric(["tid", "notifiedTid"])?;
                on(tid, OpKind::Notify { notified: notified.thread()? })?
            }
            b"ACCESS" => {
                let [tid, id] = self.numeric(["tid", "accessId"])?;
                OpLine { access_set: Some(id.unsigned()?), ..on(tid, OpKind::Access)? }
            }
            b"ATTACH-Q" => self.queue(|queue| OpKind::AttachQ { queue })?,
            b"LOOP" => self.queue(|queue| OpKind::Loop { queue })?,
            b"POST" => self.post()?,
            b"CALL" => self.message(|message| OpKind::Call { message })?,
            b"RET" => self.message(|message| OpKind::Ret { message })?,
            b"LOCK" => self.lock(|object| OpKind::Lock { object })?,
            b"UNLOCK" => self.lock(|object| OpKind::Unlock { object })?,
            _ => return self.environment(kind),
        }))
    }

    fn environment(&mut self, kind: &[u8]) -> Result<Option<OpLine>, FieldError> {
        Ok(Some(match kind {
            b"ENABLE-EVENT" => self.event(|view, event| OpKind::EnableEvent { view, event })?,
            b"TRIGGER-EVENT" => self.event(|view, event| OpKind::TriggerEvent { view, event })?,
            b"ENABLE-WINDOW-FOCUS" => self.focus(|window| OpKind::EnableFocus { window })?,
            b"TRIGGER-WINDOW-FOCUS" => self.focus(|window| OpKind::TriggerFocus { window })?,
            b"ENABLE-LIFECYCLE" => {
                self.lifecycle(|id, state| OpKind::EnableLifecycle { id, state })?
            }
            b"TRIGGER-LIFECYCLE" => {
                self.lifecycle(|id, state| OpKind::TriggerLifecycle { id, state })?
            }
            b"INSTANCE-INTENT" => {
                let [tid, instance, intent] = self.numeric(["tid", "instance", "intentId"])?;
                let kind =
                    OpKind::InstanceIntent { instance: instance.hash()?, intent: intent.hash()? };
                on(tid, kind)?
            }
            b"TRIGGER-SERVICE" => self.service()?,
            b"TRIGGER-BROADCAST" => self.broadcast()?,
            b"ADD_IDLE_HANDLER" => {
                let [idler, queue] = self.numeric(["idler", "queue"])?;
                let (idler, queue) = (idler.hash()?, queue.hash()?);
                unplaced(OpKind::AddIdleHandler { idler, queue })
            }
            b"REMOVE_IDLE_HANDLER" => {
                let [idler, queue] = self.numeric(["idler", "queue"])?;
                let (idler, queue) = (idler.hash()?, queue.hash()?);
                unplaced(OpKind::RemoveIdleHandler { idler, queue })
            }
            b"QUEUE_IDLE" => {
                let [tid, idler, queue] = self.numeric(["tid", "idler", "queue"])?;
                on(tid, OpKind::QueueIdle { idler: idler.hash()?, queue: queue.hash()? })?
            }
            _ => return Ok(None),
        }))
    }

    fn plain(&mut self, kind: OpKind) -> Result<OpLine, FieldError> {
        let [tid] = self.numeric(["tid"])?;
        on(tid, kind)
    }

    fn native(&mut self, kind: OpKind) -> Result<OpLine, FieldError> {
        let [tid, _name] = self.split(["tid", "thread-name"])?;
        on(tid, kind)
    }

    fn queue(&mut self, kind: fn(super::Hash) -> OpKind) -> Result<OpLine, FieldError> {
        let [tid, queue] = self.numeric(["tid", "queue"])?;
        on(tid, kind(queue.hash()?))
    }

    fn message(&mut self, kind: fn(MessageId) -> OpKind) -> Result<OpLine, FieldError> {
        let [tid, message] = self.numeric(["tid", "msg"])?;
        on(tid, kind(MessageId(message.unsigned()?)))
    }

    fn lock(&mut self, kind: fn(super::ObjectId) -> OpKind) -> Result<OpLine, FieldError> {
        let [tid, object] = self.numeric(["tid", "lock-obj"])?;
        on(tid, kind(object.object()?))
    }

    /// Parses a POST. Its destination is always -1, and the delay of a message due in the past is
    /// negative.
    fn post(&mut self) -> Result<OpLine, FieldError> {
        let [src, message, _dest, delay] = self.numeric(["src", "msg", "dest", "delay"])?;
        let delay = delay.signed()?.max(0).cast_unsigned();
        on(src, OpKind::Post { message: MessageId(message.unsigned()?), delay })
    }

    fn event(&mut self, kind: fn(super::Hash, u32) -> OpKind) -> Result<OpLine, FieldError> {
        let [tid, view, event] = self.numeric(["tid", "view", "event"])?;
        on(tid, kind(view.hash()?, event.u32()?))
    }

    fn focus(&mut self, kind: fn(super::Hash) -> OpKind) -> Result<OpLine, FieldError> {
        let [tid, window] = self.numeric(["tid", "windowHash"])?;
        on(tid, kind(window.hash()?))
    }

    fn lifecycle(
        &mut self,
        kind: fn(super::Hash, LifecycleState) -> OpKind,
    ) -> Result<OpLine, FieldError> {
        let [tid, _component, id, state] = self.split(["tid", "component", "id", "state"])?;
        let state = LifecycleState::by_name(state.text)
            .unwrap_or_else(|| LifecycleState::Other(self.names.intern(state.text)));
        on(tid, kind(id.hash()?, state))
    }

    fn service(&mut self) -> Result<OpLine, FieldError> {
        let [tid, component, id, state] = self.split(["tid", "component", "id", "state"])?;
        let component = self.names.intern(component.text);
        let known = ServiceState::by_name(state.text);
        self.check_state(known == ServiceState::Unknown, state);
        on(tid, OpKind::TriggerService { component, id: id.hash()?, state: known })
    }

    fn broadcast(&mut self) -> Result<OpLine, FieldError> {
        let [tid, action, component, intent, later, state] =
            self.split(["tid", "action", "component", "intent", "onRecLater", "state"])?;
        let known = BroadcastState::by_name(state.text);
        self.check_state(known == BroadcastState::Unknown, state);
        let kind = OpKind::TriggerBroadcast {
            action: self.names.intern(action.text),
            component: component.hash()?,
            intent: intent.hash()?,
            later: u64::try_from(later.signed()?).ok().filter(|&later| later != 0),
            state: known,
        };
        on(tid, kind)
    }

    fn check_state(&mut self, is_unknown: bool, state: Field<'_>) {
        if is_unknown {
            let at = super::sink::line(self.number);
            self.sink.report(&codes::UNKNOWN_STATE, at, || quote(state.text));
        }
    }

    /// Parses an access of kind `kind`. Returns `None` if there is no such kind.
    pub(crate) fn access(&mut self, kind: &[u8]) -> Result<Option<AccessLine>, FieldError> {
        let is_write = kind.starts_with(b"WRITE");
        Ok(Some(match kind {
            b"READ-STATIC" | b"WRITE-STATIC" => {
                let [tid, class, field] = self.numeric(["tid", "class", "field"])?;
                let class = self.names.intern(class.text);
                let target = Target::Static { class, field: field.u32()? };
                AccessLine { thread: tid.thread()?, is_write, target }
            }
            b"READ" | b"WRITE" => match self.numeric(["tid", "obj", "class", "field"]) {
                Ok([tid, object, class, field]) => {
                    let class = self.names.intern(class.text);
                    let (object, field) = (object.object()?, field.u32()?);
                    let target = Target::Instance { object, class, field };
                    AccessLine { thread: tid.thread()?, is_write, target }
                }
                Err(error) if error.problem == Problem::Missing && error.key == "obj" => {
                    let [tid, path] = self.split(["tid", "database"]).map_err(|_| error)?;
                    let target = Target::Database(self.names.intern(path.text));
                    AccessLine { thread: tid.thread()?, is_write, target }
                }
                Err(error) => return Err(error),
            },
            _ => return Ok(None),
        }))
    }
}

fn on(tid: Field<'_>, kind: OpKind) -> Result<OpLine, FieldError> {
    Ok(OpLine { thread: Some(tid.thread()?), kind, access_set: None })
}

fn unplaced(kind: OpKind) -> OpLine {
    OpLine { thread: None, kind, access_set: None }
}
