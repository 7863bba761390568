//! The results for a driver class.

use serde_json::{Value, json};
use trace::Trace;

use super::run::{Names, Site};
use super::session::Shown;
use super::{Event, Statistics};
use crate::core::{Access, InstanceId, SiteId};
use crate::semantics::{Action, Invocation, Label};
use crate::verdict::json::{criteria_json, witness_json};
use crate::verdict::text::{Words, witness_text};
use crate::{Criterion, Status};

/// The answer about one criterion.
pub(super) enum Verdict {
    /// Every run was explored, and none violates the criterion.
    Holds,
    /// A violation happened on threads.
    Violated(Box<Shown>),
    /// Nothing was found, and nothing can be concluded from that.
    Unknown {
        /// Why: calls that are not modelled, the time, and so on, with their places.
        reasons: Vec<String>,
    },
    /// The criterion was not checked, because the other criterion is violated.
    Unchecked,
}

/// The answers for one driver.
pub struct Report {
    /// The name of the driver class.
    pub driver: String,
    /// The events that the driver declares.
    pub events: Vec<Event>,
    /// One verdict for each criterion asked for.
    pub(super) verdicts: Vec<(Criterion, Verdict)>,
    /// How much was done.
    pub statistics: Statistics,
    /// What a reader of the verdicts should know, with places.
    pub remarks: Vec<String>,
}

impl Report {
    /// The overall result.
    pub fn status(&self) -> Status {
        let any = |test: fn(&Verdict) -> bool| self.verdicts.iter().any(|(_, v)| test(v));
        if any(|verdict| matches!(verdict, Verdict::Violated(_))) {
            Status::Violated
        } else if any(|verdict| !matches!(verdict, Verdict::Holds)) {
            Status::Unknown
        } else {
            Status::Proved
        }
    }

    /// The first violation as a trace: what happened on threads.
    pub fn recording(&self) -> Option<&Trace> {
        self.verdicts.iter().find_map(|(_, verdict)| match verdict {
            Verdict::Violated(shown) => Some(&shown.trace),
            _ => None,
        })
    }

    /// The report as text, for a terminal or a log.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (criterion, verdict) in &self.verdicts {
            let property = criterion.property();
            match verdict {
                Verdict::Holds => {
                    out += &format!(
                        "{property}: holds for this driver: {}, data as chosen\n",
                        self.effort()
                    );
                    out += &format!("  {}: {}\n", self.driver, self.events());
                }
                Verdict::Unknown { reasons } => {
                    out += &format!("{property}: unknown\n");
                    for reason in reasons {
                        out += &format!("  {reason}\n");
                    }
                    out += &format!("  no violation was found in {}\n", self.effort());
                }
                Verdict::Unchecked => {
                    out += &format!(
                        "{property}: not checked\n  it presupposes conflict-determinism\n"
                    );
                }
                Verdict::Violated(shown) => {
                    out += &format!("{property} violation\n");
                    let words = Named { events: &self.events, names: &shown.names };
                    witness_text(&words, *criterion, &shown.witness, &mut out);
                }
            }
        }
        for remark in &self.remarks {
            out += &format!("note: {remark}\n");
        }
        out
    }

    /// `12 runs, 2 event orders`.
    fn effort(&self) -> String {
        let count = |number: u64, what: &str| {
            format!("{number} {what}{}", if number == 1 { "" } else { "s" })
        };
        let Statistics { runs, orders, bound, complete, .. } = &self.statistics;
        let bound = match bound {
            _ if *complete => String::new(),
            0 => String::new(),
            bound => format!(", complete for at most {}", count(*bound, "stopped task")),
        };
        format!("{}, {}{bound}", count(*runs, "run"), count(*orders, "event order"))
    }

    /// `send, type after send.start`.
    fn events(&self) -> String {
        let shown = self.events.iter().map(|event| {
            let name = |other: &usize| &self.events[*other].name;
            let starts = event.start.iter().map(|other| format!("{}.start", name(other)));
            let ends = event.end.iter().map(|other| format!("{}.end", name(other)));
            let after: Vec<String> = starts.chain(ends).collect();
            let after = if after.is_empty() {
                String::new()
            } else {
                format!(" after {}", after.join(", "))
            };
            format!("{}{after}", event.name)
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    /// The report as JSON, keys in a fixed order.
    pub fn json(&self) -> Value {
        let status = match self.status() {
            Status::Proved => "holds",
            Status::Violated => "violated",
            Status::Unknown => "unknown",
        };
        let instances: Vec<Value> =
            self.events.iter().map(|event| json!({"name": event.name})).collect();
        json!({
            "schema": "interloper-robustness/1",
            "driver": self.driver,
            "status": status,
            "instances": instances,
            "criteria": criteria_json(&self.verdicts, |verdict| self.verdict_json(verdict)),
            "statistics": self.statistics,
            "remarks": self.remarks,
        })
    }

    fn verdict_json(&self, verdict: &Verdict) -> Value {
        match verdict {
            Verdict::Holds => {
                json!({"verdict": "holds", "by": format!("{}, data as chosen", self.effort())})
            }
            Verdict::Unknown { reasons } => {
                json!({"verdict": "unknown", "reason": reasons.join("; ")})
            }
            Verdict::Unchecked => json!({"verdict": "unchecked"}),
            Verdict::Violated(shown) => {
                let named = Named { events: &self.events, names: &shown.names };
                json!({"verdict": "violated", "witness": witness_json(&named, &shown.witness)})
            }
        }
    }
}

/// The name of a task: the event, and the numbers of the posts on the way to it.
pub(super) fn task_name(events: &[Event], invocation: &Invocation) -> String {
    let mut name = events[invocation.instance.index()].name.clone();
    for number in &invocation.path {
        name += &format!(".{}", number + 1);
    }
    name
}

/// The words of a driver class.
struct Named<'r> {
    events: &'r [Event],
    names: &'r Names,
}

impl Named<'_> {
    fn site(&self, site: SiteId) -> Site {
        let unknown = || Site { method: "?".into(), file: "an unknown place".into(), line: 0 };
        self.names.sites.get(&site).cloned().unwrap_or_else(unknown)
    }
}

impl Words for Named<'_> {
    fn event(&self, instance: InstanceId) -> String {
        self.events[instance.index()].name.clone()
    }

    fn task(&self, invocation: &Invocation) -> String {
        task_name(self.events, invocation)
    }

    fn procedure(&self, site: SiteId) -> String {
        self.site(site).method
    }

    fn location(&self, access: Access) -> String {
        self.names.locations.get(&access.global).cloned().unwrap_or_else(|| "?".into())
    }

    fn place(&self, site: SiteId) -> String {
        self.site(site).place()
    }

    fn source(&self, site: SiteId) -> Value {
        let site = self.site(site);
        json!({"file": site.file, "line": site.line})
    }

    fn step_source(&self, label: &Label) -> Option<Value> {
        match label.action {
            Action::Access(_, site) => Some(self.source(site)),
            _ => None,
        }
    }

    fn action(&self, label: &Label) -> String {
        match &label.action {
            Action::Start => "start of the event".into(),
            Action::End => "end of the event".into(),
            Action::Begin => "begin".into(),
            Action::Return => "return".into(),
            Action::Invoke(on, child) => format!("post {} to {}", self.task(child), on.name()),
            Action::Access(access, site) => {
                let (kind, location) = (access.kind.name(), self.location(*access));
                format!("{kind} {location}  {} at {}", self.procedure(*site), self.place(*site))
            }
        }
    }
}
