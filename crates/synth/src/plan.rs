//! What is still to be made: the profile's figures at a scale, counted down.

use crate::profile::Profile;

/// How a looper or pool event comes about.
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
    /// One of the usual delays.
    Delayed,
    /// Any delay.
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

    /// Those any hub may post.
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

/// The figures of a trace to be made.
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
        // A thread costs some five operations; in a short trace they must not crowd out the rest.
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

/// What is left of the plan.
///
/// A post takes its event out of here; what the event will still cost is taken when it happens.
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

    /// Takes one event out.
    pub(crate) fn take(&mut self, kind: Kind) {
        let left = &mut self.kinds[kind as usize];
        *left = left.saturating_sub(1);
    }

    pub(crate) fn take_binder(&mut self) {
        self.binder = self.binder.saturating_sub(1);
    }

    /// Events still to be posted to loopers and pools.
    pub(crate) fn looper(&self) -> u64 {
        self.kinds.iter().sum()
    }

    /// Events still to be posted.
    pub(crate) fn events(&self) -> u64 {
        self.looper() + self.binder
    }

    /// Of the free kinds.
    pub(crate) fn free(&self) -> u64 {
        Kind::FREE.iter().map(|&kind| self.of(kind)).sum()
    }

    /// How far the looper events are.
    pub(crate) fn looper_progress(&self) -> f64 {
        progress(self.looper(), self.total.iter().sum())
    }

    pub(crate) fn binder_progress(&self) -> f64 {
        progress(self.binder, self.binder_total)
    }

    pub(crate) fn kind_progress(&self, kind: Kind) -> f64 {
        progress(self.of(kind), self.total[kind as usize])
    }

    /// How far everything is.
    pub(crate) fn progress(&self) -> f64 {
        progress(self.events(), self.total.iter().sum::<u64>() + self.binder_total)
    }

    /// Turns what only an event at a lower level could post into plain posts of threads: for the
    /// end, when no such event is left.
    pub(crate) fn flatten(&mut self) {
        for kind in [Kind::Level2, Kind::Level3, Kind::Plain] {
            self.kinds[Kind::Level1 as usize] += std::mem::take(&mut self.kinds[kind as usize]);
        }
    }

    /// A free kind, by what is left of each.
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
