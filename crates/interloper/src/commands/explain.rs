//! `interloper explain`: prints the documentation of the terms in reports.
//!
//! Rules, labels and hints have pages. Classes have the sentence of the glossary, and codes the
//! sentence of their declaration.

use std::fmt::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use order::{MODELS, Model};
use report::glossary;
use trace::Code;
use triage::{FILTERS, Filter, HINTS, REPLAYED};

use crate::cli::ExplainArgs;
use crate::{output, suggest};

/// A term that can be explained.
struct Topic {
    kind: &'static str,
    name: &'static str,
    /// The meaning of the term, in a line.
    summary: &'static str,
    page: String,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let topics = topics();
    let text = match &args.name {
        None => list(&topics),
        Some(name) => find(&topics, name)?.page.clone(),
    };
    output::to(None, |out| Ok(out.write_all(text.as_bytes())?))?;
    Ok(ExitCode::SUCCESS)
}

/// Returns every topic with its page, for the explorer.
pub(crate) fn pages() -> Vec<explorer::Topic> {
    let topic = |topic: Topic| explorer::Topic { name: topic.name.to_owned(), page: topic.page };
    topics().into_iter().map(topic).collect()
}

/// Returns all topics, by kind.
fn topics() -> Vec<Topic> {
    let mut topics: Vec<Topic> = Vec::new();
    for (rule, _) in MODELS.iter().flat_map(|model| model.rules) {
        if topics.iter().all(|topic| topic.name != rule.name) {
            let summary = rule.page.lines().nth(2).unwrap_or_default();
            topics.push(paged("rule", rule.name, summary, rule.page));
        }
    }
    topics.extend(MODELS.iter().map(|model| Topic {
        kind: "model",
        name: model.name,
        summary: model.summary,
        page: model_page(model),
    }));
    topics.extend(glossary::CLASSES.iter().map(|term| short("class", term.name, term.meaning)));
    let label = |f: &&Filter| paged("label", f.label.name(), f.summary(), f.page);
    topics.extend(FILTERS.iter().map(label));
    topics.extend(REPLAYED.iter().map(|l| paged("label", l.label.name(), l.summary(), l.page)));
    topics.extend(HINTS.iter().map(|hint| paged("hint", hint.name, hint.summary(), hint.page)));
    topics.extend(codes().map(|code| short("code", code.name, code.doc)));
    topics
}

/// Returns every declared code.
fn codes() -> impl Iterator<Item = &'static Code> {
    let lists = [
        trace::anomaly::CODES,
        codec::anomaly::CODES,
        codec::completeness::CODES,
        codec::rapid::anomaly::CODES,
        codec::native::anomaly::CODES,
        droidracer::codes::CODES,
        eventracer::codes::CODES,
        robust::lang::error::CODES,
        analysis::stream::state::CODES,
    ];
    lists.into_iter().flatten().copied()
}

/// Returns a topic with a page of documentation.
fn paged(
    kind: &'static str,
    name: &'static str,
    summary: &'static str,
    page: &'static str,
) -> Topic {
    Topic { kind, name, summary, page: page.to_owned() }
}

/// Returns a topic whose page is one sentence.
fn short(kind: &'static str, name: &'static str, summary: &'static str) -> Topic {
    Topic { kind, name, summary, page: format!("# {name}\n\nA {kind}. {summary}\n") }
}

fn model_page(model: &Model) -> String {
    let mut page = format!("# {}\n\nA model. {}.\n\n", model.name, model.summary);
    for (rule, is_on) in model.rules {
        let default = if *is_on { "on" } else { "off" };
        let summary = rule.page.lines().nth(2).unwrap_or_default();
        let _ = writeln!(page, "- `{}` ({default}): {summary}", rule.name);
    }
    page
}

fn find<'a>(topics: &'a [Topic], name: &str) -> Result<&'a Topic> {
    topics.iter().find(|topic| topic.name.eq_ignore_ascii_case(name)).with_context(|| {
        let shown = report::name::printable(name);
        match suggest::nearest(name, topics.iter().map(|topic| topic.name)) {
            Some(nearest) => format!("nothing is called {shown}; did you mean {nearest}?"),
            None => format!("nothing is called {shown}; interloper explain lists what there is"),
        }
    })
}

fn list(topics: &[Topic]) -> String {
    let mut out = String::new();
    let width = topics.iter().map(|topic| topic.name.len()).max().unwrap_or(0);
    let mut kind = "";
    for topic in topics {
        if topic.kind != kind {
            let _ = writeln!(out, "{}{}:", if kind.is_empty() { "" } else { "\n" }, topic.kind);
            kind = topic.kind;
        }
        let sentence = topic.summary.split_inclusive(". ").next().unwrap_or_default();
        let _ = writeln!(out, "  {:width$}  {}", topic.name, sentence.trim_end());
    }
    out
}
