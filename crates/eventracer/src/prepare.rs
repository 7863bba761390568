//! Builds the happens-before graph of a log, in the original's six stages.
//!
//! Stage 0 adds the logged arcs. Stage A drops ops that do nothing and lead nowhere. Stage B
//! removes the order that automatic exploration imposed. Stage C orders the users of a script or
//! resource. Stage D orders the accesses to an event target after the write on which they depend,
//! and renames the target by that write. Stage E derives the order of timers. Each stage works on
//! the graph that the previous ones left, and the order in which arcs are added affects the result.

mod dropped;
mod exploration;
mod scripts;
mod targets;
mod timers;

use crate::graph::{Graph, Search};
use crate::log::ActionLog;

/// How stage 0 adds the logged arcs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoggedArcs {
    /// Every arc, as the original's web page does.
    #[default]
    All,
    /// Only arcs whose order does not exist yet, as the original's `racestats` does. An arc left
    /// out because of a path that stage B breaks later is lost, so this may order less.
    Needed,
}

/// The counts of the stages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Nodes of the original's graph: the largest op number plus one.
    pub nodes: usize,
    /// Arcs in the log, repeated ones included.
    pub arcs: usize,
    /// The arcs that stage 0 counted: those needed, or all.
    pub logged: usize,
    /// The nodes that stage A dropped.
    pub dropped: usize,
    /// The explored ops that stage B made independent.
    pub independent: usize,
    /// The arcs that stage C added.
    pub script_arcs: usize,
    /// The arcs that stage D added.
    pub target_arcs: usize,
    /// The arcs with a delay whose ends both live, which stage E considered.
    pub timed: usize,
    /// The arcs that stage E added.
    pub timer_arcs: usize,
}

/// A log ready for detection.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The log, with event targets renamed by stage D.
    pub log: ActionLog,
    /// The graph before stage E, which is the order without timers.
    pub untimed: Graph,
    /// The graph after stage E.
    pub graph: Graph,
    /// The counts of the stages.
    pub counters: Counters,
}

/// Runs the six stages.
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
