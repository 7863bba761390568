//! From a log to its happens-before graph, in the original's six steps.
//!
//! Step 0 adds the logged arcs, A drops what does nothing and leads nowhere, B undoes the order
//! that automatic exploration imposed, C orders the users of a script or resource, D orders the
//! accesses to an event target after the write they depend on and renames the target by that
//! write, E derives the order of timers. Each step sees the graph the steps before it left, and
//! the order in which arcs are added is part of the result.

mod dropped;
mod exploration;
mod scripts;
mod targets;
mod timers;

use crate::graph::{Graph, Search};
use crate::log::ActionLog;

/// How step 0 adds the logged arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoggedArcs {
    /// Every arc, as the original's web page does.
    #[default]
    All,
    /// Only arcs whose order is not there yet, as the original's `racestats` does. An arc left out
    /// because of a path that step B breaks later is lost, so this may order less.
    Needed,
}

/// What the steps counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes of the original's graph: the largest op number plus one.
    pub nodes: usize,
    /// Arcs in the log, repeated ones included.
    pub arcs: usize,
    /// Arcs step 0 counted: those needed, or all.
    pub logged: usize,
    /// Nodes dropped by step A.
    pub dropped: usize,
    /// Explored ops made independent by step B.
    pub independent: usize,
    /// Arcs of step C.
    pub script_arcs: usize,
    /// Arcs of step D.
    pub target_arcs: usize,
    /// Arcs with a delay whose ends both live, considered by step E.
    pub timed: usize,
    /// Arcs of step E.
    pub timer_arcs: usize,
}

/// A log ready for detection.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The log, with event targets renamed by step D.
    pub log: ActionLog,
    /// The graph before step E: the order without timers.
    pub untimed: Graph,
    /// The graph after step E.
    pub graph: Graph,
    /// What the steps counted.
    pub counters: Counters,
}

/// Runs the six steps.
pub fn prepare(mut log: ActionLog, arcs: LoggedArcs) -> Prepared {
    let mut graph = Graph::new(log.op_count());
    let mut search = Search::new(log.op_count());
    let mut counters =
        Counters { nodes: log.node_count(), arcs: log.arcs.len(), ..Counters::default() };
    counters.logged = add_logged_arcs(&log, arcs, &mut graph, &mut search);
    // A number without a row has neither commands nor successors.
    counters.dropped =
        log.node_count() - log.op_count() + dropped::drop_idle_ends(&log, &mut graph);
    counters.independent = exploration::free_explored_ops(&log, &mut graph);
    counters.script_arcs = scripts::order_resources(&log, &mut graph, &mut search);
    counters.target_arcs = targets::order_and_rename(&mut log, &mut graph, &mut search);
    let untimed = graph.clone();
    let timed = timers::timed_arcs(&log, &graph);
    counters.timed = timed.len();
    counters.timer_arcs = timers::order_timers(&timed, &mut graph, &mut search);
    Prepared { log, untimed, graph, counters }
}

fn add_logged_arcs(
    log: &ActionLog,
    arcs: LoggedArcs,
    graph: &mut Graph,
    search: &mut Search,
) -> usize {
    match arcs {
        LoggedArcs::All => {
            for arc in &log.arcs {
                graph.add(arc.tail, arc.head);
            }
            log.arcs.len()
        }
        LoggedArcs::Needed => {
            log.arcs.iter().filter(|arc| search.need(graph, arc.tail, arc.head)).count()
        }
    }
}
