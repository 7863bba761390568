//! A report for programs: `interloper-robustness/1`.

use serde_json::{Value, json};

use super::{Report, Status, Verdict};
use crate::lang::Span;
use crate::semantics::definitions::Occurrence;
use crate::semantics::{Action, Label};
use crate::witness::Witness;

impl Report {
    /// The report as JSON, keys in a fixed order.
    pub fn json(&self) -> Value {
        let status = match self.status() {
            Status::Proved => "proved",
            Status::Violated => "violated",
            Status::Unknown => "unknown",
        };
        let instances: Vec<Value> = self
            .program
            .instances
            .iter()
            .map(|instance| {
                let procedure = &self.program.procedure(instance.procedure).name;
                json!({"name": instance.name, "procedure": procedure, "source": self.span(instance.span)})
            })
            .collect();
        let criteria: Vec<Value> = self
            .verdicts
            .iter()
            .map(|(criterion, verdict)| {
                let mut value = self.verdict_json(verdict);
                value["criterion"] = criterion.name().into();
                value
            })
            .collect();
        json!({
            "schema": "interloper-robustness/1",
            "file": self.file,
            "status": status,
            "instances": instances,
            "criteria": criteria,
        })
    }

    fn verdict_json(&self, verdict: &Verdict) -> Value {
        match verdict {
            Verdict::Proved { by } => json!({"verdict": "proved", "by": by}),
            Verdict::Unknown { reason } => json!({"verdict": "unknown", "reason": reason}),
            Verdict::Unchecked => json!({"verdict": "unchecked"}),
            Verdict::Violated(witness) => {
                json!({"verdict": "violated", "witness": self.witness_json(witness)})
            }
        }
    }

    fn witness_json(&self, witness: &Witness) -> Value {
        witness_json(witness, |it| self.occurrence_json(it), |label| self.label_json(label))
    }

    fn occurrence_json(&self, at: &Occurrence) -> Value {
        let site = self.program.sites()[at.site.index()];
        json!({
            "step": at.at,
            "task": at.invocation.display(&self.program),
            "event": self.program.instances[at.invocation.instance.index()].name,
            "procedure": self.program.procedure(site.procedure).name,
            "kind": at.access.kind.name(),
            "location": self.program.global(at.access.global).name,
            "source": self.span(site.span),
        })
    }

    fn label_json(&self, label: &Label) -> Value {
        let task = label.invocation.display(&self.program);
        let mut value = match &label.action {
            Action::Start => json!({"action": "start"}),
            Action::End => json!({"action": "end"}),
            Action::Begin => json!({"action": "begin"}),
            Action::Return => json!({"action": "return"}),
            Action::Invoke(on, child) => json!({
                "action": "invoke",
                "posted": child.display(&self.program),
                "on": on.name(),
            }),
            Action::Access(access, _) => json!({
                "action": access.kind.name(),
                "location": self.program.global(access.global).name,
            }),
        };
        value["task"] = task.into();
        if label.span != Span::default() {
            value["source"] = self.span(label.span);
        }
        value
    }

    fn span(&self, span: Span) -> Value {
        let (line, column) = span.line_column(&self.source);
        json!({"line": line, "column": column, "start": span.start, "end": span.end})
    }
}

/// Returns a witness in JSON, given how its occurrences and the steps of its interleaving are written.
pub(crate) fn witness_json(
    witness: &Witness,
    occurrence: impl Fn(&Occurrence) -> Value,
    step: impl Fn(&Label) -> Value,
) -> Value {
    let conflicts: Vec<Value> = witness
        .conflicts
        .iter()
        .map(|conflict| {
            json!({
                "first": occurrence(&conflict.first),
                "second": occurrence(&conflict.second),
            })
        })
        .collect();
    let interleaving: Vec<Value> = witness.trace.iter().map(step).collect();
    json!({
        "pivot": occurrence(witness.pivot()),
        "root": occurrence(witness.root()),
        "conflicts": conflicts,
        "interleaving": interleaving,
    })
}
