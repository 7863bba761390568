//! Explains the terms of a report, each in one sentence. The sentences for labels and hints are the
//! beginnings of their pages in `triage`.

/// A term and its meaning.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The term.
    pub name: &'static str,
    /// What the term states about a race.
    pub meaning: &'static str,
}

const fn term(name: &'static str, meaning: &'static str) -> Term {
    Term { name, meaning }
}

/// The classes: the reasons why the accesses of a race could run in either order.
pub const CLASSES: &[Term] = &[
    term("multi-threaded", "The accesses run on different threads that nothing synchronises."),
    term(
        "co-enabled",
        "The accesses stem from two events of the environment (input, display, another process) \
         that may come in either order.",
    ),
    term("delayed", "The accesses stem from events of which one was posted with a delay."),
    term("cross-posted", "The accesses stem from events that other threads posted to this one."),
    term("uncategorized", "None of the other classes holds."),
    term("write-write", "Two events write the location, and nothing orders the events."),
    term("read-write", "An event reads what another, unordered one later writes."),
    term("write-read", "An event writes what another, unordered one later reads."),
];

/// Returns the labels, explained in the words of their pages.
pub fn labels() -> impl Iterator<Item = Term> {
    let filters = triage::FILTERS.iter().map(|filter| term(filter.label.name(), filter.summary()));
    let replayed = triage::REPLAYED.iter().map(|label| term(label.label.name(), label.summary()));
    filters.chain(replayed)
}

/// Returns the hints, explained in the words of their pages.
pub fn hints() -> impl Iterator<Item = Term> {
    triage::HINTS.iter().map(|hint| term(hint.name, hint.summary()))
}

/// Returns the meaning of a class, label or hint.
pub fn meaning(name: &str) -> Option<&'static str> {
    let mut terms = CLASSES.iter().copied().chain(labels()).chain(hints());
    terms.find(|term| term.name == name).map(|term| term.meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema lists the terms of a report. All of them are explained, and no others.
    #[test]
    fn every_word_of_the_schema_has_a_meaning() {
        let schema: serde_json::Value = serde_json::from_str(crate::JSON_SCHEMA).unwrap();
        let race = &schema["$defs"]["race"]["properties"];
        let lists: [(_, Vec<Term>); 3] = [
            (&race["class"]["enum"], CLASSES.to_vec()),
            (&race["labels"]["items"]["enum"], labels().collect()),
            (&race["hints"]["items"]["properties"]["kind"]["enum"], hints().collect()),
        ];
        for (words, terms) in lists {
            let words: Vec<&str> =
                words.as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
            let names: Vec<&str> = terms.iter().map(|t| t.name).collect();
            assert_eq!(words, names);
            assert!(terms.iter().all(|term| term.meaning.ends_with('.')), "{terms:?}");
        }
    }
}
