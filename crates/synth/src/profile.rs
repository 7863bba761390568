//! Profiles: the figures of recordings of some program.
//!
//! `data/profiles.toml` has the published profiles; a user's own file has the same keys. A scale
//! multiplies the counts of operations, accesses, events and locations. Threads only shrink with
//! it, and the number of planted conflicts stays.

use serde::Deserialize;

/// The figures of a trace at scale 1.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Profile {
    /// The happens-before model of the trace: `android` or `event`.
    pub model: Model,
    /// The number of operations that are no accesses. 0 stands for eight for each event.
    pub sync_operations: u64,
    /// The number of reads and writes. 0 stands for 1,500 for each event (120 in model `event`).
    pub accesses: u64,
    /// Threads with a message queue of their own.
    pub looper_threads: u32,
    /// Threads that serve calls of other processes.
    pub binder_threads: u32,
    /// All other threads.
    pub other_threads: u32,
    /// Events of loopers and executors.
    pub looper_events: u64,
    /// Events of binder threads.
    pub binder_events: u64,
    /// Event actions (model `event`).
    pub event_actions: u64,
    /// Forks and joins between event actions (model `event`).
    pub edges: u64,
    /// The approximate number of chains that cover the event actions (model `event`).
    pub chains: u64,
    /// The approximate number of memory locations.
    pub locations: u64,
    /// The factor by which the trace lasts longer than the simulated device needs for it.
    pub stretch: u32,
    /// The shares of the kinds of posts among the looper events.
    pub mix: Mix,
    /// The number of planted conflicts.
    pub planted: Planted,
}

/// The happens-before model of a generated trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Model {
    /// Loopers, binders, threads.
    Android,
    /// Event actions with forks and joins.
    Event,
}

impl Model {
    /// The name in trace headers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Android => "android",
            Self::Event => "event",
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            model: Model::Android,
            sync_operations: 0,
            accesses: 0,
            looper_threads: 8,
            binder_threads: 5,
            other_threads: 60,
            looper_events: 0,
            binder_events: 0,
            event_actions: 0,
            edges: 0,
            chains: 0,
            locations: 1_000_000,
            stretch: 1,
            mix: Mix::default(),
            planted: Planted::default(),
        }
    }
}

/// The shares of the kinds of posts among the looper events. The rest are plain posts of events
/// outside the three FIFO levels.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Mix {
    /// Plain posts of threads, and input: AsyncClock's FIFO level 1.
    pub level1: f64,
    /// Plain posts of events at level 1.
    pub level2: f64,
    /// Plain posts of events at level 2.
    pub level3: f64,
    /// The part of level 1 that is input.
    pub input: f64,
    /// Frames of the display.
    pub display: f64,
    /// Events that post themselves again with a delay.
    pub timer: f64,
    /// Delays of a few usual lengths.
    pub delayed: f64,
    /// Delays of any length.
    pub unordered_delayed: f64,
    /// Events that post themselves again for a point in time.
    pub at_time_chain: f64,
    /// Other posts for a point in time.
    pub at_time: f64,
    /// Posts to the front.
    pub front: f64,
    /// Idle handlers.
    pub idle: f64,
    /// Asynchronous messages, most of them behind a barrier.
    pub asynchronous: f64,
    /// Tasks of an executor with several threads.
    pub pool: f64,
}

impl Default for Mix {
    fn default() -> Self {
        Self {
            level1: 0.54,
            level2: 0.048,
            level3: 0.017,
            input: 0.08,
            display: 0.05,
            timer: 0.12,
            delayed: 0.05,
            unordered_delayed: 0.004,
            at_time_chain: 0.04,
            at_time: 0.002,
            front: 0.02,
            idle: 0.01,
            asynchronous: 0.025,
            pool: 0.005,
        }
    }
}

/// The numbers of planted conflicts with a known answer, whatever the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Planted {
    /// Races that no other race covers.
    pub races: u32,
    /// Ad hoc synchronisations: a race on a flag that covers a race on the data it guards.
    pub ad_hoc: u32,
    /// Conflicts that some rule orders, or a lock protects.
    pub near_misses: u32,
    /// Races between two threads whose accesses are far apart: the last ones half of the trace, the ones
    /// before a quarter, and so on (model `android`).
    pub distant: u32,
}

impl Default for Planted {
    fn default() -> Self {
        Self { races: 26, ad_hoc: 8, near_misses: 34, distant: 0 }
    }
}

/// The largest stretch. Times then stay far below 2⁶³ nanoseconds.
const MOST_STRETCH: u32 = 10_000;

const CATALOGUE: &str = include_str!("../data/profiles.toml");

/// Why a profile cannot be used.
#[derive(Debug)]
pub struct ProfileError(String);

impl std::fmt::Display for ProfileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ProfileError {}

impl Profile {
    /// The profiles that have a name, in the order of their file.
    pub fn catalogue() -> Vec<(String, Self)> {
        let table: toml::Table = CATALOGUE.parse().expect("the catalogue is TOML");
        let profile = |value: toml::Value| value.try_into().expect("the catalogue has our keys");
        let mut named: Vec<(String, Self)> =
            table.into_iter().map(|(name, value)| (name, profile(value))).collect();
        let place = |name: &str| CATALOGUE.find(&format!("[\"{name}\"]"));
        named.sort_by_key(|(name, _)| place(name));
        named
    }

    /// The profile with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::catalogue().into_iter().find(|(n, _)| n == name).map(|(_, profile)| profile)
    }

    /// The approximate number of operations of a trace at a scale.
    pub fn operations_at(&self, scale: f64) -> u64 {
        let sync = match (self.sync_operations, self.model) {
            (0, Model::Android) => (self.looper_events + self.binder_events) * 8,
            (0, Model::Event) => self.event_actions * 2 + self.edges,
            (sync, _) => sync,
        };
        (sync as f64 * scale).round() as u64 + self.accesses_at(scale)
    }

    /// The number of accesses of a trace at a scale.
    pub fn accesses_at(&self, scale: f64) -> u64 {
        let accesses = match (self.accesses, self.model) {
            (0, Model::Android) => (self.looper_events + self.binder_events) * 1500,
            (0, Model::Event) => self.event_actions * 120,
            (accesses, _) => accesses,
        };
        (accesses as f64 * scale).round() as u64
    }

    /// Reads a profile file.
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        let profile: Self =
            toml::from_str(text).map_err(|error| ProfileError(error.to_string()))?;
        profile.check()?;
        Ok(profile)
    }

    /// Checks that a trace with these figures can exist.
    fn check(&self) -> Result<(), ProfileError> {
        let fail = |what: &str| Err(ProfileError(what.to_owned()));
        match self.model {
            Model::Android if self.looper_events == 0 => {
                return fail("looper_events is missing: how many events do the loopers run?");
            }
            Model::Event if self.event_actions == 0 => {
                return fail("event_actions is missing: how many events are there?");
            }
            _ => {}
        }
        if !(1..=MOST_STRETCH).contains(&self.stretch) {
            return Err(ProfileError(format!("stretch must lie between 1 and {MOST_STRETCH}")));
        }
        let total = self.mix.shares().iter().sum::<f64>();
        let sound = |share: &f64| (0.0..=1.0).contains(share);
        if !self.mix.shares().iter().all(sound) || !sound(&self.mix.input) || total > 1.0 + 1e-9 {
            return fail("the shares in [mix] must lie between 0 and 1 and add up to at most 1");
        }
        Ok(())
    }
}

impl Mix {
    /// All shares of the looper events.
    fn shares(&self) -> [f64; 13] {
        [
            self.level1,
            self.level2,
            self.level3,
            self.display,
            self.timer,
            self.delayed,
            self.unordered_delayed,
            self.at_time_chain,
            self.at_time,
            self.front,
            self.idle,
            self.asynchronous,
            self.pool,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_is_sound() {
        let catalogue = Profile::catalogue();
        assert_eq!(catalogue.iter().filter(|(n, _)| n.starts_with("asyncclock/")).count(), 20);
        for (name, profile) in catalogue {
            assert!(profile.check().is_ok(), "{name}");
        }
    }

    #[test]
    fn errors_name_the_key() {
        let message = |text: &str| Profile::parse(text).expect_err("no profile").to_string();
        assert!(message("looper_event = 3").contains("looper_event"));
        assert!(message("accesses = 3").contains("looper_events"));
        assert!(message("looper_events = 3\nstretch = 0").contains("stretch"));
        assert!(message("looper_events = 3\n[mix]\nlevel1 = 0.9\nfront = 0.2").contains("[mix]"));
        assert!(Profile::parse("looper_events = 3").is_ok());
    }
}
