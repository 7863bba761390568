//! A report for programs: `interloper-robustness/1`.

use serde_json::{Value, json};

use super::text::Words;
use super::{Report, Status, Verdict};
use crate::Criterion;
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
                json!({"name": instance.name, "procedure": procedure, "source": self.span_json(instance.span)})
            })
            .collect();
        json!({
            "schema": "interloper-robustness/1",
            "file": self.file,
            "status": status,
            "instances": instances,
            "criteria": criteria_json(&self.verdicts, |verdict| self.verdict_json(verdict)),
        })
    }

    fn verdict_json(&self, verdict: &Verdict) -> Value {
        match verdict {
            Verdict::Proved { by } => json!({"verdict": "proved", "by": by}),
            Verdict::Unknown { reason } => json!({"verdict": "unknown", "reason": reason}),
            Verdict::Unchecked => json!({"verdict": "unchecked"}),
            Verdict::Violated(witness) => {
                json!({"verdict": "violated", "witness": witness_json(self, witness)})
            }
        }
    }
}

/// The verdicts in JSON, each with its criterion.
pub(crate) fn criteria_json<V>(
    verdicts: &[(Criterion, V)],
    verdict_json: impl Fn(&V) -> Value,
) -> Vec<Value> {
    let with_criterion = |(criterion, verdict): &(Criterion, V)| {
        let mut value = verdict_json(verdict);
        value["criterion"] = criterion.name().into();
        value
    };
    verdicts.iter().map(with_criterion).collect()
}

/// A witness in JSON.
pub(crate) fn witness_json(words: &dyn Words, witness: &Witness) -> Value {
    let occurrence = |at: &Occurrence| {
        json!({
            "step": at.at,
            "task": words.task(&at.invocation),
            "event": words.event(at.invocation.instance),
            "procedure": words.procedure(at.site),
            "kind": at.access.kind.name(),
            "location": words.location(at.access),
            "source": words.source(at.site),
        })
    };
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
    let interleaving: Vec<Value> =
        witness.trace.iter().map(|label| step_json(words, label)).collect();
    json!({
        "pivot": occurrence(witness.pivot()),
        "root": occurrence(witness.root()),
        "conflicts": conflicts,
        "interleaving": interleaving,
    })
}

fn step_json(words: &dyn Words, label: &Label) -> Value {
    let mut value = match &label.action {
        Action::Start => json!({"action": "start"}),
        Action::End => json!({"action": "end"}),
        Action::Begin => json!({"action": "begin"}),
        Action::Return => json!({"action": "return"}),
        Action::Invoke(on, child) => json!({
            "action": "invoke",
            "posted": words.task(child),
            "on": on.name(),
        }),
        Action::Access(access, _) => json!({
            "action": access.kind.name(),
            "location": words.location(*access),
        }),
    };
    value["task"] = words.task(&label.invocation).into();
    if let Some(source) = words.step_source(label) {
        value["source"] = source;
    }
    value
}
