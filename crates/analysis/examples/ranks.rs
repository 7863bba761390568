//! Analyses a file, prints its races by rank, and explains how two operations are ordered:
//! `ranks FILE [A B]`. Without A and B it explains the race of rank 1.

use std::error::Error;
use std::fs::File;
use std::ops::ControlFlow;

use analysis::{Request, Source};
use order::Explanation;
use trace::Escaped;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [file, operations @ ..] = args.as_slice() else {
        return Err("usage: ranks FILE [A B]".into());
    };
    let lists = triage::Lists::builtin();
    let source = Source::file(File::open(file)?, None)?;
    let analysis = analysis::run(source, &Request::new(&lists), &|_| ControlFlow::Continue(()))?;

    let trace = analysis.trace();
    println!(
        "{}, {} operations",
        analysis.completeness().extent().name(),
        analysis.counts.operations
    );
    let mut ranked: Vec<_> = analysis.races.races.iter().zip(&analysis.triage.verdicts).collect();
    ranked.sort_by_key(|(_, verdict)| verdict.rank);
    for (race, verdict) in &ranked {
        let location = Escaped(trace.names().locations.get(race.location));
        let (first, second) = (trace.number(race.first), trace.number(race.second));
        println!("{:>4}  {location}: {first} and {second}, {}", verdict.rank, race.class.name());
    }

    let (a, b) = match (operations, ranked.first()) {
        ([a, b], _) => (a.parse()?, b.parse()?),
        (_, Some((race, _))) => (trace.number(race.first), trace.number(race.second)),
        (_, None) => return Ok(()),
    };
    match analysis.explain(a, b)? {
        Explanation::Same => println!("{a} is one operation"),
        Explanation::Before(steps) | Explanation::After(steps) => {
            for step in steps {
                let (from, to) = (trace.number(step.from), trace.number(step.to));
                println!("{from} before {to} by {}", step.rule.name);
            }
        }
        Explanation::Unordered { .. } => println!("nothing orders {a} and {b}"),
    }
    Ok(())
}
