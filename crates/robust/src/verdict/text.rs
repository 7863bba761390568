//! A report for people.

use std::fmt::Write;

use super::{Report, Verdict};
use crate::Criterion;
use crate::core::InstanceId;
use crate::lang::Span;
use crate::semantics::definitions::{Conflict, Occurrence};
use crate::semantics::{Action, Label};
use crate::witness::Witness;

/// The words for the parts of a witness, in the terms of the program that it is about.
pub(crate) trait Words {
    /// The name of an event.
    fn event(&self, instance: InstanceId) -> String;
    /// `bg reads msg at file.evp:12:5` with the task that runs it.
    fn occurrence(&self, at: &Occurrence) -> String;
    /// The name of the task that acts.
    fn task(&self, label: &Label) -> String;
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

    pub(super) fn place(&self, span: Span) -> String {
        let (line, column) = span.line_column(&self.source);
        format!("{}:{line}:{column}", self.file)
    }
}

impl Words for Report {
    fn event(&self, instance: InstanceId) -> String {
        self.program.instances[instance.index()].name.clone()
    }

    fn occurrence(&self, at: &Occurrence) -> String {
        let site = self.program.sites()[at.site.index()];
        let procedure = &self.program.procedure(site.procedure).name;
        let location = &self.program.global(at.access.global).name;
        let verb = at.access.kind.name();
        let place = self.place(site.span);
        format!(
            "{procedure} {verb}s {location} at {place}, in task {}",
            at.invocation.display(&self.program)
        )
    }

    fn task(&self, label: &Label) -> String {
        label.invocation.display(&self.program)
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
                format!("post {} to {}  line {}", child.display(&self.program), on.name(), line())
            }
            Action::Begin => "begin".into(),
            Action::Return => "return".into(),
            Action::Access(access, _) => {
                let source = self.source[label.span.range()].split_whitespace();
                let source = source.collect::<Vec<_>>().join(" ");
                let location = &self.program.global(access.global).name;
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
    *out += &format!("  pivot  {}\n", words.occurrence(witness.pivot()));
    match criterion {
        Criterion::Determinism => {
            *out += &format!("  root   {}\n", words.occurrence(witness.root()));
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
    let width = witness.trace.iter().map(|label| words.task(label).len()).max().unwrap_or(0);
    for label in &witness.trace {
        let (task, action) = (words.task(label), words.action(label));
        let mark = role(witness, label);
        writeln!(out, "    {task:width$}  {action}{mark}").expect("writing to a string");
    }
}

fn conflict_text(words: &dyn Words, conflict: &Conflict, out: &mut String) {
    let event = |at: &Occurrence| words.event(at.invocation.instance);
    let (first, second) = (event(&conflict.first), event(&conflict.second));
    *out += &format!("    {first} → {second}\n");
    *out += &format!("      {}\n", words.occurrence(&conflict.first));
    *out += &format!("      {}\n", words.occurrence(&conflict.second));
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
