//! Race coverage by its definition: EventRacer, §3.1.
//!
//! Races eligible to cover and be covered have both accesses in events, in the Android models in
//! events of one Looper. t ≼ u between events is t = u, or end(t) ≺ begin(u) in the Android models,
//! or the order of events in models `event` and `web`. As in the definition, any of the trace's
//! races may stand in a cover, unless [`Coverage::by`] restricts which (EventRacer Android,
//! §7.3.1).

use trace::{EventId, OpId, Trace};

use super::facts::Facts;
use super::races::in_one_looper;
use super::{Model, Order, Race};

/// Which races cover which, in one trace under one order.
pub struct Coverage<'a> {
    facts: Facts,
    model: Model,
    order: &'a Order,
    races: Vec<Race>,
}

impl<'a> Coverage<'a> {
    /// Coverage among `races`; those that are not eligible neither cover nor are covered.
    pub fn new(trace: &Trace, model: Model, order: &'a Order, races: &[Race]) -> Self {
        let mut coverage = Self { facts: Facts::of(trace), model, order, races: Vec::new() };
        coverage.races = races.iter().copied().filter(|&race| coverage.eligible(race)).collect();
        coverage.races.sort();
        coverage
    }

    /// Restricts coverage: only the races for which `may_cover` holds may cover others.
    #[must_use]
    pub fn by(mut self, may_cover: impl Fn(Race) -> bool) -> Self {
        self.races.retain(|&race| may_cover(race));
        self
    }

    /// Whether a race takes part in coverage.
    pub fn eligible(&self, race: Race) -> bool {
        match self.model {
            Model::Event | Model::Web => {
                [race.first, race.second].iter().all(|&a| self.facts.event(a).is_some())
            }
            _ => in_one_looper(&self.facts, race.first, race.second),
        }
    }

    /// Definition 3.2: Sᵢ = (cᵢ, dᵢ) cover (a, b) if ev(a) ≼ ev(c₁), ev(dᵢ) ≼ ev(cᵢ₊₁) and dₙ ≼ b.
    /// Definition 3.1 is the case n = 1.
    pub fn covers(&self, chain: &[Race], race: Race) -> bool {
        let (Some(start), Some(last)) = (chain.first(), chain.last()) else { return false };
        self.starts(race, *start)
            && chain.windows(2).all(|pair| self.continues(pair[0], pair[1]))
            && self.finishes(*last, race)
    }

    /// The race of least number that alone covers `race`.
    pub fn covered_by_one(&self, race: Race) -> Option<Race> {
        self.races.iter().copied().find(|&s| self.covers(&[s], race))
    }

    /// `covered_by`, by going through all sequences of different races, the shorter first and those
    /// of one length in the order of their numbers. Exponential: for a dozen races.
    pub fn covered_by(&self, race: Race) -> Option<Vec<Race>> {
        (1..=self.races.len()).find_map(|length| self.first_cover(race, length, &mut Vec::new()))
    }

    /// The first sequence of `length` races that extends `chain` and covers `race`. A chain that
    /// breaks one of the definition's first two conditions is not extended: no extension mends it.
    fn first_cover(&self, race: Race, length: usize, chain: &mut Vec<Race>) -> Option<Vec<Race>> {
        if chain.len() == length {
            return self.covers(chain, race).then(|| chain.clone());
        }
        for &next in &self.races {
            let fits = match chain.last() {
                None => self.starts(race, next),
                Some(&last) => self.continues(last, next) && !chain.contains(&next),
            };
            if fits {
                chain.push(next);
                let found = self.first_cover(race, length, chain);
                chain.pop();
                if found.is_some() {
                    return found;
                }
            }
        }
        None
    }

    /// The same chain as [`Coverage::covered_by`], for many races: breadth-first search backwards
    /// from the races that finish, then forwards along the least numbers. O(m²) for m races.
    pub fn covered_by_search(&self, race: Race) -> Option<Vec<Race>> {
        // layers[k] holds the races from which k more, and no fewer, finish a cover.
        let (finishing, mut left): (Vec<Race>, Vec<Race>) =
            self.races.iter().partition(|&&s| self.finishes(s, race));
        let mut layers = vec![finishing];
        while !layers[layers.len() - 1].iter().any(|&s| self.starts(race, s)) {
            let nearer = &layers[layers.len() - 1];
            let (layer, rest): (Vec<Race>, Vec<Race>) =
                left.iter().partition(|&&s| nearer.iter().any(|&next| self.continues(s, next)));
            if layer.is_empty() {
                return None;
            }
            layers.push(layer);
            left = rest;
        }
        let mut chain: Vec<Race> = Vec::new();
        for layer in layers.iter().rev() {
            let fits = |s: Race| match chain.last() {
                None => self.starts(race, s),
                Some(&last) => self.continues(last, s),
            };
            let next = layer.iter().copied().find(|&s| fits(s));
            chain.push(next.expect("every race of a layer continues into the nearer one"));
        }
        Some(chain)
    }

    /// ev(a) ≼ ev(c), for `race` = (a, b) and s = (c, d).
    fn starts(&self, race: Race, s: Race) -> bool {
        self.ev_below(race.first, s.first)
    }

    /// ev(d) ≼ ev(c'), for s = (c, d) and `next` = (c', d').
    fn continues(&self, s: Race, next: Race) -> bool {
        self.ev_below(s.second, next.first)
    }

    /// d ≼ b, for s = (c, d) and `race` = (a, b): in one event d < b, else ev(d) ≼ ev(b).
    fn finishes(&self, s: Race, race: Race) -> bool {
        let (d, b) = (s.second, race.second);
        self.ev_below(d, b) && (self.facts.event(d) != self.facts.event(b) || d < b)
    }

    /// ev(a) ≼ ev(b).
    fn ev_below(&self, a: OpId, b: OpId) -> bool {
        match (self.facts.event(a), self.facts.event(b)) {
            (Some(t), Some(u)) => self.below(t, u),
            _ => false,
        }
    }

    /// t ≼ u. In models `event` and `web` begin(t) ≺ begin(u) says so, since t begins first.
    fn below(&self, t: EventId, u: EventId) -> bool {
        let last = match self.model {
            Model::Event | Model::Web => self.facts.begin(t),
            _ => self.facts.end(t),
        };
        let before = |last: OpId| self.facts.begin(u).is_some_and(|b| self.order.holds(last, b));
        t == u || last.is_some_and(before)
    }
}
