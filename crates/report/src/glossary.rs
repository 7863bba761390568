//! What the words of a report mean: classes and labels, a sentence each.

/// A word and its meaning.
#[derive(Debug)]
pub struct Term {
    /// The word.
    pub name: &'static str,
    /// What it says of a race.
    pub meaning: &'static str,
}

const fn term(name: &'static str, meaning: &'static str) -> Term {
    Term { name, meaning }
}

/// Where the freedom to reorder comes from.
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

/// Reasons to read a race later, or sooner.
pub const LABELS: &[Term] = &[
    term("same-value", "The racing writes write one value: their order does not show."),
    term("only-local-reads", "Every read follows a write of its own event."),
    term("late-handler", "An event may come before its handler is attached, and is missed once."),
    term("lazy-init", "Whoever comes first and finds nothing initialises the location."),
    term("commuting", "Both accesses are steps of operations that may change places."),
    term("unload", "One access runs while the page is being unloaded."),
    term("framework-only", "No code of the program is involved."),
    term("object-reuse", "The object went back to the framework's pool in between."),
    term("lock-protected", "Both accesses hold a common lock: they do not overlap."),
    term("inside-atomic-region", "Both accesses hold locks, but none in common."),
    term("uninitialised", "The read may come before every write."),
    term("readystate", "The handler of a response races."),
];

/// The meaning of a class or label.
pub fn meaning(name: &str) -> Option<&'static str> {
    CLASSES.iter().chain(LABELS).find(|term| term.name == name).map(|term| term.meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schema lists what a report may say; all of it is explained, and nothing else.
    #[test]
    fn every_word_of_the_schema_has_a_meaning() {
        let schema: serde_json::Value = serde_json::from_str(crate::JSON_SCHEMA).unwrap();
        let race = &schema["$defs"]["race"]["properties"];
        let lists = [(&race["class"]["enum"], CLASSES), (&race["labels"]["items"]["enum"], LABELS)];
        for (words, terms) in lists {
            let words: Vec<&str> =
                words.as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
            let names: Vec<&str> = terms.iter().map(|t| t.name).collect();
            assert_eq!(words, names);
        }
        for label in triage::Label::ALL {
            assert!(meaning(label.name()).is_some(), "{}", label.name());
        }
    }
}
