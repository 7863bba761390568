//! Race coverage by EventRacer's definition (OOPSLA'13, §3.1), in near-linear time.
//!
//! Races S₁…Sₙ, Sᵢ = (cᵢ, dᵢ), cover a race (a, b) when ev(a) ≼ ev(c₁), ev(dᵢ) ≼ ev(cᵢ₊₁) and
//! dₙ comes before b: inside the same event, or ev(dₙ) ≺ ev(b). A race with the same second
//! access does not cover: b can then be the access that comes too early for both.
//!
//! The paper's algorithm takes O(n·m + m³). Here candidates are processed in the order in which
//! their second events begin, and in each event in the order of b. This is the order of b unless
//! events of several threads overlap. The clocks are those of happens-before, extended by an edge
//! ev(c) → d for each uncovered race (c, d) so far. A race is covered exactly if its first event is in the clock that its second event has
//! reached by b: a covering chain of covered races can be replaced by one of uncovered races, and
//! these are the edges. All candidates with the same b are decided before any of their edges is
//! added. An edge holds from d on, so also for the rest of d's own event. It starts at the whole
//! event ev(c), so later events join an event's final clock. For single coverage, a second clock
//! joins, for every candidate (c, d), what happens before ev(c) without the extension.
//!
//! The sweep takes O((arcs + candidates) × chains) time at worst. Clocks share their equal parts,
//! and an event that no edge has reached keeps the clock of the order.

use hashbrown::HashSet;

use super::chains::Chains;
use super::clocks::{ChainClocks, RowBuilder, RowId, Rows};
use super::{CandidateId, NodeId};

/// A race as the input of coverage. The position of its first access is not needed: only its event
/// counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The event of the first access, ev(a).
    pub first: NodeId,
    /// The event of the second access, ev(b); unordered with the first, and after it in the trace.
    pub second: NodeId,
    /// The position of the second access, b, in the trace. Races that share b have equal positions.
    pub position: u64,
    /// Whether this race may cover others.
    pub may_cover: bool,
}

/// Whether other races cover a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Covered {
    /// No set of races covers it: both orders of its accesses are feasible.
    Uncovered,
    /// One race covers it.
    Singly,
    /// No one race covers it, but several together do.
    Multiply,
}

/// The coverage of all candidates under one order of events.
#[derive(Debug)]
pub struct Coverage<'a> {
    pub(super) order: &'a ChainClocks,
    pub(super) candidates: &'a [Candidate],
    covered: Vec<Covered>,
    /// The first candidate that may cover, for each pair of events, in the order of the sweep. It
    /// has the least position of its pair, so it covers and continues whatever another candidate of
    /// the pair does.
    pub(super) leaders: Vec<CandidateId>,
}

/// Computes the coverage of the candidates. The id of a candidate is its index.
///
/// Events are numbered so that each comes after those that happen before it and after the first
/// events of its candidates. Candidates must be sorted by position.
pub fn cover<'a>(order: &'a ChainClocks, candidates: &'a [Candidate]) -> Coverage<'a> {
    debug_assert!(
        candidates.is_sorted_by_key(|race| race.position),
        "candidates are sorted by their second access"
    );
    debug_assert!(candidates.iter().all(|race| race.first < race.second), "races lead forward");
    let mut in_order: Vec<CandidateId> = (0..candidates.len()).map(CandidateId::new).collect();
    in_order.sort_by_key(|race| candidates[race.index()].second);
    let of = |race: &CandidateId| &candidates[race.index()];
    let mut sweep = Sweep::new(order);
    let mut covered = vec![Covered::Uncovered; candidates.len()];
    for of_event in in_order.chunk_by(|a, b| of(a).second == of(b).second) {
        sweep.enter(of(&of_event[0]).second);
        for of_access in of_event.chunk_by(|a, b| of(a).position == of(b).position) {
            for race in of_access {
                covered[race.index()] = sweep.state(of(race));
            }
            for race in of_access.iter().filter(|race| of(race).may_cover) {
                sweep.add(of(race), covered[race.index()] == Covered::Uncovered);
            }
        }
    }
    let leaders = leaders(candidates, in_order);
    Coverage { order, candidates, covered, leaders }
}

/// The clocks at the current position of the sweep.
struct Sweep<'a> {
    order: &'a ChainClocks,
    /// The event of the current position.
    current: Option<NodeId>,
    /// Happens-before extended by the edges of uncovered races. Like the clocks of the order, these
    /// clocks have no entry for the event's own chain.
    extended: EventClocks,
    /// The events that happen before the first event of some candidate processed so far.
    single: EventClocks,
}

/// A clock for each event that the sweep has entered. That of the current event is under
/// construction.
#[derive(Debug)]
struct EventClocks {
    rows: Rows,
    current: RowBuilder,
    of: Vec<RowId>,
}

impl EventClocks {
    fn new(rows: Rows, events: usize) -> Self {
        Self { rows, current: RowBuilder::default(), of: Vec::with_capacity(events) }
    }

    /// Finishes the clock under construction, as that of the next event.
    fn add(&mut self) {
        let row = self.current.finish(&mut self.rows);
        self.of.push(row);
    }

    fn leave(&mut self, event: NodeId) {
        self.of[event.index()] = self.current.finish(&mut self.rows);
    }

    fn enter(&mut self, event: NodeId) {
        self.current.start(&self.rows, self.of[event.index()]);
    }

    /// Returns whether the current clock has reached a place.
    fn holds(&self, (chain, position): (u32, u32)) -> bool {
        self.current.get(&self.rows, chain) >= position
    }

    /// Joins the clock of an event at `place`.
    fn join(&mut self, clock: RowId, place: (u32, u32)) {
        if !self.holds(place) {
            self.current.join(&mut self.rows, clock);
            self.current.raise(&mut self.rows, place.0, place.1);
        }
    }
}

impl<'a> Sweep<'a> {
    fn new(order: &'a ChainClocks) -> Self {
        let clocks = || EventClocks::new(order.rows().clone(), order.len());
        Self { order, current: None, extended: clocks(), single: clocks() }
    }

    /// Leaves the current event, starts all events up to `event`, and enters that one.
    fn enter(&mut self, event: NodeId) {
        if let Some(left) = self.current.replace(event) {
            self.extended.leave(left);
            self.single.leave(left);
        }
        for started in self.extended.of.len()..=event.index() {
            self.start(NodeId::new(started));
        }
        self.extended.enter(event);
        self.single.enter(event);
    }

    fn start(&mut self, event: NodeId) {
        let predecessors = self.order.predecessors(event);
        let EventClocks { rows, current, of } = &mut self.extended;
        if predecessors.iter().any(|node| of[node.index()] != self.order.clock(*node)) {
            self.order.start_clock(event, of, rows, current);
        } else {
            current.start(rows, self.order.clock(event));
        }
        self.extended.add();
        let EventClocks { rows, current, of } = &mut self.single;
        let mut clocks = predecessors.iter().map(|node| of[node.index()]);
        current.start(rows, clocks.next().unwrap_or(RowId::ZERO));
        clocks.for_each(|clock| current.join(rows, clock));
        self.single.add();
    }

    fn state(&self, race: &Candidate) -> Covered {
        debug_assert!(!self.order.le(race.first, race.second), "ordered accesses do not race");
        let place = self.order.place(race.first);
        if self.single.holds(place) {
            Covered::Singly
        } else if self.extended.holds(place) {
            Covered::Multiply
        } else {
            Covered::Uncovered
        }
    }

    /// Adds a candidate for the accesses after its second one; `is_edge` states that it is
    /// uncovered.
    fn add(&mut self, race: &Candidate, is_edge: bool) {
        let place = self.order.place(race.first);
        if is_edge {
            self.extended.join(self.extended.of[race.first.index()], place);
        }
        self.single.join(self.order.clock(race.first), place);
    }
}

/// See [`Coverage::leaders`]. `in_order` has all candidates in the order of the sweep.
fn leaders(candidates: &[Candidate], in_order: Vec<CandidateId>) -> Vec<CandidateId> {
    let mut known = HashSet::new();
    let mut leaders = in_order;
    leaders.retain(|race| {
        let race = &candidates[race.index()];
        race.may_cover && known.insert((race.first, race.second))
    });
    leaders
}

impl Coverage<'_> {
    /// Returns whether a candidate is covered.
    pub fn of(&self, race: CandidateId) -> Covered {
        self.covered[race.index()]
    }

    /// Returns the state of each candidate.
    pub fn states(&self) -> &[Covered] {
        &self.covered
    }

    /// Returns a search for the chains that cover candidates.
    pub fn chains(&self) -> Chains<'_> {
        Chains::new(self)
    }

    pub(super) fn candidate(&self, race: CandidateId) -> &Candidate {
        &self.candidates[race.index()]
    }
}
