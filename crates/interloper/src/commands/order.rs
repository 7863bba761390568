//! `interloper order`: explains why two operations are ordered.

use std::io::Write;
use std::process::ExitCode;

use analysis::Engine;
use anyhow::{Result, bail};
use order::{Explanation, HappensBefore, Step};
use serde::Serialize;
use trace::{OpId, Trace};

use crate::cli::{AnswerFormat, OrderArgs};
use crate::config::Config;
use crate::{analyse, input, output};

pub(crate) fn run(args: &OrderArgs) -> Result<ExitCode> {
    let engine = args.model.engine.unwrap_or(Engine::Graph);
    if engine == Engine::Stream {
        bail!("--engine stream finds races and keeps no order; use --engine graph");
    }
    let (_, loaded) = input::load(&args.input)?;
    let trace = &loaded.trace;
    let config = Config::load_file(&args.config)?;
    let named = |error| analyse::failure(&args.input.trace, error);
    let rules = analyse::model_choice(&args.model, &config).rules(trace).map_err(named)?;
    if engine == Engine::Oracle {
        analysis::check_oracle_memory(trace, &rules).map_err(named)?;
    }
    let read = input::entry(&args.input, &loaded);
    let order = || analysis::compat::order(engine, &loaded, &rules).map_err(named);
    if args.matrix {
        let order = order()?;
        output::to(None, |out| matrix(out, trace, &order))?;
        input::accept(&args.input.trace, &read)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (Some(a), Some(b)) = (args.a, args.b) else {
        bail!("two operations are needed, by number");
    };
    for op in [a, b] {
        if op as usize >= trace.len() {
            let name = input::name(&args.input.trace);
            bail!("{name} has no operation {op}; it has {}, numbered from 0", trace.len());
        }
    }
    let (a, b) = (OpId(a), OpId(b));
    let explanation = order()?.explain(a, b);
    output::to(None, |out| match args.format {
        AnswerFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, &Answer::new(&explanation))?;
            Ok(writeln!(out)?)
        }
        AnswerFormat::Text => print(out, trace, (a, b), &explanation),
    })?;
    input::accept(&args.input.trace, &read)?;
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
}

#[derive(Serialize)]
struct StepEntry {
    from: u32,
    to: u32,
    rule: &'static str,
}

impl Answer {
    fn new(explanation: &Explanation) -> Self {
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
                .map(|s| StepEntry { from: s.from.0, to: s.to.0, rule: s.rule.name })
                .collect(),
            nearest_common_ancestors: ancestors.iter().map(|op| op.0).collect(),
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
    let show = |op: OpId| format!("{:>6}  {}", op.0, codec::text::line(trace, op));
    match explanation {
        Explanation::Same => writeln!(out, "{a} is one operation.\n{}", show(a), a = a.0)?,
        Explanation::Before(steps) | Explanation::After(steps) => {
            let (first, last) = (steps[0].from, steps[steps.len() - 1].to);
            writeln!(out, "{} happens before {}:\n\n{}", first.0, last.0, show(first))?;
            for step in steps {
                writeln!(out, "        | {} ({})", step.rule.name, step.rule.reference)?;
                writeln!(out, "{}", show(step.to))?;
            }
        }
        Explanation::Unordered { nearest_common_ancestors } => {
            writeln!(out, "Nothing orders {} and {}:\n\n{}\n{}", a.0, b.0, show(a), show(b))?;
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
