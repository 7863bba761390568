//! Judges a race by what its replays show.

use crate::observation::{Differences, Observation};
use crate::picture::{self, Frame};

/// What replays show about a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The events ran in the other order, and a person sees a difference.
    Harmful,
    /// The events ran in the other order, and nothing differs.
    Harmless,
    /// The second event came only after the first was let go, or cancelled the first, and nothing else differs.
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
    /// Only the picture differs.
    Picture,
    /// The state differs, but the input of the pair was answered: it ran its listeners and wrote to the page,
    /// and no input caused the other event. Often this is a guard.
    Answered,
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
            Self::Picture => "picture",
            Self::Answered => "answered",
        }
    }
}

/// A replay in which the events were to run in the other order.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Whether the second event began before the first, or the first was held back and is gone.
    pub is_flipped: bool,
    /// Whether the first event is gone because the page aborted its request or cleared its timer.
    pub is_aborted: bool,
    /// Whether the first event was let go because nothing else could run, and the second came after it.
    pub is_stalled: bool,
    /// What was observed at the end.
    pub seen: Observation,
}

/// What replays show about a race, and the evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// How the race is harmful, if it is.
    pub kind: Option<Kind>,
    /// The differences that count.
    pub differences: Differences,
    /// The parts of the picture that differ.
    pub changed: Vec<Frame>,
    /// How many differences were noise.
    pub masked: usize,
}

impl Judgement {
    /// A verdict without a flip.
    pub fn without(verdict: Verdict) -> Self {
        let (differences, changed) = (Differences::default(), Vec::new());
        Self { verdict, kind: None, differences, changed, masked: 0 }
    }

    /// Whether only the recorded order shows the harm: an error that the other order does not have.
    pub fn is_bad_as_recorded(&self) -> bool {
        let errors = &self.differences.errors;
        self.kind == Some(Kind::Error) && errors.iter().all(|error| error.recorded.is_some())
    }

    /// Takes note that the input of the pair was answered.
    pub fn answered(&mut self) {
        if self.kind == Some(Kind::State) {
            self.kind = Some(Kind::Answered);
        }
    }
}

/// Judges a race by replays in the recorded order and in the other one.
///
/// What differs between two replays in the recorded order is noise and does not count, and a difference
/// counts only if all replays in the other order show it. Nobody misses the requests of an event that the page has
/// cancelled.
pub fn judge(recorded: &[Observation], flips: &[Outcome]) -> Judgement {
    let Some((first, others)) = recorded.split_first() else {
        return Judgement::without(Verdict::Unstable);
    };
    let flipped: Vec<_> = flips.iter().filter(|flip| flip.is_flipped).collect();
    let Some((one, more)) = flipped.split_first() else {
        return Judgement::without(match flips {
            [] => Verdict::Untried,
            flips if flips.iter().all(|flip| flip.is_stalled) => Verdict::Infeasible,
            _ => Verdict::Diverged,
        });
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
    let is_aborted = flipped.iter().all(|flip| flip.is_aborted);
    if is_aborted {
        differences.forgive_requests();
    }
    let recorded: Vec<_> = recorded.iter().filter_map(|seen| seen.picture.as_ref()).collect();
    let pictures: Vec<_> = flipped.iter().filter_map(|flip| flip.seen.picture.as_ref()).collect();
    let changed = picture::changed(&recorded, &pictures);
    let kind = kind(&differences).or((!changed.is_empty()).then_some(Kind::Picture));
    let verdict = match kind {
        Some(_) => Verdict::Harmful,
        // The first event cannot come after the second, because the page takes care of that.
        None if is_aborted => Verdict::Infeasible,
        None => Verdict::Harmless,
    };
    Judgement { verdict, kind, differences, changed, masked }
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
        Outcome { is_flipped: true, is_aborted: false, is_stalled: false, seen }
    }

    #[test]
    fn noise_is_masked_and_a_difference_must_be_repeated() {
        let recorded = [shows(&[("a", "1"), ("t", "9")]), shows(&[("a", "1"), ("t", "10")])];
        let noisy = flip(shows(&[("a", "1"), ("t", "11")]));
        assert_eq!(judge(&recorded, &[noisy.clone(), noisy.clone()]).verdict, Verdict::Harmless);
        let other = flip(shows(&[("a", "2"), ("t", "11")]));
        let Judgement { verdict, kind, differences, masked, .. } =
            judge(&recorded, &[other.clone(), other.clone()]);
        assert_eq!((verdict, kind, masked), (Verdict::Harmful, Some(Kind::State), 1));
        assert_eq!(differences.document[0].what, "a");
        let third = flip(shows(&[("a", "3"), ("t", "11")]));
        assert_eq!(judge(&recorded, &[other.clone(), third]).verdict, Verdict::Harmful);
        assert_eq!(judge(&recorded, &[other, noisy]).verdict, Verdict::Harmless);
    }

    #[test]
    fn a_replay_without_a_flip_is_infeasible_only_if_it_stalled() {
        let recorded = [shows(&[])];
        let stalled = Outcome { is_flipped: false, is_stalled: true, ..flip(shows(&[])) };
        let elsewhere = Outcome { is_stalled: false, ..stalled.clone() };
        assert_eq!(judge(&recorded, std::slice::from_ref(&stalled)).verdict, Verdict::Infeasible);
        assert_eq!(judge(&recorded, &[stalled, elsewhere]).verdict, Verdict::Diverged);
        assert_eq!(judge(&recorded, &[]).verdict, Verdict::Untried);
        assert_eq!(judge(&[], &[]).verdict, Verdict::Unstable);
    }

    #[test]
    fn an_aborted_request_is_infeasible_unless_something_differs() {
        let recorded = [shows(&[("a", "1")])];
        let aborted = |text| Outcome { is_aborted: true, ..flip(shows(&[("a", text)])) };
        let both = |one, other| judge(&recorded, &[one, other]).verdict;
        assert_eq!(both(aborted("1"), aborted("1")), Verdict::Infeasible);
        assert_eq!(both(aborted("2"), aborted("2")), Verdict::Harmful);
        assert_eq!(both(aborted("1"), flip(shows(&[("a", "1")]))), Verdict::Harmless);
        let mut asked = shows(&[("a", "1")]);
        asked.requests.insert("GET /x".into(), 1);
        let recorded = [asked];
        assert_eq!(judge(&recorded, &[aborted("1")]).verdict, Verdict::Infeasible);
        assert_eq!(judge(&recorded, &[flip(shows(&[("a", "1")]))]).verdict, Verdict::Harmful);
    }

    #[test]
    fn the_worst_kind_counts() {
        let base = Observation { errors: Vec::new(), ..shows(&[("a", "1")]) };
        let failing = Observation { errors: vec!["TypeError".into()], ..shows(&[("a", "2")]) };
        let failed = judge(std::slice::from_ref(&base), &[flip(failing.clone())]);
        assert_eq!((failed.kind, failed.is_bad_as_recorded()), (Some(Kind::Error), false));
        let failed = judge(&[failing], &[flip(base.clone())]);
        assert_eq!((failed.kind, failed.is_bad_as_recorded()), (Some(Kind::Error), true));
        let mut typed = base.clone();
        typed.fields.insert("input#q".into(), "tea".into());
        let judged = judge(&[typed], &[flip(base)]);
        assert_eq!(judged.kind, Some(Kind::Lost));
        assert_eq!(judged.differences.lost[0].recorded.as_deref(), Some("tea"));
    }
}
