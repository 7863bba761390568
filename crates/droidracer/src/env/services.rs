//! Services, by the name of their class.
//!
//! Two protocols share a record. *Started*: each `REQUEST_START` is answered by the SERVICE-ARGS of
//! its intent. *Bound*: the first `REQUEST_BIND` is answered by BIND, each connection by a
//! `SERVICE_CONNECT`, its unbinds by UNBIND. CREATE answers whichever request came first and
//! precedes both; STOP follows both, and the first `REQUEST_STOP` unless nothing was ever started.
//! The callbacks of each protocol are chained.
//!
//! A connection is bound to a service once; binding it again counts only after an unbind.

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::log::{Hash, ServiceState, Symbol};
use crate::rules::Rule;

#[derive(Default)]
pub(super) struct Services {
    services: HashMap<Symbol, ServiceRecord>,
    /// `REQUEST_START`s not yet answered, by intent.
    starts: HashMap<Hash, OpId>,
    connections: HashMap<Hash, Vec<Connection>>,
}

struct ServiceRecord {
    request: OpId,
    first_bind: Option<OpId>,
    first_stop: Option<OpId>,
    bind: Option<OpId>,
    create: Option<OpId>,
    previous_started: Option<OpId>,
    previous_bound: Option<OpId>,
    unbinds: Vec<OpId>,
}

/// A connection to one service.
struct Connection {
    service: Symbol,
    request: OpId,
    is_unbound: bool,
}

impl ServiceRecord {
    fn new(request: OpId) -> Self {
        Self {
            request,
            first_bind: None,
            first_stop: None,
            bind: None,
            create: None,
            previous_started: None,
            previous_bound: None,
            unbinds: Vec::new(),
        }
    }
}

impl Services {
    pub(super) fn step(
        &mut self,
        base: &mut Base,
        op: OpId,
        service: Symbol,
        key: Hash,
        state: ServiceState,
    ) {
        match state {
            ServiceState::RequestStart => {
                self.starts.insert(key, op);
                self.services.entry(service).or_insert_with(|| ServiceRecord::new(op));
            }
            ServiceState::RequestBind => self.request_bind(op, service, key),
            ServiceState::RequestUnbind => self.request_unbind(op, key),
            ServiceState::Args => {
                if let Some(start) = self.starts.remove(&key) {
                    base.enable(start, op, Rule::Service);
                }
                if let Some(record) = self.services.get_mut(&service) {
                    chain(base, record.previous_started.replace(op), op);
                }
            }
            ServiceState::Connect => self.connect(base, op, service, key),
            ServiceState::Stop => self.stop(base, op, service),
            _ => {
                if let Some(record) = self.services.get_mut(&service) {
                    record.step(base, op, state);
                }
            }
        }
    }

    fn request_bind(&mut self, op: OpId, service: Symbol, connection: Hash) {
        let record = self.services.entry(service).or_insert_with(|| ServiceRecord::new(op));
        record.first_bind.get_or_insert(op);
        let bound = self.connections.entry(connection).or_default();
        match bound.iter_mut().find(|bound| bound.service == service) {
            None => bound.push(Connection { service, request: op, is_unbound: false }),
            Some(bound) if bound.is_unbound => {
                *bound = Connection { service, request: op, is_unbound: false };
            }
            Some(_) => {}
        }
    }

    fn request_unbind(&mut self, op: OpId, connection: Hash) {
        for bound in self.connections.get_mut(&connection).into_iter().flatten() {
            if bound.is_unbound {
                continue;
            }
            bound.is_unbound = true;
            if let Some(record) = self.services.get_mut(&bound.service) {
                record.unbinds.push(op);
            }
        }
    }

    fn connect(&mut self, base: &mut Base, op: OpId, service: Symbol, connection: Hash) {
        if let Some(bind) = self.services.get(&service).and_then(|record| record.bind) {
            base.enable(bind, op, Rule::Service);
        }
        let bound = self.connections.get(&connection).into_iter().flatten();
        let request = bound.filter(|bound| bound.service == service).map(|bound| bound.request);
        for request in request {
            if base.post_of(op).is_some_and(|post| request < post) {
                base.enable(request, op, Rule::Service);
            }
        }
    }

    fn stop(&mut self, base: &mut Base, op: OpId, service: Symbol) {
        let Some(record) = self.services.remove(&service) else { return };
        chain(base, record.previous_bound, op);
        chain(base, record.previous_started, op);
        let was_started = record.previous_started != record.create;
        if let Some(stop) = record.first_stop.filter(|_| was_started) {
            base.enable(stop, op, Rule::Service);
        }
    }
}

impl ServiceRecord {
    fn step(&mut self, base: &mut Base, op: OpId, state: ServiceState) {
        match state {
            ServiceState::Create => {
                base.enable(self.request, op, Rule::Service);
                self.create = Some(op);
                self.previous_started = Some(op);
                self.previous_bound = Some(op);
            }
            ServiceState::Bind => {
                if let Some(request) = self.first_bind {
                    base.enable(request, op, Rule::Service);
                }
                chain(base, self.previous_bound.replace(op), op);
                self.bind = Some(op);
            }
            ServiceState::Unbind => {
                for request in self.unbinds.drain(..) {
                    base.enable(request, op, Rule::Service);
                }
                chain(base, self.previous_bound.replace(op), op);
                self.first_bind = None;
                self.bind = None;
            }
            ServiceState::RequestStop => {
                self.first_stop.get_or_insert(op);
            }
            _ => {}
        }
    }
}

fn chain(base: &mut Base, previous: Option<OpId>, op: OpId) {
    if let Some(previous) = previous {
        base.chain(previous, op, Rule::Service);
    }
}
