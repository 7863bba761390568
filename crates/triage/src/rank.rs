//! The order in which races should be read, with reasons.
//!
//! Races that a label hides come last, and covered races after the others. Otherwise the evidence
//! decides: every reason has a weight ([`WEIGHTS`]), and the race with the larger sum comes first. What a
//! person would see comes before what only code sees, the program's own code before that of libraries and
//! of the platform (EventRacer Android, §7.3.3), and a race to which a hint applies before one without;
//! then the order of the trace decides. `tests/worth/weights.mjs` shows what
//! each weight is worth (docs/worth-reading.md).

use std::collections::{BTreeMap, BTreeSet};

use races::{Race, RaceId};
use trace::{EventId, Op, OpId};

use crate::Verdict;
use crate::evidence::Evidence;
use crate::visibility::{Visibility, visibility};

/// A reason for the rank of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A label hides the race.
    Hidden,
    /// A label marks the race as likely harmful.
    LikelyHarmful,
    /// No other races cover the race.
    Uncovered,
    /// Other races cover the race.
    Covered,
    /// A person sees the location, and both accesses write it.
    Seen,
    /// The location outlives the page, and both accesses write it.
    Kept,
    /// What an event reads from the location may be what it shows or keeps.
    Flows,
    /// In this recording the same two kinds of access came in both orders.
    BothOrders,
    /// Both accesses are made directly by the program's code.
    UserUser,
    /// The platform makes one of the accesses.
    UserFramework,
    /// A hint applies.
    Hinted,
}

/// The weight of each reason. The reasons that are not listed weigh nothing.
const WEIGHTS: [(Reason, u32); 7] = [
    (Reason::Seen, 40),
    (Reason::Kept, 30),
    (Reason::LikelyHarmful, 15),
    (Reason::Flows, 10),
    (Reason::BothOrders, 10),
    (Reason::UserUser, 10),
    (Reason::Hinted, 5),
];

/// The weights of hints, in place of that of [`Reason::Hinted`].
const HINTS: [(&str, u32); 6] = [
    ("form-overwritten", 60),
    ("stale-response", 55),
    ("double-submit", 50),
    ("access-before-definition", 45),
    ("lost-update", 45),
    ("lost-input", 40),
];

impl Reason {
    /// The name of the reason in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hidden => "hidden",
            Self::LikelyHarmful => "likely-harmful",
            Self::Uncovered => "uncovered",
            Self::Covered => "covered",
            Self::Seen => "seen",
            Self::Kept => "kept",
            Self::Flows => "flows-on",
            Self::BothOrders => "both-orders",
            Self::UserUser => "user-user",
            Self::UserFramework => "user-framework",
            Self::Hinted => "hinted",
        }
    }
}

/// The key by which races are sorted: hidden, covered, the sum of the weights from the largest on.
pub(crate) fn key(verdict: &Verdict, race: &Race) -> (bool, bool, std::cmp::Reverse<u32>, RaceId) {
    let weight = |reason: &Reason| match reason {
        Reason::Hinted => {
            let named = |name: &str| HINTS.iter().find(|&&(hint, _)| hint == name);
            let weights = verdict.hints.iter().filter_map(|given| Some(named(given.hint.name)?.1));
            weights.max().unwrap_or(weight_of(Reason::Hinted))
        }
        &reason => weight_of(reason),
    };
    let sum = verdict.reasons.iter().map(weight).sum();
    (verdict.hidden, race.is_covered(), std::cmp::Reverse(sum), race.id)
}

fn weight_of(reason: Reason) -> u32 {
    WEIGHTS.iter().find(|&&(of, _)| of == reason).map_or(0, |&(_, weight)| weight)
}

/// What decides the reasons of all races.
pub(crate) struct Ranking<'a> {
    evidence: &'a Evidence<'a>,
    /// The tasks that write something that races, and that a person sees or that is kept.
    showing: BTreeSet<EventId>,
    /// The races that came in both orders.
    both_orders: BTreeSet<RaceId>,
}

impl<'a> Ranking<'a> {
    pub(crate) fn new(evidence: &'a Evidence<'a>) -> Self {
        let (mut showing, mut both_orders) = (BTreeSet::new(), BTreeSet::new());
        for location in evidence.locations().filter(|_| evidence.in_browser()) {
            if visibility(evidence.trace, location.id) > Visibility::Internal {
                let writes = location.writes().filter_map(|write| write.event);
                showing.extend(writes.map(|event| evidence.head(event)));
            }
            let mut seen: BTreeMap<_, Vec<RaceId>> = BTreeMap::new();
            for race in &location.races {
                let kinds = (kind(evidence, race.first), kind(evidence, race.second));
                seen.entry(kinds).or_default().push(race.id);
            }
            for ((first, second), races) in &seen {
                if first != second && seen.contains_key(&(second.clone(), first.clone())) {
                    both_orders.extend(races);
                }
            }
        }
        Self { evidence, showing, both_orders }
    }

    /// Returns the reasons of a race.
    pub(crate) fn reasons(&self, race: &Race, verdict: &Verdict) -> Vec<Reason> {
        let evidence = self.evidence;
        let user = |op| evidence.code.is_directly_in_user_code(op);
        let seen = visibility(evidence.trace, race.location);
        let is_user = user(race.first) && user(race.second);
        let page = evidence.in_browser();
        let writes = |op| matches!(evidence.trace.op(op), Op::Write(_));
        let both_write = writes(race.first) && writes(race.second);
        let held = [
            (Reason::Hidden, verdict.hidden),
            (Reason::LikelyHarmful, verdict.labels.iter().any(|label| label.is_harmful())),
            (Reason::Uncovered, !race.is_covered()),
            (Reason::Covered, race.is_covered()),
            (Reason::Seen, page && seen == Visibility::Shown && both_write),
            (Reason::Kept, page && seen == Visibility::Kept && both_write),
            (Reason::Flows, self.flows(race.first) || self.flows(race.second)),
            (Reason::BothOrders, self.both_orders.contains(&race.id)),
            (Reason::UserUser, is_user),
            (Reason::UserFramework, !is_user),
            (Reason::Hinted, !verdict.hints.is_empty()),
        ];
        held.into_iter().filter(|&(_, holds)| holds).map(|(reason, _)| reason).collect()
    }

    /// Returns whether a read may be what its task shows or keeps.
    fn flows(&self, op: OpId) -> bool {
        let trace = self.evidence.trace;
        let task = trace.event_of(op).map(|event| self.evidence.head(event));
        matches!(trace.op(op), Op::Read(_)) && task.is_some_and(|task| self.showing.contains(&task))
    }
}

/// Returns what an access does, in which kind of task.
fn kind(evidence: &Evidence<'_>, op: OpId) -> (bool, Option<Vec<u8>>, Option<u32>) {
    let function = evidence.code.frames(op).next().map(|frame| frame.function.0);
    let event_type = evidence.event_type(op).map(<[u8]>::to_vec);
    (matches!(evidence.trace.op(op), Op::Write(_)), event_type, function)
}
