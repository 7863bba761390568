//! `interloper order`: explains why two operations are ordered.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use analysis::threads::cores;
use analysis::{Engine, Request, Source};
use anyhow::{Context, Result, bail};
use codec::{Loaded, native};
use order::{Explanation, Graph, HappensBefore, Miss, MissIndex, Step, misses, nearest};
use report::describe;
use serde::Serialize;
use trace::{OpId, Trace};

use crate::cli::{AnswerFormat, OrderArgs, Pairs};
use crate::config::Config;
use crate::input::Opened;
use crate::watch::Watch;
use crate::{analyse, input, output};

pub(crate) fn run(args: &OrderArgs) -> Result<ExitCode> {
    let engine = args.model.engine.unwrap_or(Engine::Graph);
    if engine == Engine::Stream {
        bail!("--engine stream finds races and keeps no order; use --engine graph");
    }
    let config = Config::load_file(&args.config)?;
    let named = |error| analyse::failure(&args.input.trace, error);
    let asked = args.a.zip(args.b).filter(|_| !args.matrix);
    if let Some(file) = &args.learned.learned {
        return learned(args, &config, file, asked);
    }
    if engine == Engine::Graph
        && let Some((a, b)) = asked
        && let Some(loaded) = outline(args, [a, b])?
    {
        let rules =
            analyse::model_choice(&args.model, &config).rules(&loaded.trace).map_err(named)?;
        let order = Graph::new(&loaded.trace, &rules);
        if order.cursor().is_some() {
            return answer(args, (a, b), &loaded, |a, b| {
                let index = MissIndex::new(&loaded.trace);
                let misses = misses(&order, (&loaded.trace, &index), &rules, a, b);
                Ok((order.explain(a, b), misses))
            });
        }
    }
    let (_, loaded) = input::load(&args.input)?;
    let trace = &loaded.trace;
    let rules = analyse::model_choice(&args.model, &config).rules(trace).map_err(named)?;
    if engine == Engine::Oracle {
        analysis::check_oracle_memory(trace, &rules).map_err(named)?;
    }
    let order = || analysis::compat::order(engine, &loaded, &rules).map_err(named);
    if args.matrix {
        let order = order()?;
        output::to(None, |out| matrix(out, trace, &order))?;
        input::accept(&args.input.trace, &input::entry(&args.input, &loaded.completeness))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(asked) = asked else { bail!("two operations are needed, by number") };
    answer(args, asked, &loaded, |a, b| {
        let order = order()?;
        let misses = misses(&order, (trace, &MissIndex::new(trace)), &rules, a, b);
        Ok((order.explain(a, b), misses))
    })
}

/// Explains how two operations are ordered by what replays have learned, too.
fn learned(
    args: &OrderArgs,
    config: &Config,
    file: &Path,
    asked: Option<(u32, u32)>,
) -> Result<ExitCode> {
    let watch = Watch::new(false);
    let request =
        Request { whole_trace: true, ..analyse::request(&args.model, Pairs::default(), config) };
    let (format, loaded) = input::load(&args.input)?;
    let analysis = analyse::run(Source::loaded(format, loaded), &request, &watch)
        .map_err(|error| analyse::failure(&args.input.trace, error))?;
    let analysis = crate::learned::applied(file, analysis, &request, &watch)?;
    let rules = analysis.rules.clone();
    let loaded = analysis.into_loaded();
    let order = Graph::new(&loaded.trace, &rules);
    let Some(asked) = asked else {
        return output::to(None, |out| matrix(out, &loaded.trace, &order))
            .map(|()| ExitCode::SUCCESS);
    };
    answer(args, asked, &loaded, |a, b| {
        let index = MissIndex::new(&loaded.trace);
        let misses = misses(&order, (&loaded.trace, &index), &rules, a, b);
        Ok((order.explain(a, b), misses))
    })
}

/// Reads the part of a native file that the answer depends on. Returns none for a trace in another
/// format, and for one that can be read only once: some rules need the whole trace.
fn outline(args: &OrderArgs, asked: [u32; 2]) -> Result<Option<Loaded>> {
    let path = &args.input.trace;
    if args.input.follow || !path.is_file() {
        return Ok(None);
    }
    let Opened::Native(source) = Opened::new(&args.input)? else { return Ok(None) };
    let read = native::read_outline(source, cores(), asked);
    read.map(Some).map_err(|error| input::unreadable(path, error))
}

/// Explains how two operations are ordered.
fn answer(
    args: &OrderArgs,
    (a, b): (u32, u32),
    loaded: &Loaded,
    explain: impl FnOnce(OpId, OpId) -> Result<(Explanation, Vec<Miss>)>,
) -> Result<ExitCode> {
    let trace = &loaded.trace;
    let find = |number| {
        trace.numbered(number).with_context(|| {
            let (name, end) = (input::name(&args.input.trace), trace.end());
            format!("{name} has no operation {number}; it has {end}, numbered from 0")
        })
    };
    let (a, b) = (find(a)?, find(b)?);
    let (explanation, misses) = explain(a, b)?;
    output::to(None, |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &Answer::new(trace, &explanation, &misses))?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => {
            print(out, trace, (a, b), &explanation)?;
            print_misses(out, trace, &misses)
        }
    })?;
    input::accept(&args.input.trace, &input::entry(&args.input, &loaded.completeness))?;
    Ok(ExitCode::SUCCESS)
}

fn matrix(out: &mut dyn Write, trace: &Trace, order: &dyn HappensBefore) -> Result<()> {
    for a in trace.ops() {
        let mut line: Vec<u8> =
            trace.ops().map(|b| if order.before(a, b) { b'1' } else { b'0' }).collect();
        line.push(b'\n');
        out.write_all(&line)?;
    }
    Ok(())
}

/// The answer for programs.
#[derive(Serialize)]
struct Answer {
    relation: &'static str,
    path: Vec<StepEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nearest_common_ancestors: Vec<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misses: Vec<MissEntry>,
}

/// A rule that might have ordered two unordered operations.
#[derive(Serialize)]
struct MissEntry {
    rule: &'static str,
    text: String,
}

#[derive(Serialize)]
struct StepEntry {
    from: u32,
    to: u32,
    rule: &'static str,
}

impl Answer {
    fn new(trace: &Trace, explanation: &Explanation, misses: &[Miss]) -> Self {
        let number = |op: OpId| trace.number(op);
        let (relation, steps, ancestors): (_, &[Step], &[OpId]) = match explanation {
            Explanation::Same => ("same", &[], &[]),
            Explanation::Before(steps) => ("before", steps, &[]),
            Explanation::After(steps) => ("after", steps, &[]),
            Explanation::Unordered { nearest_common_ancestors } => {
                ("unordered", &[], nearest_common_ancestors)
            }
        };
        Self {
            relation,
            path: steps
                .iter()
                .map(|s| StepEntry { from: number(s.from), to: number(s.to), rule: s.rule.name })
                .collect(),
            nearest_common_ancestors: ancestors.iter().map(|&op| number(op)).collect(),
            misses: misses
                .iter()
                .map(|miss| MissEntry { rule: miss.rule.name, text: describe::miss(trace, miss) })
                .collect(),
        }
    }
}

/// Prints the answer for people.
fn print(
    out: &mut dyn Write,
    trace: &Trace,
    (a, b): (OpId, OpId),
    explanation: &Explanation,
) -> Result<()> {
    let number = |op: OpId| trace.number(op);
    let show = |op: OpId| format!("{:>6}  {}", number(op), codec::text::line(trace, op));
    match explanation {
        Explanation::Same => writeln!(out, "{} is one operation.\n{}", number(a), show(a))?,
        Explanation::Before(steps) | Explanation::After(steps) => {
            let (first, last) = (steps[0].from, steps[steps.len() - 1].to);
            writeln!(out, "{} happens before {}:\n\n{}", number(first), number(last), show(first))?;
            for step in steps {
                writeln!(out, "        | {} ({})", step.rule.name, step.rule.reference)?;
                writeln!(out, "{}", show(step.to))?;
            }
        }
        Explanation::Unordered { nearest_common_ancestors } => {
            let (first, second) = (number(a), number(b));
            writeln!(out, "Nothing orders {first} and {second}:\n\n{}\n{}", show(a), show(b))?;
            if nearest_common_ancestors.is_empty() {
                writeln!(out, "\nNo operation happens before both.")?;
            } else {
                writeln!(out, "\nThe last operations that happen before both:\n")?;
                for &op in nearest_common_ancestors {
                    writeln!(out, "{}", show(op))?;
                }
            }
        }
    }
    Ok(())
}

/// The largest number of misses that are printed for people.
const MISSES: usize = 3;

/// Prints the rules that came nearest to ordering the two operations.
fn print_misses(out: &mut dyn Write, trace: &Trace, misses: &[Miss]) -> Result<()> {
    if !misses.is_empty() {
        writeln!(out, "\nRules that might have ordered them:\n")?;
    }
    for miss in nearest(misses, MISSES) {
        writeln!(out, "  {} {}", miss.rule.name, describe::miss(trace, miss))?;
    }
    Ok(())
}
