//! Models, and their rules switched on and off by name.

use std::collections::BTreeMap;

use super::{android, asyncclock, droidracer, event, eventracer_android, threads, web};

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// EventRacer Android as printed.
    EventRacerAndroid,
    /// EventRacer Android mended where Android behaves otherwise.
    Android,
    /// AsyncClock as printed.
    AsyncClock,
    /// EventRacer: event actions, forks and joins.
    Event,
    /// Today's web: tasks and their parts.
    Web,
    /// FastTrack: threads, and locks that order.
    Threads,
    /// DroidRacer, as the tool behaves, without the parts that only its logs have.
    DroidRacer,
}

impl Model {
    /// Every model the oracle knows.
    pub const ALL: [Self; 7] = [
        Self::EventRacerAndroid,
        Self::Android,
        Self::AsyncClock,
        Self::Event,
        Self::Web,
        Self::DroidRacer,
        Self::Threads,
    ];

    /// The name in `--model`.
    pub fn name(self) -> &'static str {
        match self {
            Self::EventRacerAndroid => "eventracer-android",
            Self::Android => "android",
            Self::AsyncClock => "asyncclock",
            Self::Event => "event",
            Self::Web => "web",
            Self::Threads => "threads",
            Self::DroidRacer => "droidracer",
        }
    }

    /// Its rules, each with whether it is on by default.
    pub fn rules(self) -> Vec<(&'static str, bool)> {
        let rules = match self {
            Self::EventRacerAndroid => eventracer_android::RULES,
            Self::Android => android::RULES,
            Self::AsyncClock => asyncclock::RULES,
            Self::Threads => threads::RULES,
            Self::Event => return with_defaults(event::RULES),
            Self::Web => return with_defaults(web::RULES),
            Self::DroidRacer => {
                return droidracer::RULES.iter().map(|&name| (name, true)).collect();
            }
        };
        rules.iter().map(|rule| (rule.name, rule.on_by_default)).collect()
    }
}

fn with_defaults(rules: &[&'static str]) -> Vec<(&'static str, bool)> {
    rules.iter().map(|&name| (name, event::on_by_default(name))).collect()
}

/// The rules that are switched on or off. A rule that is not mentioned has the model's default. The
/// default value mentions no rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleSwitches {
    mentioned: BTreeMap<String, bool>,
    window: Option<u64>,
}

impl RuleSwitches {
    /// Switches `rule` on.
    #[must_use]
    pub fn on(self, rule: &str) -> Self {
        self.set(rule, true)
    }

    /// Switches `rule` off.
    #[must_use]
    pub fn off(self, rule: &str) -> Self {
        self.set(rule, false)
    }

    /// Switches `rule` on or off. Panics if no model has such a rule, because a misspelt switch
    /// would make a comparison meaningless.
    #[must_use]
    pub fn set(mut self, rule: &str, on: bool) -> Self {
        let known = Model::ALL.iter().any(|m| m.rules().iter().any(|&(name, _)| name == rule));
        assert!(known, "no model has a rule {rule}");
        self.mentioned.insert(rule.to_owned(), on);
        self
    }

    /// Switches rule WINDOW on, with a window of so many nanoseconds.
    #[must_use]
    pub fn window(mut self, length: u64) -> Self {
        self.window = Some(length);
        self.on("WINDOW")
    }

    /// The length of the window, if it is not the default.
    pub(super) fn length(&self) -> Option<u64> {
        self.window
    }

    pub(super) fn enabled(&self, rule: &str, by_default: bool) -> bool {
        self.mentioned.get(rule).copied().unwrap_or(by_default)
    }
}
