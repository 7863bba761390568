//! Suppressions: races that people decided to accept, each with a reason.
//!
//! A suppression matches a race if every key that it has matches; the first suppression that
//! matches gives the reason. An expired suppression matches nothing, and a suppression that matches
//! nothing is reported, so that lists stay current. Today's date comes from the caller.

use std::fmt;

use crate::model::{AccessEntry, RaceEntry, Report, SuppressionEntry};

/// A day, ordered as in the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "says it")]
pub struct Date {
    pub year: u16,
    pub month: u8,
    pub day: u8,
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A pattern for names in which `*` matches any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// Returns a pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// Returns whether the pattern matches `name`.
    ///
    /// Each piece between stars is matched where it first occurs: if any placement matches, the
    /// leftmost does. The time is linear, except for the search for the pieces.
    pub fn matches(&self, name: &str) -> bool {
        let Some((head, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut left) = name.strip_prefix(head) else { return false };
        let (middle, tail) = rest.rsplit_once('*').unwrap_or(("", rest));
        for piece in middle.split('*') {
            let Some(at) = left.find(piece) else { return false };
            left = &left[at + piece.len()..];
        }
        left.ends_with(tail)
    }
}

/// The conditions on a race. At least one key is given, and all given keys must match.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// The location's name.
    pub location: Option<Pattern>,
    /// A function on the call stack of either access.
    pub function: Option<Pattern>,
    /// The source file of either access, or of a frame of its stack.
    pub file: Option<Pattern>,
    /// The event of either access.
    pub event: Option<Pattern>,
    /// The fingerprint.
    pub fingerprint: Option<String>,
}

impl Matcher {
    /// Returns whether it has no key.
    pub fn is_empty(&self) -> bool {
        self.patterns().next().is_none() && self.fingerprint.is_none()
    }

    fn patterns(&self) -> impl Iterator<Item = (&'static str, &Pattern)> {
        [
            ("location", &self.location),
            ("function", &self.function),
            ("file", &self.file),
            ("event", &self.event),
        ]
        .into_iter()
        .filter_map(|(key, pattern)| Some((key, pattern.as_ref()?)))
    }

    /// Returns whether every key matches a race.
    pub fn matches(&self, race: &RaceEntry) -> bool {
        let either = |holds: &dyn Fn(&AccessEntry) -> bool| {
            [&race.first, &race.second].into_iter().any(holds)
        };
        self.fingerprint.as_ref().is_none_or(|f| *f == race.fingerprint)
            && self.patterns().all(|(key, pattern)| match key {
                "location" => pattern.matches(&race.location),
                "function" => either(&|a| a.stack.iter().any(|f| pattern.matches(&f.function))),
                "file" => either(&|a| files(a).any(|file| pattern.matches(file))),
                _ => either(&|a| a.event.as_deref().is_some_and(|e| pattern.matches(e))),
            })
    }
}

/// Returns the source files of an access and of the frames of its stack.
fn files(access: &AccessEntry) -> impl Iterator<Item = &str> {
    let own = access.source.iter();
    own.chain(access.stack.iter().filter_map(|f| f.source.as_ref())).map(|s| s.file.as_str())
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fingerprint = self.fingerprint.as_deref().map(|text| ("fingerprint", text));
        let keys = self.patterns().map(|(key, pattern)| (key, pattern.0.as_str()));
        for (i, (key, text)) in keys.chain(fingerprint).enumerate() {
            write!(f, "{}{key} {text}", if i == 0 { "" } else { " and " })?;
        }
        Ok(())
    }
}

/// A decision to accept some races.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The races to which the suppression applies.
    pub matcher: Matcher,
    /// The reason for the decision.
    pub reason: String,
    /// The last day on which the suppression applies.
    pub expires: Option<Date>,
    /// The file and line of the suppression.
    pub origin: String,
}

/// Suppresses the races that the suppressions match on the day `today`.
pub fn apply(report: &mut Report, suppressions: &[Suppression], today: Date) {
    for suppression in suppressions {
        let expired = suppression.expires.is_some_and(|last| last < today);
        let mut matched = 0;
        for race in report.races.iter_mut().filter(|race| suppression.matcher.matches(race)) {
            matched += 1;
            if !expired {
                race.suppressed.get_or_insert_with(|| suppression.reason.clone());
            }
        }
        let state = match matched {
            _ if expired => "expired",
            0 => "unused",
            _ => "used",
        };
        report.suppressions.push(SuppressionEntry {
            matches: suppression.matcher.to_string(),
            origin: suppression.origin.clone(),
            reason: suppression.reason.clone(),
            expires: suppression.expires.map(|day| day.to_string()),
            state: state.into(),
            races: matched,
        });
    }
    report.recount();
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition of a match, which tries every length for every star.
    fn slow(pattern: &[char], name: &[char]) -> bool {
        match pattern.split_first() {
            None => name.is_empty(),
            Some(('*', rest)) => (0..=name.len()).any(|n| slow(rest, &name[n..])),
            Some((c, rest)) => name.first() == Some(c) && slow(rest, &name[1..]),
        }
    }

    #[test]
    fn patterns_match_as_defined_on_all_short_texts() {
        let texts = |alphabet: &[char], longest: u32| -> Vec<Vec<char>> {
            let digits = alphabet.len();
            let of_length = |n: u32| {
                (0..digits.pow(n)).map(move |mut code| -> Vec<usize> {
                    (0..n).map(|_| (code % digits, code /= digits).0).collect()
                })
            };
            (0..=longest)
                .flat_map(of_length)
                .map(|word| word.into_iter().map(|i| alphabet[i]).collect())
                .collect()
        };
        let names = texts(&['a', 'b'], 5);
        for pattern in texts(&['a', 'b', '*'], 5) {
            let fast = Pattern::new(pattern.iter().collect::<String>());
            for name in &names {
                let text: String = name.iter().collect();
                assert_eq!(fast.matches(&text), slow(&pattern, name), "{fast:?} on {text}");
            }
        }
    }

    #[test]
    fn days_are_ordered_as_the_calendar_is() {
        let day = |year, month, day| Date { year, month, day };
        assert!(day(2025, 12, 31) < day(2026, 1, 1) && day(2026, 1, 31) < day(2026, 2, 1));
        assert_eq!(day(2026, 2, 1).to_string(), "2026-02-01");
    }
}
