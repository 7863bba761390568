//! The rules of services, which are identified by the name of their class.
//!
//! Two protocols share a record. *Started*: the SERVICE-ARGS of its intent answers each
//! `REQUEST_START`. *Bound*: BIND answers the first `REQUEST_BIND`, a `SERVICE_CONNECT` answers
//! each connection, and UNBIND answers the connection's unbinds. CREATE answers whichever request
//! came first and precedes both protocols. STOP follows both, and the first `REQUEST_STOP` unless
//! nothing was ever started. The callbacks of each protocol are chained.
//!
//! A connection is bound to a service once. Binding it again counts only after an unbind, and
//! cancels that unbind. UNBIND ends the bound protocol: the next `REQUEST_BIND` is again a first
//! one. The next BIND, UNBIND or STOP is still chained to this UNBIND.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::base::{Base, OpId};
use crate::log::{Hash, ServiceState, Symbol};
use crate::rules::Rule;

#[derive(Default)]
pub(super) struct Services {
    records: HashMap<Symbol, ServiceRecord>,
    /// The `REQUEST_START`s that are not yet answered, by intent.
    starts: HashMap<Hash, OpId>,
    /// The services to which each connection was bound.
    bound_to: HashMap<Hash, Vec<Symbol>>,
}

struct ServiceRecord {
    request: OpId,
    first_bind: Option<OpId>,
    first_stop: Option<OpId>,
    bind: Option<OpId>,
    create: Option<OpId>,
    previous_started: Option<OpId>,
    previous_bound: Option<OpId>,
    connections: BTreeMap<Hash, Connection>,
}

/// The requests of one connection.
struct Connection {
    bind: OpId,
    unbind: Option<OpId>,
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
            connections: BTreeMap::new(),
        }
    }
}

impl Services {
    pub(super) fn apply(
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
                self.records.entry(service).or_insert_with(|| ServiceRecord::new(op));
            }
            ServiceState::RequestBind => self.request_bind(op, service, key),
            ServiceState::RequestUnbind => self.request_unbind(op, key),
            ServiceState::Args => {
                if let Some(start) = self.starts.remove(&key) {
                    base.enable(start, op, Rule::Service);
                }
                if let Some(record) = self.records.get_mut(&service) {
                    chain(base, record.previous_started.replace(op), op);
                }
            }
            ServiceState::Connect => self.connect(base, op, service, key),
            ServiceState::Stop => self.stop(base, op, service),
            _ => {
                if let Some(record) = self.records.get_mut(&service) {
                    record.apply(base, op, state);
                }
            }
        }
    }

    fn request_bind(&mut self, op: OpId, service: Symbol, key: Hash) {
        let record = self.records.entry(service).or_insert_with(|| ServiceRecord::new(op));
        record.first_bind.get_or_insert(op);
        let is_bound = record.connections.get(&key).is_some_and(|known| known.unbind.is_none());
        if !is_bound {
            record.connections.insert(key, Connection { bind: op, unbind: None });
            self.bound_to.entry(key).or_default().push(service);
        }
    }

    /// Records an unbind. It names no service, so it concerns every service to which the connection
    /// is bound.
    fn request_unbind(&mut self, op: OpId, key: Hash) {
        for service in self.bound_to.remove(&key).unwrap_or_default() {
            let record = self.records.get_mut(&service);
            if let Some(connection) = record.and_then(|record| record.connections.get_mut(&key)) {
                connection.unbind = Some(op);
            }
        }
    }

    fn connect(&mut self, base: &mut Base, op: OpId, service: Symbol, key: Hash) {
        let Some(record) = self.records.get(&service) else { return };
        if let Some(bind) = record.bind {
            base.enable(bind, op, Rule::Service);
        }
        if let Some(connection) = record.connections.get(&key)
            && base.post_of(op).is_some_and(|post| connection.bind < post)
        {
            base.enable(connection.bind, op, Rule::Service);
        }
    }

    fn stop(&mut self, base: &mut Base, op: OpId, service: Symbol) {
        let Some(record) = self.records.remove(&service) else { return };
        chain(base, record.previous_bound, op);
        chain(base, record.previous_started, op);
        let is_only_created = record.create.is_some() && record.previous_started == record.create;
        if let Some(stop) = record.first_stop.filter(|_| !is_only_created) {
            base.enable(stop, op, Rule::Service);
        }
    }
}

impl ServiceRecord {
    fn apply(&mut self, base: &mut Base, op: OpId, state: ServiceState) {
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
                for request in self.connections.values().filter_map(|known| known.unbind) {
                    base.enable(request, op, Rule::Service);
                }
                self.connections.retain(|_, connection| connection.unbind.is_none());
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

#[cfg(test)]
mod tests {
    use super::super::testing::{edges, task};
    use crate::rules::Rule;

    fn line(service: &str, id: u32, state: &str) -> String {
        format!("TRIGGER-SERVICE tid:1 component:{service} id:{id} state:{state}")
    }

    fn request(number: u64, service: &str, id: u32, state: &str) -> String {
        format!("{number} {}\n", line(service, id, state))
    }

    fn answer(first: u64, service: &str, id: u32, state: &str) -> String {
        task(first, 9, first as u32, &[&line(service, id, state)])
    }

    fn service_edges(log: &[String]) -> Vec<(u64, u64)> {
        edges(Rule::Service, &log.concat())
    }

    /// `first` and `second` begin the tasks of two chained answers.
    fn chained(first: u64, second: u64) -> [(u64, u64); 3] {
        [(first, second), (first + 2, second + 2), (first + 3, second + 1)]
    }

    fn sorted(parts: &[&[(u64, u64)]]) -> Vec<(u64, u64)> {
        let mut all = parts.concat();
        all.sort_unstable();
        all
    }

    #[test]
    fn a_started_service_answers_each_request_once() {
        let log = [
            request(1, "S", 5, "REQUEST_START_SERVICE"),
            answer(10, "S", 0, "CREATE-SERVICE"),
            answer(20, "S", 5, "SERVICE-ARGS"),
            answer(30, "S", 5, "SERVICE-ARGS"),
            answer(40, "T", 6, "CREATE-SERVICE"),
        ];
        let enabled = [(1, 10), (1, 12), (1, 20), (1, 22)];
        let expected = sorted(&[&enabled, &chained(10, 20), &chained(20, 30)]);
        assert_eq!(service_edges(&log), expected);
    }

    #[test]
    fn a_bound_service_answers_the_first_bind_and_connects_each() {
        let log = [
            request(1, "S", 70, "REQUEST_BIND_SERVICE"),
            request(2, "S", 71, "REQUEST_BIND_SERVICE"),
            answer(10, "S", 0, "BIND-SERVICE"),
            answer(20, "S", 71, "SERVICE_CONNECT"),
            answer(30, "S", 72, "SERVICE_CONNECT"),
        ];
        let bound = [(1, 10), (1, 12)];
        let connected = [(2, 20), (2, 22), (12, 20), (12, 22), (12, 30), (12, 32)];
        assert_eq!(service_edges(&log), sorted(&[&bound, &connected]));
    }

    #[test]
    fn a_bind_logged_after_the_post_of_the_connect_does_not_enable_it() {
        let connect = line("S", 70, "SERVICE_CONNECT");
        let log = [
            "1 POST src:9 msg:1 dest:-1 delay:0\n".into(),
            request(2, "S", 70, "REQUEST_BIND_SERVICE"),
            format!("3 CALL tid:1 msg:1\n4 {connect}\n5 RET tid:1 msg:1\n"),
        ];
        assert_eq!(service_edges(&log), []);
    }

    #[test]
    fn an_unbind_follows_the_requests_of_bound_connections() {
        let log = [
            request(1, "S", 70, "REQUEST_BIND_SERVICE"),
            request(2, "", 71, "REQUEST_UNBIND_SERVICE"),
            request(3, "", 70, "REQUEST_UNBIND_SERVICE"),
            request(4, "", 70, "REQUEST_UNBIND_SERVICE"),
            answer(10, "S", 0, "UNBIND-SERVICE"),
            answer(20, "S", 0, "UNBIND-SERVICE"),
        ];
        assert_eq!(service_edges(&log), sorted(&[&[(3, 10), (3, 12)], &chained(10, 20)]));
    }

    #[test]
    fn binding_again_voids_the_unbind() {
        let log = [
            request(1, "S", 70, "REQUEST_BIND_SERVICE"),
            request(2, "", 70, "REQUEST_UNBIND_SERVICE"),
            request(3, "S", 70, "REQUEST_BIND_SERVICE"),
            answer(10, "S", 0, "UNBIND-SERVICE"),
        ];
        assert_eq!(service_edges(&log), []);
    }

    #[test]
    fn a_connection_is_bound_again_only_after_an_unbind() {
        let bind = |number| request(number, "S", 70, "REQUEST_BIND_SERVICE");
        let connect = || answer(10, "S", 70, "SERVICE_CONNECT");
        assert_eq!(service_edges(&[bind(1), bind(3), connect()]), [(1, 10), (1, 12)]);
        let unbind = request(2, "", 70, "REQUEST_UNBIND_SERVICE");
        assert_eq!(service_edges(&[bind(1), unbind, bind(3), connect()]), [(3, 10), (3, 12)]);
    }

    #[test]
    fn a_stop_follows_its_request_if_the_service_was_started() {
        let start = || request(1, "S", 5, "REQUEST_START_SERVICE");
        let stops = || {
            let first = request(2, "S", 0, "REQUEST_STOP_SERVICE");
            first + &request(3, "S", 0, "REQUEST_STOP_SERVICE")
        };
        let create = || answer(10, "S", 0, "CREATE-SERVICE");
        let args = || answer(20, "S", 5, "SERVICE-ARGS");
        let stop = || answer(30, "S", 0, "STOP-SERVICE");
        let created = [(1, 10), (1, 12)];
        let log = [start(), stops(), create(), stop()];
        assert_eq!(service_edges(&log), sorted(&[&created, &chained(10, 30)]));
        let log = [start(), stops(), create(), args(), stop(), answer(40, "S", 0, "BIND-SERVICE")];
        let answered = [(1, 20), (1, 22), (2, 30), (2, 32)];
        let chains = [chained(10, 20), chained(10, 30), chained(20, 30)].concat();
        assert_eq!(service_edges(&log), sorted(&[&created, &answered, &chains]));
    }
}
