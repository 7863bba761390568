//! The `expect` language, which states the expected results for a trace, line by line.
//!
//! ```text
//! models android eventracer-android   check under each of these; without it, the trace's own model
//! rules +AT-TIME -NATIVE              switches, on top of the model's defaults
//! 3 < 7                               operation 3 happens before 7
//! 3 || 7                              nothing orders them
//! 3 < 7 by MSG-BEGIN-1                and the path uses the rule, and without it they are unordered
//! 3 < 7 with NORMAL-FORM              holds with the rule on, and 3 || 7 with it off
//! 3 || 7 with REMOVE-ON-LOOPER        holds with the rule on, and 3 < 7 with it off
//! race user.name 3 7 [lock-protected] [CLASS]
//! uncovered init 3 7
//! covered y 2 8 by init 3 7 [z 9 10]…
//! diagnostic arc-backward
//! ```
//!
//! `race` lines list all races of pair mode `all`: a race without a line fails. `covered` and
//! `uncovered` lines, if there are any, list all races of pair mode `candidates`, each with the
//! chain that covers it; `race` lines may then be left out. `diagnostic` lines list the anomalies
//! worse than information. Blank lines and lines that start with `#` are ignored.

use analysis::Engine;
use codec::Loaded;
use order::{Explanation, HappensBefore, Model, Order, RuleSet};
use races::{PairMode, Race, Races};
use trace::{Escaped, Id, OpId, Severity, Trace};

/// Returns the order of a trace, over the log from which it was imported if there is one.
pub(crate) fn oracle<'t>(loaded: &'t Loaded, rules: &RuleSet) -> Order<'t> {
    analysis::compat::order(Engine::Oracle, loaded, rules).expect("the oracle keeps its order")
}

/// The expected results for a trace. Lines are numbered from 0.
#[derive(Default)]
pub(crate) struct Expectation {
    models: Vec<&'static Model>,
    switches: Vec<(String, bool)>,
    relations: Vec<(usize, Relation)>,
    races: Vec<(usize, Finding)>,
    coverage: Vec<(usize, Finding)>,
    diagnostics: Vec<(usize, Finding)>,
}

struct Relation {
    a: OpId,
    b: OpId,
    before: bool,
    because: Because,
}

enum Because {
    Anything,
    By(String),
    With(String),
}

/// A result of the analysis, in the notation of expectations.
#[derive(PartialEq, Eq)]
struct Finding {
    spelled: String,
    /// The class, which expectations name only where it matters.
    class: Option<String>,
}

impl Finding {
    fn new(spelled: impl Into<String>) -> Self {
        Self { spelled: spelled.into(), class: None }
    }

    fn matches(&self, found: &Self) -> bool {
        self.spelled == found.spelled && (self.class.is_none() || self.class == found.class)
    }
}

/// A claim that does not hold, or a result that no line claims.
pub(crate) struct Failure {
    /// The line of the expectation, if the failure concerns one.
    pub(crate) line: Option<usize>,
    /// The problem.
    pub(crate) message: String,
}

impl Failure {
    fn new(line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Self { line: line.into(), message: message.into() }
    }
}

impl Expectation {
    /// Reads an expectation.
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let mut expectation = Self::default();
        for (number, line) in text.lines().enumerate() {
            if !line.trim().is_empty() && !line.starts_with('#') {
                let read = expectation.parse_line(number, line);
                read.map_err(|message| Failure::new(number, message))?;
            }
        }
        Ok(expectation)
    }

    fn parse_line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let wrong = || format!("not a line of the expect language: {line:?}");
        match *words.as_slice() {
            ["models", ref names @ ..] => {
                for name in names {
                    let model = Model::named(name.as_bytes());
                    self.models.push(model.ok_or_else(|| format!("no model {name:?}"))?);
                }
            }
            ["rules", ref switches @ ..] => {
                for switch in switches {
                    let (sign, rule) = switch.split_at(1);
                    self.switches.push((rule.to_owned(), sign == "+"));
                }
            }
            [a, relation @ ("<" | "||"), b, ref because @ ..] => {
                let because = match *because {
                    [] => Because::Anything,
                    ["by", rule] if relation == "<" => Because::By(rule.to_owned()),
                    ["with", rule] => Because::With(rule.to_owned()),
                    _ => return Err(wrong()),
                };
                let number_of = |w: &str| w.parse().map(OpId::new).map_err(|_| wrong());
                let (a, b, before) = (number_of(a)?, number_of(b)?, relation == "<");
                self.relations.push((number, Relation { a, b, before, because }));
            }
            ["race", location, a, b, ref notes @ ..] => {
                let (locked, class) = match *notes {
                    ["lock-protected", ref class @ ..] => (" lock-protected", class),
                    ref class => ("", class),
                };
                let spelled = format!("race {location} {a} {b}{locked}");
                let class = class.first().map(|&c| c.to_owned());
                self.races.push((number, Finding { spelled, class }));
            }
            ["uncovered", _, _, _] | ["covered", _, _, _, "by", _, _, _, ..] => {
                self.coverage.push((number, Finding::new(words.join(" "))));
            }
            ["diagnostic", _] => self.diagnostics.push((number, Finding::new(words.join(" ")))),
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// Returns the models under which to check the trace.
    pub(crate) fn models(&self, trace: &Trace) -> Result<Vec<&'static Model>, Failure> {
        let own = trace.model().and_then(Model::named);
        let own = own.ok_or_else(|| Failure::new(None, "the trace names no known model"))?;
        if self.models.is_empty() {
            Ok(vec![own])
        } else if self.models.iter().any(|m| m.name == own.name) {
            Ok(self.models.clone())
        } else {
            Err(Failure::new(None, format!("the models leave out the trace's own, {own:?}")))
        }
    }

    /// Returns every claim that does not hold for the trace under `model`. If `without` names a
    /// rule, it is switched off as well.
    pub(crate) fn failures(
        &self,
        loaded: &Loaded,
        model: &'static Model,
        without: Option<&str>,
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        let mut rules = model.default_rules();
        let switches = self.switches.iter().map(|(name, on)| (name.as_str(), *on));
        for (name, on) in switches.chain(without.map(|name| (name, false))) {
            if let Err(unknown) = rules.switch(name, on) {
                failures.push(Failure::new(None, unknown.to_string()));
            }
        }
        let trace = &loaded.trace;
        let oracle = oracle(loaded, &rules);
        for (number, relation) in &self.relations {
            if let Err(message) = relation.check(loaded, &oracle, &rules) {
                failures.push(Failure::new(*number, message));
            }
        }
        let detect = |mode| analysis::detect(trace, &oracle, model, mode, &|_| true);
        if !self.races.is_empty() || self.coverage.is_empty() {
            let all = detect(PairMode::All);
            let found = all.races.iter().map(|race| race_found(trace, race)).collect();
            compare(&self.races, found, &mut failures);
        }
        if !self.coverage.is_empty() {
            let candidates = detect(PairMode::Candidates);
            let found = candidates.races.iter().map(|r| coverage_found(trace, &candidates, r));
            compare(&self.coverage, found.collect(), &mut failures);
        }
        let odd = loaded.diagnostics.iter().filter(|d| d.code.severity > Severity::Info);
        let odd = odd.map(|d| Finding::new(format!("diagnostic {}", d.code.name))).collect();
        compare(&self.diagnostics, odd, &mut failures);
        failures
    }
}

impl Relation {
    fn check(&self, loaded: &Loaded, order: &Order<'_>, rules: &RuleSet) -> Result<(), String> {
        let trace = &loaded.trace;
        let &Self { a, b, before, ref because } = self;
        if a >= b || b.index() >= trace.len() {
            return Err("names operations that do not follow each other in the trace".to_owned());
        }
        match order.explain(a, b) {
            Explanation::Before(_) if before => {}
            Explanation::Unordered { .. } if !before => {}
            Explanation::Unordered { .. } => return Err("but nothing orders them".to_owned()),
            other => return Err(format!("but they are ordered: {other:?}")),
        }
        let (Because::By(rule) | Because::With(rule)) = because else { return Ok(()) };
        if let (Because::By(_), Explanation::Before(path)) = (because, order.explain(a, b))
            && path.iter().all(|step| step.rule.name != rule)
        {
            return Err(format!("but the path does not use {rule}: {path:?}"));
        }
        let mut without = rules.clone();
        without.switch(rule, false).map_err(|unknown| unknown.to_string())?;
        if oracle(loaded, &without).before(a, b) == before {
            return Err(format!("but it holds without {rule} too"));
        }
        Ok(())
    }
}

/// Matches each claim with a distinct result. Claims and results without a match fail.
fn compare(claims: &[(usize, Finding)], found: Vec<Finding>, failures: &mut Vec<Failure>) {
    let mut unclaimed = found;
    for (number, claim) in claims {
        match unclaimed.iter().position(|finding| claim.matches(finding)) {
            Some(i) => drop(unclaimed.swap_remove(i)),
            None => failures.push(Failure::new(*number, "but this was not found")),
        }
    }
    for Finding { spelled, class } in unclaimed {
        let class = class.map_or_else(String::new, |class| format!(" ({class})"));
        failures.push(Failure::new(None, format!("no line says: {spelled}{class}")));
    }
}

fn spell(trace: &Trace, race: &Race) -> String {
    let location = Escaped(trace.names().locations.get(race.location));
    format!("{location} {} {}", race.first.index(), race.second.index())
}

fn race_found(trace: &Trace, race: &Race) -> Finding {
    let locked = if race.lock_protected { " lock-protected" } else { "" };
    let spelled = format!("race {}{locked}", spell(trace, race));
    Finding { spelled, class: Some(race.class.name().to_owned()) }
}

fn coverage_found(trace: &Trace, races: &Races, race: &Race) -> Finding {
    let mut spelled = spell(trace, race);
    if !race.is_covered() {
        return Finding::new(format!("uncovered {spelled}"));
    }
    spelled += " by";
    for id in &race.covered_by {
        spelled += " ";
        spelled += &spell(trace, &races.races[id.0 as usize]);
    }
    Finding::new(format!("covered {spelled}"))
}
