//! The request for an analysis, and checks whether it can be fulfilled.

use codec::{Loaded, Origin};
use order::{Closure, Model, Oracle, RuleSet, Stream};
use races::{PairMode, fasttrack};
use trace::Trace;
use triage::Lists;

use crate::error::{Error, Unsuitable};
use crate::log::CLOCK_LIMIT;

/// The algorithm that finds races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Clocks over the whole trace: exact, for traces of any length whose ordering operations fit into
    /// memory.
    Graph,
    /// The definition of happens-before itself: exact and slow.
    Oracle,
    /// One pass, without the trace in memory. In model `threads` it finds the first race of each
    /// location, under the model's own rules. It keeps no order.
    Stream,
}

impl Engine {
    /// Every engine. The first is the default.
    pub const ALL: [Self; 3] = [Self::Graph, Self::Oracle, Self::Stream];

    /// The name of the engine in reports and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Oracle => "oracle",
            Self::Stream => "stream",
        }
    }
}

/// A tool whose logs are reported as that tool reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compat {
    /// Races, coverage, tags and levels of EventRacer.
    EventRacer,
    /// The pairs that DroidRacer prints. See [`crate::compat::droidracer_trailer`].
    DroidRacer,
}

/// The choice of the model for a trace, with its switches.
///
/// The model is the first of these that is given: the requested one, the project's, the trace's
/// own, `android`. A switch is `+` or `-` and the name of a rule.
#[derive(Clone, Copy, Default)]
pub struct ModelChoice<'a> {
    /// The requested model.
    pub model: Option<&'static Model>,
    /// The requested switches. The model must have their rules.
    pub switches: &'a [String],
    /// The project's model, if none is requested.
    pub project_model: Option<&'static Model>,
    /// The project's switches, which apply if the model has their rules.
    pub project_switches: &'a [String],
    /// The length of the window in nanoseconds, which switches rule WINDOW on.
    pub window: Option<u64>,
}

impl ModelChoice<'_> {
    /// Returns the rules for `trace`.
    pub fn rules(&self, trace: &Trace) -> Result<RuleSet, Error> {
        self.rules_of(trace.model())
    }

    /// Returns the rules for a trace that asks for `model`.
    pub(crate) fn rules_of(&self, model: Option<&[u8]>) -> Result<RuleSet, Error> {
        let model = match (self.model.or(self.project_model), model) {
            (Some(model), _) => model,
            (None, Some(name)) => {
                Model::named(name).ok_or_else(|| Error::UnknownModel(name.to_vec()))?
            }
            (None, None) => &order::ANDROID,
        };
        let mut rules = model.default_rules();
        let concerns =
            |switch: &&String| model.rules.iter().any(|(rule, _)| switch[1..] == *rule.name);
        for switch in self.project_switches.iter().filter(concerns).chain(self.switches) {
            let (sign, name) = switch.split_at_checked(1).unwrap_or(("", switch));
            match sign {
                "+" => rules.switch(name, true)?,
                "-" => rules.switch(name, false)?,
                _ => return Err(Error::Switch(switch.clone())),
            }
        }
        if let Some(length) = self.window {
            rules.set_window(length)?;
        }
        Ok(rules)
    }
}

/// The lengths from which on a file is read in passes instead of into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// The length of a native file, in bytes. Shorter files are read as fast into memory.
    pub native: u64,
    /// The length in bytes that an STD log must exceed to be read by engine `stream` if no engine
    /// is requested.
    pub log: u64,
}

impl Default for Thresholds {
    /// The default for logs, 512 KiB, is about forty thousand operations.
    fn default() -> Self {
        Self { native: 64 << 10, log: 512 << 10 }
    }
}

/// A request for an analysis.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The model and its switches.
    pub model: ModelChoice<'a>,
    /// The pairs that are listed.
    pub pairs: PairMode,
    /// The engine. If it is `None`, long STD logs use `stream` and everything else `graph`.
    pub engine: Option<Engine>,
    /// The lists of known functions and locations of platforms.
    pub lists: &'a Lists,
    /// The tool whose verdicts on its own log are requested, if any.
    pub compat: Option<Compat>,
    /// Whether every operation of a native file is kept in memory, for callers that need more of
    /// the trace than its races. An STD log that engine `stream` reads is never kept.
    pub whole_trace: bool,
    /// The lengths from which on files are read in passes.
    pub thresholds: Thresholds,
    /// The number of bytes that closing happens-before may take before engine `stream` is chosen, if no
    /// engine is requested.
    pub memory: Option<usize>,
    /// Whether engine `stream` passes races to the watch while it reads ([`crate::Milestone::Race`]).
    pub live: bool,
}

impl<'a> Request<'a> {
    /// Returns a request with these lists and defaults for everything else.
    pub fn new(lists: &'a Lists) -> Self {
        Self {
            model: ModelChoice::default(),
            pairs: PairMode::Candidates,
            engine: None,
            lists,
            compat: None,
            whole_trace: false,
            thresholds: Thresholds::default(),
            memory: None,
            live: false,
        }
    }

    /// Fails if no input can fulfil the request. [`crate::run`] checks this too.
    pub fn check(&self) -> Result<(), Error> {
        let all_pairs = matches!(self.pairs, PairMode::All);
        if self.engine == Some(Engine::Stream) && all_pairs && !self.is_as_droidracer() {
            return Err(Unsuitable::StreamAllPairs.into());
        }
        Ok(())
    }

    pub(crate) fn is_as_droidracer(&self) -> bool {
        self.compat == Some(Compat::DroidRacer)
    }

    /// Returns whether a native file of this many bytes is read in passes.
    pub(crate) fn passes_native(&self, length: u64) -> bool {
        matches!(self.engine, None | Some(Engine::Graph))
            && self.compat.is_none()
            && !self.whole_trace
            && length >= self.thresholds.native
    }

    /// Returns whether engine `stream` reads a native file or pipe in one pass, unless its model is
    /// `threads`, which is for traces in memory.
    pub(crate) fn streams_native(&self) -> bool {
        self.engine == Some(Engine::Stream)
            && self.compat.is_none()
            && !self.whole_trace
            && !self.model.model.or(self.model.project_model).is_some_and(|model| model.streams)
    }

    /// Returns whether engine `stream` is chosen for a trace whose order takes this many bytes.
    pub(crate) fn outgrows(&self, needed: usize, rules: &RuleSet) -> Option<usize> {
        let free = self.memory.filter(|&free| needed > free && self.engine.is_none())?;
        Stream::new(rules).is_ok().then_some(free)
    }

    /// Returns whether engine `stream` reads an STD log of this many bytes directly from its file.
    pub(crate) fn streams_log(&self, length: u64) -> bool {
        let by_length = match self.engine {
            Some(Engine::Stream) => true,
            Some(Engine::Graph | Engine::Oracle) => false,
            None => length > self.thresholds.log,
        };
        by_length
            && !self.is_as_droidracer()
            && !matches!(self.pairs, PairMode::All)
            && self.model.model.is_none_or(|model| model.streams)
            && self.model.switches.is_empty()
    }

    /// Returns the engine for a trace in memory. Fails if it cannot fulfil the request.
    pub(crate) fn engine_for(&self, loaded: &Loaded, rules: &RuleSet) -> Result<Engine, Error> {
        let engine = self.engine.unwrap_or(Engine::Graph);
        if self.is_as_droidracer() {
            crate::compat::check_droidracer(loaded, rules, self.pairs)?;
        }
        match engine {
            Engine::Stream if rules.model().streams => {
                check_stream_rules(rules)?;
                check_stream_memory(&loaded.trace)?;
            }
            Engine::Oracle => check_oracle_memory(&loaded.trace, rules)?,
            Engine::Stream | Engine::Graph => {}
        }
        let is_own = matches!(loaded.origin, Some(Origin::EventRacer(_)))
            && rules.model().closure == Closure::Events;
        if self.compat == Some(Compat::EventRacer) && !is_own {
            return Err(Unsuitable::NoEventRacerLog.into());
        }
        Ok(engine)
    }
}

/// The largest number of bytes that the oracle's relation may take.
const ORACLE_LIMIT: usize = 4 << 30;

/// Fails if the oracle's relation would exceed its memory limit.
pub fn check_oracle_memory(trace: &Trace, rules: &RuleSet) -> Result<(), Error> {
    let needed = Oracle::bytes_needed(trace, rules);
    if needed > ORACLE_LIMIT {
        return Err(Unsuitable::OracleMemory { needed, operations: trace.len() }.into());
    }
    Ok(())
}

fn check_stream_rules(rules: &RuleSet) -> Result<(), Error> {
    let model = rules.model();
    if let Some((rule, _)) = model.rules.iter().find(|(rule, _)| !rules.contains(rule)) {
        return Err(Unsuitable::StreamRule(rule.name).into());
    }
    Ok(())
}

fn check_stream_memory(trace: &Trace) -> Result<(), Error> {
    let needed = fasttrack::bytes_needed(trace);
    if needed > CLOCK_LIMIT {
        let threads = trace.names().threads.len();
        return Err(Unsuitable::StreamMemory { needed, threads }.into());
    }
    Ok(())
}
