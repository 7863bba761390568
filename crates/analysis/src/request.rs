//! What is asked of an analysis, and whether it can be given.

use codec::{Loaded, Origin};
use order::{Closure, Model, Oracle, RuleSet};
use races::{PairMode, fasttrack};
use trace::Trace;
use triage::Lists;

use crate::error::{Error, Unsuitable};
use crate::log::CLOCK_LIMIT;

/// How races are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// By an order over the whole trace.
    Batch(order::Engine),
    /// One pass, the first race of each location: model `threads` with its own rules.
    Stream,
}

impl Engine {
    /// The default: exact, at any length that fits into memory.
    pub const GRAPH: Self = Self::Batch(order::Engine::Graph);
    /// The definition.
    pub const ORACLE: Self = Self::Batch(order::Engine::Oracle);

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::GRAPH => "graph",
            Self::ORACLE => "oracle",
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

/// The model for a trace, and its switches.
///
/// The model is the first of: the one asked for, the project's, the trace's own, `android`. A switch is
/// `+` or `-` and the name of a rule.
#[derive(Clone, Copy, Default)]
pub struct ModelChoice<'a> {
    /// The model that is asked for.
    pub model: Option<&'static Model>,
    /// Switches that the model must have.
    pub switches: &'a [String],
    /// The model that a project uses where none is asked for.
    pub project_model: Option<&'static Model>,
    /// Switches of a project, for those of its models that have the rule.
    pub project_switches: &'a [String],
}

impl ModelChoice<'_> {
    /// The rules for `trace`.
    pub fn rules(&self, trace: &Trace) -> Result<RuleSet, Error> {
        let model = match (self.model.or(self.project_model), trace.model()) {
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
        Ok(rules)
    }
}

/// From which length on a file is read in passes instead of into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Bytes of a native file. Shorter ones are read as fast at once.
    pub native: u64,
    /// Bytes that an STD log must exceed to go to engine `stream` when no engine is asked for.
    pub log: u64,
}

impl Default for Thresholds {
    /// A log of 512 KiB has some forty thousand operations.
    fn default() -> Self {
        Self { native: 64 << 10, log: 512 << 10 }
    }
}

/// What is asked of an analysis.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The model and its switches.
    pub model: ModelChoice<'a>,
    /// Which pairs are listed.
    pub pairs: PairMode,
    /// How races are found. Without it, engine `stream` for long STD logs, else `graph`.
    pub engine: Option<Engine>,
    /// What triage knows about platforms.
    pub lists: &'a Lists,
    /// Report a log of another tool as that tool does.
    pub compat: Option<Compat>,
    /// Keep every operation of a native file in memory, for whoever needs more of the trace than its
    /// races. An STD log that engine `stream` reads is never kept.
    pub whole_trace: bool,
    /// From which length on files are read in passes.
    pub thresholds: Thresholds,
}

impl<'a> Request<'a> {
    /// Everything at its default, with these lists.
    pub fn new(lists: &'a Lists) -> Self {
        Self {
            model: ModelChoice::default(),
            pairs: PairMode::Candidates,
            engine: None,
            lists,
            compat: None,
            whole_trace: false,
            thresholds: Thresholds::default(),
        }
    }

    /// Fails if no input can give what is asked. [`crate::run`] checks this too.
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

    /// Whether a native file of so many bytes is read in passes.
    pub(crate) fn passes_native(&self, length: u64) -> bool {
        matches!(self.engine, None | Some(Engine::GRAPH))
            && self.compat.is_none()
            && !self.whole_trace
            && length >= self.thresholds.native
    }

    /// Whether an STD log of so many bytes goes to engine `stream` straight from its file.
    pub(crate) fn streams_log(&self, length: u64) -> bool {
        let by_length = match self.engine {
            Some(Engine::Stream) => true,
            Some(Engine::Batch(_)) => false,
            None => length > self.thresholds.log,
        };
        by_length
            && !self.is_as_droidracer()
            && !matches!(self.pairs, PairMode::All)
            && self.model.model.is_none_or(|model| model.streams)
            && self.model.switches.is_empty()
    }

    /// The engine for a trace in memory, if it can do what is asked.
    pub(crate) fn engine_for(&self, loaded: &Loaded, rules: &RuleSet) -> Result<Engine, Error> {
        let engine = self.engine.unwrap_or(Engine::GRAPH);
        if self.is_as_droidracer() {
            crate::compat::check_droidracer(loaded, rules, self.pairs)?;
        }
        match engine {
            Engine::Stream => {
                check_stream_rules(rules)?;
                check_stream_memory(&loaded.trace)?;
            }
            Engine::ORACLE => check_oracle_memory(&loaded.trace, rules)?,
            Engine::GRAPH => {}
        }
        let is_own = matches!(loaded.origin, Some(Origin::EventRacer(_)))
            && rules.model().closure == Closure::Events;
        if self.compat == Some(Compat::EventRacer) && !is_own {
            return Err(Unsuitable::NoEventRacerLog.into());
        }
        Ok(engine)
    }
}

/// How much memory the oracle's relation may take.
const ORACLE_LIMIT: usize = 4 << 30;

/// Fails if the oracle's relation would not fit.
pub fn check_oracle_memory(trace: &Trace, rules: &RuleSet) -> Result<(), Error> {
    let needed = Oracle::bytes_needed(trace, rules);
    if needed > ORACLE_LIMIT {
        return Err(Unsuitable::OracleMemory { needed, operations: trace.len() }.into());
    }
    Ok(())
}

fn check_stream_rules(rules: &RuleSet) -> Result<(), Error> {
    let model = rules.model();
    if !model.streams {
        return Err(Unsuitable::StreamModel(model.name).into());
    }
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
