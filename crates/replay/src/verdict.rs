//! Judges a race by what its replays show.

use crate::observation::{Differences, Observation};

/// What replays show about a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The events ran in the other order, and a person sees a difference.
    Harmful,
    /// The events ran in the other order, and nothing differs.
    Harmless,
    /// The second event came only after the first was let go.
    Infeasible,
    /// The replay took another course, and the events did not run in the other order.
    Diverged,
    /// The recorded order could not be repeated.
    Unstable,
    /// Nothing can hold the first event back, or there was no time.
    Untried,
}

/// How a race is harmful, worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An error appears in one of the two orders only.
    Error,
    /// An input called fewer listeners, or what was typed is gone.
    Lost,
    /// The document, its fields, storage, the address or the focus differ.
    State,
    /// The requests differ.
    Requests,
}

impl Verdict {
    /// Every verdict, in the order in which races with it are read.
    pub const ALL: [Self; 6] = [
        Self::Harmful,
        Self::Harmless,
        Self::Infeasible,
        Self::Diverged,
        Self::Unstable,
        Self::Untried,
    ];

    /// The name of the verdict.
    pub fn name(self) -> &'static str {
        match self {
            Self::Harmful => "harmful",
            Self::Harmless => "harmless",
            Self::Infeasible => "infeasible",
            Self::Diverged => "diverged",
            Self::Unstable => "unstable",
            Self::Untried => "untried",
        }
    }
}

impl Kind {
    /// The name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Lost => "lost",
            Self::State => "state",
            Self::Requests => "requests",
        }
    }
}

/// A replay in which the events were to run in the other order.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Whether the second event began before the first, or the first is gone.
    pub is_flipped: bool,
    /// Whether the first event was let go because nothing else could run.
    pub is_stalled: bool,
    /// What was observed at the end.
    pub seen: Observation,
}

/// Judges a race by replays in the recorded order and in the other one.
///
/// What differs between two replays in the recorded order is noise and does not count, and a difference
/// counts only if all replays in the other order show it. Returns the verdict, the kind if the race is
/// harmful, the differences that count, and how many were noise.
pub fn judge(
    recorded: &[Observation],
    flips: &[Outcome],
) -> (Verdict, Option<Kind>, Differences, usize) {
    let nothing = Differences::default;
    let Some((first, others)) = recorded.split_first() else {
        return (Verdict::Unstable, None, nothing(), 0);
    };
    let flipped: Vec<_> = flips.iter().filter(|flip| flip.is_flipped).collect();
    let Some((one, more)) = flipped.split_first() else {
        let verdict = match flips {
            [] => Verdict::Untried,
            flips if flips.iter().all(|flip| flip.is_stalled) => Verdict::Infeasible,
            _ => Verdict::Diverged,
        };
        return (verdict, None, nothing(), 0);
    };
    let mut differences = first.compare(&one.seen);
    let mut masked = 0;
    for other in others {
        masked += differences.mask(&first.compare(other));
        masked += differences.mask(&other.compare(first));
    }
    for again in more {
        differences.confirm(&first.compare(&again.seen));
    }
    let kind = kind(&differences);
    let verdict = if kind.is_some() { Verdict::Harmful } else { Verdict::Harmless };
    (verdict, kind, differences, masked)
}

fn kind(differences: &Differences) -> Option<Kind> {
    let Differences { errors, lost, document, requests, storage } = differences;
    if !errors.is_empty() {
        Some(Kind::Error)
    } else if !lost.is_empty() {
        Some(Kind::Lost)
    } else if !document.is_empty() || !storage.is_empty() {
        Some(Kind::State)
    } else if !requests.is_empty() {
        Some(Kind::Requests)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(pairs: &[(&str, &str)]) -> Observation {
        let document = pairs.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect();
        Observation { document, ..Observation::default() }
    }

    fn flip(seen: Observation) -> Outcome {
        Outcome { is_flipped: true, is_stalled: false, seen }
    }

    #[test]
    fn noise_is_masked_and_a_difference_must_be_repeated() {
        let recorded = [shows(&[("a", "1"), ("t", "9")]), shows(&[("a", "1"), ("t", "10")])];
        let noisy = flip(shows(&[("a", "1"), ("t", "11")]));
        assert_eq!(judge(&recorded, &[noisy.clone(), noisy.clone()]).0, Verdict::Harmless);
        let other = flip(shows(&[("a", "2"), ("t", "11")]));
        let (verdict, kind, differences, masked) =
            judge(&recorded, &[other.clone(), other.clone()]);
        assert_eq!((verdict, kind, masked), (Verdict::Harmful, Some(Kind::State), 1));
        assert_eq!(differences.document[0].what, "a");
        let third = flip(shows(&[("a", "3"), ("t", "11")]));
        assert_eq!(judge(&recorded, &[other.clone(), third]).0, Verdict::Harmful);
        assert_eq!(judge(&recorded, &[other, noisy]).0, Verdict::Harmless);
    }

    #[test]
    fn a_replay_without_a_flip_is_infeasible_only_if_it_stalled() {
        let recorded = [shows(&[])];
        let stalled = Outcome { is_flipped: false, is_stalled: true, seen: shows(&[]) };
        let elsewhere = Outcome { is_stalled: false, ..stalled.clone() };
        assert_eq!(judge(&recorded, std::slice::from_ref(&stalled)).0, Verdict::Infeasible);
        assert_eq!(judge(&recorded, &[stalled, elsewhere]).0, Verdict::Diverged);
        assert_eq!(judge(&recorded, &[]).0, Verdict::Untried);
        assert_eq!(judge(&[], &[]).0, Verdict::Unstable);
    }

    #[test]
    fn the_worst_kind_counts() {
        let base = Observation { errors: Vec::new(), ..shows(&[("a", "1")]) };
        let failing = Observation { errors: vec!["TypeError".into()], ..shows(&[("a", "2")]) };
        assert_eq!(judge(std::slice::from_ref(&base), &[flip(failing)]).1, Some(Kind::Error));
        let mut typed = base.clone();
        typed.fields.insert("input#q".into(), "tea".into());
        let (_, kind, differences, _) = judge(&[typed], &[flip(base)]);
        assert_eq!(kind, Some(Kind::Lost));
        assert_eq!(differences.lost[0].recorded.as_deref(), Some("tea"));
    }
}
