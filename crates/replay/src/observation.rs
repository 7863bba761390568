//! What a person can observe of a program at the end of an execution, and how two executions differ.

use std::collections::{BTreeMap, BTreeSet};

use crate::picture::Picture;

/// What was observed at the end of an execution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Observation {
    /// Uncaught errors, unhandled rejections and errors on the console, in their order.
    pub errors: Vec<String>,
    /// The document: the value of each attribute, text and field, by the path of its element.
    pub document: BTreeMap<String, String>,
    /// What the user typed, by the path of the field.
    pub fields: BTreeMap<String, String>,
    /// The requests, each with its number.
    pub requests: BTreeMap<String, u32>,
    /// Storage, cookies, the address and the focus, by their names.
    pub storage: BTreeMap<String, String>,
    /// The listeners that each input called, by the input's path.
    pub listeners: BTreeMap<String, u32>,
    /// What the program showed.
    pub picture: Option<Picture>,
}

/// One thing that two executions show differently.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// What differs: the path of an element, a request, a key.
    pub what: String,
    /// What the recorded order shows.
    pub recorded: Option<String>,
    /// What the other order shows.
    pub flipped: Option<String>,
}

/// How two observations differ.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Differences {
    /// Errors that one of the two has, and the other has not.
    pub errors: Vec<Difference>,
    /// Inputs that called fewer listeners, and fields that lost what was typed.
    pub lost: Vec<Difference>,
    /// The document and its fields.
    pub document: Vec<Difference>,
    /// Requests.
    pub requests: Vec<Difference>,
    /// Storage, cookies, the address and the focus.
    pub storage: Vec<Difference>,
}

impl Observation {
    /// How `flipped` differs from this observation.
    pub fn compare(&self, flipped: &Observation) -> Differences {
        let differ = |what: &String, one: Option<&String>, other: Option<&String>| Difference {
            what: what.clone(),
            recorded: one.cloned(),
            flipped: other.cloned(),
        };
        let maps = |one: &BTreeMap<String, String>, other: &BTreeMap<String, String>| {
            let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
            let keys = keys.into_iter().filter(|key| one.get(*key) != other.get(*key));
            keys.map(|key| differ(key, one.get(key), other.get(key))).collect::<Vec<_>>()
        };
        let counted = |counts: &BTreeMap<String, u32>| -> BTreeMap<String, String> {
            counts.iter().map(|(key, count)| (key.clone(), count.to_string())).collect()
        };
        let mut lost = Vec::new();
        for (input, &count) in &self.listeners {
            let less = flipped.listeners.get(input).copied().unwrap_or_default();
            if less < count {
                let (count, less) = (count.to_string(), less.to_string());
                lost.push(differ(input, Some(&count), Some(&less)));
            }
        }
        for (field, typed) in &self.fields {
            let now = flipped.fields.get(field);
            if !typed.is_empty() && now != Some(typed) {
                lost.push(differ(field, Some(typed), now));
            }
        }
        let counts = |errors: &[String]| {
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            for error in errors {
                *counts.entry(error.clone()).or_default() += 1;
            }
            counted(&counts)
        };
        Differences {
            errors: maps(&counts(&self.errors), &counts(&flipped.errors)),
            lost,
            document: maps(&self.document, &flipped.document),
            requests: maps(&counted(&self.requests), &counted(&flipped.requests)),
            storage: maps(&self.storage, &flipped.storage),
        }
    }
}

impl Differences {
    fn lists(&self) -> [&Vec<Difference>; 5] {
        [&self.errors, &self.lost, &self.document, &self.requests, &self.storage]
    }

    /// Keeps only what differs in `other` too, or only what does not. The values need not be the same.
    fn retain(&mut self, other: &Self, too: bool) {
        let Self { errors, lost, document, requests, storage } = self;
        let own = [errors, lost, document, requests, storage];
        for (list, others) in own.into_iter().zip(other.lists()) {
            list.retain(|one| others.iter().any(|other| other.what == one.what) == too);
        }
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many things differ.
    pub fn len(&self) -> usize {
        self.lists().iter().map(|list| list.len()).sum()
    }

    /// Removes what `noise` names, whatever it shows there. Returns how much was removed.
    pub fn mask(&mut self, noise: &Differences) -> usize {
        let before = self.len();
        self.retain(noise, false);
        before - self.len()
    }

    /// Removes requests that are fewer in the other order.
    pub fn forgive_requests(&mut self) {
        let count = |text: &Option<String>| {
            text.as_deref().and_then(|text| text.parse::<u32>().ok()).unwrap_or_default()
        };
        self.requests.retain(|one| count(&one.flipped) > count(&one.recorded));
    }

    /// Keeps only what differs in `other` too. The values may not be the same: what was held may be let go
    /// in the middle of a step.
    pub fn confirm(&mut self, other: &Differences) {
        self.retain(other, true);
    }
}
