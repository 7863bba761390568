//! A report for people.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Report, Verdict};
use crate::Criterion;
use crate::core::{Access, InstanceId, SiteId};
use crate::lang::Span;
use crate::semantics::definitions::{Conflict, Occurrence};
use crate::semantics::{Action, Invocation, Label};
use crate::witness::Witness;

/// The words for the parts of a witness, in the terms of the program that it is about.
pub(crate) trait Words {
    /// The name of an event.
    fn event(&self, instance: InstanceId) -> String;
    /// The name of a task.
    fn task(&self, invocation: &Invocation) -> String;
    /// The name of the procedure or method that has a site.
    fn procedure(&self, site: SiteId) -> String;
    /// The name of a location.
    fn location(&self, access: Access) -> String;
    /// Where a site is, as text: `file.evp:12:5`.
    fn place(&self, site: SiteId) -> String;
    /// Where a site is, as JSON.
    fn source(&self, site: SiteId) -> Value;
    /// Where a step of an interleaving is, as JSON, if that is known.
    fn step_source(&self, label: &Label) -> Option<Value>;
    /// What the task does.
    fn action(&self, label: &Label) -> String;
}

impl Report {
    /// The report as text, for a terminal or a log.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (criterion, verdict) in &self.verdicts {
            self.verdict_text(*criterion, verdict, &mut out);
        }
        out
    }

    fn verdict_text(&self, criterion: Criterion, verdict: &Verdict, out: &mut String) {
        let property = criterion.property();
        match verdict {
            Verdict::Proved { by } => {
                *out += &format!("{property}: proved for {}\n", self.instances());
                *out += &format!("  {by}\n");
            }
            Verdict::Unknown { reason } => {
                *out += &format!("{property}: unknown\n  {reason}\n");
            }
            Verdict::Unchecked => {
                *out +=
                    &format!("{property}: not checked\n  it presupposes conflict-determinism\n");
            }
            Verdict::Violated(witness) => {
                *out += &format!("{property} violation\n");
                witness_text(self, criterion, witness, out);
            }
        }
    }

    /// `a: send, b: dbl after a.start`, each instance once.
    pub(super) fn instances(&self) -> String {
        let all = self.program.instances.iter().map(|instance| {
            let text = &self.source[instance.span.range()];
            text.trim_end_matches(';').split_whitespace().collect::<Vec<_>>().join(" ")
        });
        all.collect::<Vec<_>>().join(", ")
    }

    pub(super) fn span_json(&self, span: Span) -> Value {
        let (line, column) = span.line_column(&self.source);
        json!({"line": line, "column": column, "start": span.start, "end": span.end})
    }
}

impl Words for Report {
    fn event(&self, instance: InstanceId) -> String {
        self.program.instances[instance.index()].name.clone()
    }

    fn task(&self, invocation: &Invocation) -> String {
        invocation.display(&self.program)
    }

    fn procedure(&self, site: SiteId) -> String {
        let site = self.program.sites()[site.index()];
        self.program.procedure(site.procedure).name.clone()
    }

    fn location(&self, access: Access) -> String {
        self.program.global(access.global).name.clone()
    }

    fn place(&self, site: SiteId) -> String {
        let (line, column) = self.program.sites()[site.index()].span.line_column(&self.source);
        format!("{}:{line}:{column}", self.file)
    }

    fn source(&self, site: SiteId) -> Value {
        self.span_json(self.program.sites()[site.index()].span)
    }

    fn step_source(&self, label: &Label) -> Option<Value> {
        (label.span != Span::default()).then(|| self.span_json(label.span))
    }

    fn action(&self, label: &Label) -> String {
        let line = || label.span.line_column(&self.source).0;
        match &label.action {
            Action::Start => {
                let instance = &self.program.instances[label.invocation.instance.index()];
                format!("start of {}", self.program.procedure(instance.procedure).name)
            }
            Action::End => "end of the event".into(),
            Action::Invoke(on, child) => {
                format!("post {} to {}  line {}", self.task(child), on.name(), line())
            }
            Action::Begin => "begin".into(),
            Action::Return => "return".into(),
            Action::Access(access, _) => {
                let source = self.source[label.span.range()].split_whitespace();
                let source = source.collect::<Vec<_>>().join(" ");
                let location = self.location(*access);
                format!("{} {location}  line {}: {source}", access.kind.name(), line())
            }
        }
    }
}

/// Prints a violation: the pivot, the conflicts, the interleaving.
pub(crate) fn witness_text(
    words: &dyn Words,
    criterion: Criterion,
    witness: &Witness,
    out: &mut String,
) {
    *out += &format!("  pivot  {}\n", occurrence_text(words, witness.pivot()));
    match criterion {
        Criterion::Determinism => {
            *out += &format!("  root   {}\n", occurrence_text(words, witness.root()));
            out.push_str(
                "  The root runs before the pivot; run one at a time in the order they \
                 are posted, it would run after.\n",
            );
        }
        Criterion::Serializability => {
            out.push_str("  conflict cycle\n");
            for conflict in &witness.conflicts {
                conflict_text(words, conflict, out);
            }
        }
    }
    out.push_str("  interleaving\n");
    let task = |label: &Label| words.task(&label.invocation);
    let width = witness.trace.iter().map(|label| task(label).len()).max().unwrap_or(0);
    for label in &witness.trace {
        let (task, action) = (task(label), words.action(label));
        let mark = role(witness, label);
        writeln!(out, "    {task:width$}  {action}{mark}").expect("writing to a string");
    }
}

/// `bg reads msg at file.evp:12:5` with the task that runs it.
fn occurrence_text(words: &dyn Words, at: &Occurrence) -> String {
    format!(
        "{} {}s {} at {}, in task {}",
        words.procedure(at.site),
        at.access.kind.name(),
        words.location(at.access),
        words.place(at.site),
        words.task(&at.invocation)
    )
}

fn conflict_text(words: &dyn Words, conflict: &Conflict, out: &mut String) {
    let event = |at: &Occurrence| words.event(at.invocation.instance);
    let (first, second) = (event(&conflict.first), event(&conflict.second));
    *out += &format!("    {first} → {second}\n");
    *out += &format!("      {}\n", occurrence_text(words, &conflict.first));
    *out += &format!("      {}\n", occurrence_text(words, &conflict.second));
}

fn role(witness: &Witness, label: &Label) -> &'static str {
    let position = witness.trace.iter().position(|other| std::ptr::eq(other, label));
    if position == Some(witness.pivot().at) {
        "  ← pivot"
    } else if position == Some(witness.root().at) {
        "  ← root"
    } else {
        ""
    }
}
