//! The plan of a trace: the profile's figures at a scale, and what remains of them.

use crate::profile::Profile;

/// The kind of post that makes a looper or pool event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Kind {
    /// A plain post of a thread.
    Level1,
    /// A plain post of an event at level 1.
    Level2,
    /// A plain post of an event at level 2.
    Level3,
    Input,
    Display,
    /// The next event of a timer.
    Timer,
    /// A post with one of the usual delays.
    Delayed,
    /// A post with any delay.
    AnyDelay,
    /// The next event of an animation.
    AtTimeChain,
    AtTime,
    Front,
    Idle,
    Async,
    Pool,
    /// A plain post of any other event.
    Plain,
}

impl Kind {
    pub(crate) const COUNT: usize = 15;

    /// The kinds that any hub may post.
    pub(crate) const FREE: [Self; 7] = [
        Self::Delayed,
        Self::AnyDelay,
        Self::AtTime,
        Self::Idle,
        Self::Async,
        Self::Pool,
        Self::Plain,
    ];
}

/// The figures of a trace to generate.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) sync: u64,
    pub(crate) accesses: u64,
    pub(crate) binder_events: u64,
    pub(crate) loopers: u32,
    pub(crate) binders: u32,
    pub(crate) others: u32,
    pub(crate) locations: u64,
    pub(crate) kinds: [u64; Kind::COUNT],
}

/// The least number of other threads: the services, the islands and a few workers.
pub(crate) const FEWEST_OTHERS: u32 = 14;

fn scaled(count: u64, scale: f64) -> u64 {
    (count as f64 * scale).round() as u64
}

impl Plan {
    pub(crate) fn new(profile: &Profile, scale: f64) -> Self {
        let planted = profile.planted.races + profile.planted.ad_hoc + profile.planted.near_misses;
        let planted = (f64::from(planted) * crate::plant::EVENTS) as u64;
        let looper_events = scaled(profile.looper_events, scale).max(1);
        let looper_events = looper_events - planted.min(looper_events / 2);
        let binder_events = scaled(profile.binder_events, scale);
        let events = looper_events + binder_events;
        let or = |figure: u64, default: u64| {
            if figure == 0 { default } else { scaled(figure, scale) }
        };
        let sync = or(profile.sync_operations, events * 8);
        let accesses = profile.accesses_at(scale);
        // A thread takes about five operations, which must not dominate a short trace.
        let threads = profile.looper_threads + profile.binder_threads + profile.other_threads;
        let room = (sync as f64 / 60.0) / f64::from(threads.max(1));
        let few =
            |count: u32, least: u32| ((f64::from(count) * room.min(1.0)).round() as u32).max(least);
        Self {
            sync,
            accesses,
            binder_events,
            loopers: few(profile.looper_threads, 1),
            binders: few(profile.binder_threads, 2),
            others: few(profile.other_threads, FEWEST_OTHERS),
            locations: scaled(profile.locations, scale.min(1.0)).max(64),
            kinds: kinds(profile, looper_events),
        }
    }

    pub(crate) fn events(&self) -> u64 {
        self.binder_events + self.kinds.iter().sum::<u64>()
    }
}

fn kinds(profile: &Profile, events: u64) -> [u64; Kind::COUNT] {
    let mix = &profile.mix;
    let mut kinds = [0; Kind::COUNT];
    let level1 = scaled(events, mix.level1);
    kinds[Kind::Input as usize] = scaled(level1, mix.input);
    kinds[Kind::Level1 as usize] = level1 - kinds[Kind::Input as usize];
    for (kind, share) in [
        (Kind::Level2, mix.level2),
        (Kind::Level3, mix.level3),
        (Kind::Display, mix.display),
        (Kind::Timer, mix.timer),
        (Kind::Delayed, mix.delayed),
        (Kind::AnyDelay, mix.unordered_delayed),
        (Kind::AtTimeChain, mix.at_time_chain),
        (Kind::AtTime, mix.at_time),
        (Kind::Front, mix.front),
        (Kind::Idle, mix.idle),
        (Kind::Async, mix.asynchronous),
        (Kind::Pool, mix.pool),
    ] {
        kinds[kind as usize] = scaled(events, share);
    }
    let rest = events.saturating_sub(kinds.iter().sum());
    kinds[Kind::Plain as usize] = rest;
    kinds
}

/// The remaining part of the plan.
///
/// A post subtracts its event. The other operations of the event are subtracted when they happen.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    total: [u64; Kind::COUNT],
    kinds: [u64; Kind::COUNT],
    binder: u64,
    binder_total: u64,
}

impl Left {
    pub(crate) fn new(plan: &Plan) -> Self {
        Self {
            total: plan.kinds,
            kinds: plan.kinds,
            binder: plan.binder_events,
            binder_total: plan.binder_events,
        }
    }

    pub(crate) fn of(&self, kind: Kind) -> u64 {
        self.kinds[kind as usize]
    }

    pub(crate) fn binder(&self) -> u64 {
        self.binder
    }

    /// Subtracts one event.
    pub(crate) fn take(&mut self, kind: Kind) {
        let left = &mut self.kinds[kind as usize];
        *left = left.saturating_sub(1);
    }

    pub(crate) fn take_binder(&mut self) {
        self.binder = self.binder.saturating_sub(1);
    }

    /// The number of events that remain to be posted to loopers and pools.
    pub(crate) fn looper(&self) -> u64 {
        self.kinds.iter().sum()
    }

    /// The number of events that remain to be posted.
    pub(crate) fn events(&self) -> u64 {
        self.looper() + self.binder
    }

    /// The number of events of the free kinds that remain to be posted.
    pub(crate) fn free(&self) -> u64 {
        Kind::FREE.iter().map(|&kind| self.of(kind)).sum()
    }

    /// The fraction of the looper events that were posted.
    pub(crate) fn looper_progress(&self) -> f64 {
        progress(self.looper(), self.total.iter().sum())
    }

    pub(crate) fn binder_progress(&self) -> f64 {
        progress(self.binder, self.binder_total)
    }

    pub(crate) fn kind_progress(&self, kind: Kind) -> f64 {
        progress(self.of(kind), self.total[kind as usize])
    }

    /// The fraction of the plan that is done.
    pub(crate) fn progress(&self) -> f64 {
        progress(self.events(), self.total.iter().sum::<u64>() + self.binder_total)
    }

    /// Turns the events that only an event at a lower level could post into plain posts of threads.
    /// This is for the end, when no such event remains.
    pub(crate) fn flatten(&mut self) {
        for kind in [Kind::Level2, Kind::Level3, Kind::Plain] {
            self.kinds[Kind::Level1 as usize] += std::mem::take(&mut self.kinds[kind as usize]);
        }
    }

    /// Draws a free kind, weighted by the remaining number of each.
    pub(crate) fn draw_free(&self, rng: &mut fastrand::Rng) -> Option<Kind> {
        let free = self.free();
        if free == 0 {
            return None;
        }
        let mut at = rng.u64(..free);
        Kind::FREE.into_iter().find(|&kind| {
            let inside = at < self.of(kind);
            at = at.saturating_sub(self.of(kind));
            inside
        })
    }
}

fn progress(left: u64, total: u64) -> f64 {
    if total == 0 { 1.0 } else { 1.0 - left as f64 / total as f64 }
}
