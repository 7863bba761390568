//! Converts a prepared log to a trace, for the ordinary pipeline and every output.
//!
//! | log | trace |
//! |---|---|
//! | op that is not dropped | an event of the one thread `page`, named by its number |
//! | its type, or what its first scope says | `type=` of the begin |
//! | its outermost scope | `name=` of the begin |
//! | arc of the prepared graph that points forward | `arc`, in the later event |
//! | enter and exit of a scope | `enter` and `leave`; the line and address a scope names are its position |
//! | read and write, with the value behind it | `read` and `write` |
//!
//! The source id of an operation is the number of its op, because commands have no ids. Arcs that
//! point backward order nothing, so model `event` on the trace is reachability over forward arcs,
//! which is the sound order. Commands that start other ops are only for display and are left out.
//! Anomalies that the trace builder finds are not reported, because logs leave scopes open.

use hashbrown::HashMap;
use trace::{
    Attributes, Diagnostic, EventId, FunctionId, Id, LocationId, LocationKind, Op, Provenance,
    Source, SourceId, ThreadId, Trace, TraceBuilder,
};

use crate::access::Access;
use crate::ids::{OpId, ScopeId, VarId};
use crate::log::{ActionLog, Command, OpKind};
use crate::prepare::{LoggedArcs, Prepared, prepare};
use crate::read::{ReadError, read};

/// The name of the only thread.
const THREAD: &[u8] = b"page";

/// The prepared log from which a trace was imported.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The log and its graph.
    pub prepared: Prepared,
    /// The index in `positions` at which the commands of each op start.
    first: Vec<u32>,
    /// For each read or write, its operation in the trace; for another command, the operation that
    /// it follows.
    positions: Vec<trace::OpId>,
}

impl Origin {
    /// Returns the operation of an access in the trace.
    pub fn position(&self, access: Access) -> trace::OpId {
        self.positions[self.first[access.op().index()] as usize + access.command()]
    }
}

/// The result of an import.
pub struct Import {
    /// The log as a trace.
    pub trace: Trace,
    /// The anomalies found in the log.
    pub diagnostics: Vec<Diagnostic>,
    /// The prepared log.
    pub origin: Origin,
}

/// Reads and prepares a log, as the original's web page does.
pub fn import(bytes: &[u8]) -> Result<Import, ReadError> {
    let (log, diagnostics) = read(bytes)?;
    let prepared = prepare(log, LoggedArcs::All);
    let mut importer = Importer::new(&prepared);
    for op in prepared.graph.live_ops() {
        importer.event(op);
    }
    let Importer { builder, first, positions, .. } = importer;
    let (trace, _) = builder.finish();
    Ok(Import { trace, diagnostics, origin: Origin { prepared, first, positions } })
}

struct Importer<'a> {
    prepared: &'a Prepared,
    builder: TraceBuilder,
    thread: ThreadId,
    /// The event that each op became.
    events: Vec<Option<EventId>>,
    locations: HashMap<VarId, LocationId>,
    scopes: HashMap<ScopeId, (FunctionId, Option<SourceId>, Option<Provenance>)>,
    first: Vec<u32>,
    positions: Vec<trace::OpId>,
}

impl<'a> Importer<'a> {
    fn new(prepared: &'a Prepared) -> Self {
        let mut builder = TraceBuilder::new();
        builder.set_model(b"event");
        let thread = builder.names().threads.intern(THREAD);
        Self {
            prepared,
            builder,
            thread,
            events: vec![None; prepared.log.op_count()],
            locations: HashMap::new(),
            scopes: HashMap::new(),
            first: vec![0; prepared.log.op_count()],
            positions: Vec::new(),
        }
    }

    fn log(&self) -> &'a ActionLog {
        &self.prepared.log
    }

    fn event(&mut self, op: OpId) {
        let log = self.log();
        let number = log.number(op);
        let event = self.builder.names().events.intern(number.to_string().as_bytes());
        self.events[op.index()] = Some(event);
        self.first[op.index()] = self.positions.len() as u32;
        let plain = Attributes { source_id: Some(u64::from(number)), ..Attributes::default() };
        let scope = log.first_scope(op, usize::MAX);
        let event_type = event_type(log.kind(op), scope);
        let event_type = event_type.map(|name| self.builder.text(name));
        let event_name = scope.map(|scope| self.builder.text(scope));
        self.push(Op::Begin(event), Attributes { event_type, event_name, ..plain });
        for predecessor in self.prepared.graph.predecessors(op).filter(|&before| before < op) {
            if let Some(before) = self.events[predecessor.index()] {
                self.push(Op::Arc(before, event), plain);
            }
        }
        for (index, &command) in log.commands(op).iter().enumerate() {
            self.command(op, index, command, plain);
            self.positions.push(trace::OpId::new(self.builder.len() - 1));
        }
        self.push(Op::End(event), plain);
    }

    fn push(&mut self, op: Op, attributes: Attributes) {
        self.builder.push(self.thread, op, attributes);
    }

    fn command(&mut self, op: OpId, index: usize, command: Command, plain: Attributes) {
        let access = match command {
            Command::Enter(scope) => {
                let (function, source, provenance) = self.scope(scope);
                let attributes = Attributes { source, provenance, ..plain };
                return self.push(Op::Enter(function), attributes);
            }
            Command::Exit => return self.push(Op::Leave, plain),
            Command::Read(cell) => Op::Read(self.location(cell)),
            Command::Write(cell) => Op::Write(self.location(cell)),
            Command::Trigger(_) | Command::Value(_) | Command::Void => return,
        };
        let value = self.log().value_of(op, index).map(|value| self.log().value_text(value));
        let value = value.map(|text| self.builder.text(text));
        self.push(access, Attributes { value, ..plain });
    }

    fn scope(&mut self, scope: ScopeId) -> (FunctionId, Option<SourceId>, Option<Provenance>) {
        if let Some(&known) = self.scopes.get(&scope) {
            return known;
        }
        let text = self.log().scope_text(scope);
        let function = self.builder.names().functions.intern(text);
        let source = position(text).map(|(file, line)| {
            let file = self.builder.text(file);
            self.builder.source(Source { file, line, column: None })
        });
        let is_script = [&b"Call ("[..], b"Exec (", b"JS["].iter().any(|p| text.starts_with(p));
        let made = (function, source, is_script.then_some(Provenance::User));
        self.scopes.insert(scope, made);
        made
    }

    /// Returns the location of a cell. Cells are distinguished by id: if two cells have the same
    /// name, the second location's name includes the cell's id.
    fn location(&mut self, cell: VarId) -> LocationId {
        if let Some(&known) = self.locations.get(&cell) {
            return known;
        }
        let name = self.log().var_name(cell);
        let names = &mut self.builder.names().locations;
        let location = match names.find(name) {
            None => names.intern(name),
            Some(_) => names.intern(&[name, format!("~{}", cell.index()).as_bytes()].concat()),
        };
        let kind = match kind(name) {
            Kind::Known(kind) => kind,
            Kind::Timer => LocationKind::Other(self.builder.text(b"timer")),
        };
        self.builder.set_location_kind(location, kind);
        self.locations.insert(cell, location);
        location
    }
}

/// Returns the type of event that an op handled, if its kind or its first scope shows it.
fn event_type(kind: OpKind, scope: Option<&[u8]>) -> Option<&'static [u8]> {
    match scope {
        Some(scope) if scope.starts_with(b"fire:readystatechange") => {
            return Some(b"readystatechange");
        }
        Some(scope) if scope.starts_with(b"fire:unloa") || scope == b"delete_document" => {
            return Some(b"unload");
        }
        _ => {}
    }
    match kind {
        OpKind::Unknown => None,
        OpKind::Timer => Some(b"timer"),
        OpKind::UserInterface => Some(b"ui"),
        OpKind::Network => Some(b"network"),
        OpKind::Continuation => Some(b"continuation"),
    }
}

/// Returns the address and first line in `Call (…) line A-B url [[function:P]]`.
fn position(scope: &[u8]) -> Option<(&[u8], u32)> {
    let rest = scope.strip_prefix(b"Call (").or_else(|| scope.strip_prefix(b"Exec ("))?;
    let at = memchr::memmem::find(rest, b") line ")?;
    let rest = &rest[at + b") line ".len()..];
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let line = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let url = &rest[memchr::memchr(b' ', rest)? + 1..];
    let url = &url[..memchr::memmem::find(url, b" [[").unwrap_or(url.len())];
    (!url.is_empty()).then_some((url, line))
}

enum Kind {
    Known(LocationKind),
    Timer,
}

/// Returns the kind of a cell, by the recorder's naming.
fn kind(name: &[u8]) -> Kind {
    let starts = |prefixes: &[&[u8]]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let holds = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    Kind::Known(if holds(b".cookie") {
        LocationKind::Cookie
    } else if holds(b"localStorage") || holds(b"sessionStorage") {
        LocationKind::Storage
    } else if starts(&[b"CachedResource-", b"ScriptRunner-"]) {
        LocationKind::Resource
    } else if starts(&[b"DOMNode[", b"Tree[", b"NodeTree:", b"CSSStyleDeclaration["]) {
        LocationKind::Dom
    } else if starts(&[b"Timer:"]) {
        return Kind::Timer;
    } else if is_handler(name) {
        LocationKind::Handler
    } else {
        LocationKind::User
    })
}

/// Returns whether a name has the form `TAG[P].event`. Only nodes of the page's tree are named by
/// their address.
fn is_handler(name: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(name, b"[0x") else { return false };
    let is_tag = name[..at].iter().all(|&byte| byte.is_ascii_uppercase() || is_tag_byte(byte));
    let is_document = &name[..at] == b"#document";
    (is_tag || is_document) && memchr::memmem::find(&name[at..], b"].").is_some()
}

fn is_tag_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_of_script_names_its_place() {
        let call = b"Call (fn=12 #34) line 5-9 http://a/b.js [[function:0x1]]";
        assert_eq!(position(call), Some((&b"http://a/b.js"[..], 5)));
        assert_eq!(
            position(b"Exec (fn=-1 #0) line 1-2 about:blank"),
            Some((&b"about:blank"[..], 1))
        );
        for none in
            [&b"Call (#3) lineup"[..], b"event:click", b"Call () line x y", b"Call () line 5-9 "]
        {
            assert_eq!(position(none), None, "{}", none.escape_ascii());
        }
    }

    #[test]
    fn cells_are_known_by_their_names() {
        let known = |name: &[u8]| match kind(name) {
            Kind::Known(kind) => Some(kind),
            Kind::Timer => None,
        };
        assert_eq!(known(b"SPAN[0x7f].click"), Some(LocationKind::Handler));
        assert_eq!(known(b"#document[0x7f].load"), Some(LocationKind::Handler));
        assert_eq!(known(b"[0x7f].focus"), Some(LocationKind::Handler));
        assert_eq!(known(b"DOMNode[0x7f].style"), Some(LocationKind::Dom));
        assert_eq!(known(b"Tree[0x7f]:id"), Some(LocationKind::Dom));
        assert_eq!(known(b"DOMNode[3].cookie"), Some(LocationKind::Cookie));
        assert_eq!(known(b"CachedResource-0x1-0x2"), Some(LocationKind::Resource));
        assert_eq!(known(b"Timer:3"), None);
        assert_eq!(known(b"Window[26].clearText"), Some(LocationKind::User));
        assert_eq!(known(b"Object[12].f"), Some(LocationKind::User));
    }
}
