//! Tests of coverage: the figures of EventRacer, the corner cases of the definition, and the two
//! searches, which are compared with each other and with an enumeration of all sequences.

use trace::Posting::Delayed;
use trace::{OpId, Trace};

use super::mini::Mini;
use crate::oracle::Model::{Android, Event};
use crate::oracle::{Coverage, Race, RuleSwitches, happens_before, races_all};

/// Runs one event on `thread`: `w` writes and `r` reads the location that follows.
fn event(t: &mut Mini, thread: &str, name: &str, accesses: &str) -> Vec<OpId> {
    t.begin(thread, name);
    let ops = accesses
        .split_whitespace()
        .map(|access| match access.split_at(1) {
            ("w", location) => t.write(thread, location),
            (_, location) => t.read(thread, location),
        })
        .collect();
    t.end(thread, name);
    ops
}

/// The first and second access of a race.
type Pair = (OpId, OpId);

/// Returns the cover of every race of a trace in model `event`.
fn covers(trace: &Trace) -> Vec<(Pair, Option<Vec<Pair>>)> {
    let order = happens_before(trace, Event, &RuleSwitches::default());
    let races = races_all(trace, Event, &order);
    let coverage = Coverage::new(trace, Event, &order, &races);
    let pair = |race: &Race| (race.first, race.second);
    races
        .iter()
        .map(|race| {
            let chain = coverage.covered_by(*race);
            assert_eq!(chain, coverage.covered_by_search(*race));
            let alone = coverage.covered_by_one(*race).map(|one| vec![one]);
            assert_eq!(alone, chain.clone().filter(|chain| chain.len() == 1));
            (pair(race), chain.map(|chain| chain.iter().map(pair).collect()))
        })
        .collect()
}

#[test]
fn figure_4_init_covers_y() {
    let mut t = Mini::new();
    let script = event(&mut t, "T", "script", "wy winit");
    let click = event(&mut t, "T", "click", "rinit ry");
    let init = (script[1], click[0]);
    let y = (script[0], click[1]);
    assert_eq!(covers(&t.build()), [(init, None), (y, Some(vec![init]))]);
}

#[test]
fn a_later_access_of_the_same_event_does_not_cover() {
    let mut t = Mini::new();
    event(&mut t, "T", "script", "wy winit");
    let click = event(&mut t, "T", "click", "ry rinit");
    let found = covers(&t.build());
    assert_eq!(found[0], ((OpId(1), click[0]), None));
    // Here it is y that covers init: c may come before a in the same event.
    assert_eq!(found[1].1, Some(vec![(OpId(1), click[0])]));
}

#[test]
fn figure_5_two_races_cover_together() {
    let mut t = Mini::new();
    let first = event(&mut t, "T", "a", "wz wp");
    let middle = event(&mut t, "T", "b", "rp wq");
    let last = event(&mut t, "T", "c", "rq rz");
    let (s1, s2) = ((first[1], middle[0]), (middle[1], last[0]));
    let race = (first[0], last[1]);
    assert_eq!(covers(&t.build()), [(s1, None), (s2, None), (race, Some(vec![s1, s2]))]);
}

#[test]
fn chains_run_through_the_order_of_events() {
    // As figure 5, with the middle event split in two that an arc orders.
    for (arc, expected) in [(true, true), (false, false)] {
        let mut t = Mini::new();
        if arc {
            t.arc("T", "b", "c");
        }
        let first = event(&mut t, "T", "a", "wz wp");
        let second = event(&mut t, "T", "b", "rp");
        let third = event(&mut t, "T", "c", "wq");
        let last = event(&mut t, "T", "d", "rq rz");
        let chain = vec![(first[1], second[0]), (third[0], last[0])];
        let (race, found) = covers(&t.build()).pop().expect("three races");
        assert_eq!(race, (first[0], last[1]));
        assert_eq!(found, expected.then_some(chain));
    }
}

#[test]
fn the_shortest_chain_of_least_numbers_is_named() {
    let mut t = Mini::new();
    let first = event(&mut t, "T", "a", "wz wp wq wp");
    event(&mut t, "T", "b", "rp");
    let last = event(&mut t, "T", "c", "rq rp rz");
    let found = covers(&t.build());
    let (race, chain) = found.last().expect("there are races");
    assert_eq!(*race, (first[0], last[2]));
    assert_eq!(*chain, Some(vec![(first[2], last[0])]));
}

#[test]
fn races_outside_events_neither_cover_nor_are_covered() {
    let mut t = Mini::new();
    let script = event(&mut t, "T", "script", "wy");
    let outside = t.read("T", "y");
    let trace = t.build();
    let order = happens_before(&trace, Event, &RuleSwitches::default());
    let races = races_all(&trace, Event, &order);
    assert_eq!((races[0].first, races[0].second), (script[0], outside));
    let coverage = Coverage::new(&trace, Event, &order, &races);
    assert!(!coverage.eligible(races[0]));
    assert_eq!(coverage.covered_by(races[0]), None);
}

#[test]
fn on_android_only_races_of_one_looper_cover() {
    for (threads, covered) in [(["L", "L"], true), (["L", "L2"], false)] {
        let mut t = Mini::with_loopers();
        event(&mut t, threads[0], "m", "wy winit");
        event(&mut t, threads[1], "n", "rinit ry");
        let trace = t.build();
        let order = happens_before(&trace, Android, &RuleSwitches::default());
        let races = races_all(&trace, Android, &order);
        let coverage = Coverage::new(&trace, Android, &order, &races);
        assert_eq!(coverage.covered_by(races[1]).is_some(), covered);
    }
}

#[test]
fn on_android_an_unended_event_is_before_no_other() {
    // As figure 5 on one Looper: e, posted by b, goes on for it. Unended b says nothing of e.
    for ended in [true, false] {
        let mut t = Mini::with_loopers();
        let first = event(&mut t, "L", "a", "wz wp");
        t.begin("L", "b");
        t.read("L", "p");
        t.enqueue("L", "e", "Q", Delayed(0));
        if ended {
            t.end("L", "b");
        }
        event(&mut t, "L", "e", "wq");
        let last = event(&mut t, "L", "c", "rq rz");
        let trace = t.build();
        let order = happens_before(&trace, Android, &RuleSwitches::default());
        let races = races_all(&trace, Android, &order);
        let coverage = Coverage::new(&trace, Android, &order, &races);
        let race = *races.last().expect("there are races");
        assert_eq!((race.first, race.second), (first[0], last[1]));
        assert_eq!(coverage.covered_by(race).map(|chain| chain.len()), ended.then_some(2));
    }
}

/// The first of all sequences of different races, by length and numbers, that covers: no condition
/// is looked at before a sequence is complete.
fn first_of_all_sequences(
    coverage: &Coverage<'_>,
    races: &[Race],
    race: Race,
) -> Option<Vec<Race>> {
    let mut sequences: Vec<Vec<Race>> = vec![Vec::new()];
    for _ in races {
        sequences = sequences
            .iter()
            .flat_map(|chain| {
                let unused = races.iter().filter(|s| !chain.contains(s));
                unused.map(|&s| chain.iter().copied().chain([s]).collect())
            })
            .collect();
        if let Some(found) = sequences.iter().find(|chain| coverage.covers(chain, race)) {
            return Some(found.clone());
        }
    }
    None
}

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % bound
    }
}

/// A few events on two threads, overlapping, forking and joined by arcs.
fn random_events(random: &mut Random) -> Trace {
    let mut t = Mini::new();
    let mut open: [Option<String>; 2] = [None, None];
    let mut begun = 0;
    for _ in 0..8 + random.below(12) {
        let number = random.below(2) as usize;
        let thread = ["T", "U"][number];
        let other = random.below(6).to_string();
        match open[number].take() {
            None => {
                t.begin(thread, &begun.to_string());
                open[number] = Some(begun.to_string());
                begun += 1;
            }
            Some(event) => {
                let location = random.below(4).to_string();
                let choice = random.below(7);
                match choice {
                    0 | 1 => t.end(thread, &event),
                    2 => t.enqueue(thread, &other, "Q", Delayed(0)),
                    3 => t.arc(thread, &random.below(6).to_string(), &other),
                    4 => t.read(thread, &location),
                    _ => t.write(thread, &location),
                };
                open[number] = (choice > 1).then_some(event);
            }
        }
    }
    t.build()
}

#[test]
fn both_searches_find_the_first_of_all_sequences() {
    let mut random = Random(1);
    let (mut covered, mut multiply) = (0, 0);
    for _ in 0..10_000 {
        let trace = random_events(&mut random);
        let order = happens_before(&trace, Event, &RuleSwitches::default());
        let races = races_all(&trace, Event, &order);
        if races.len() > 6 {
            continue;
        }
        let coverage = Coverage::new(&trace, Event, &order, &races);
        for &race in &races {
            let expected = first_of_all_sequences(&coverage, &races, race);
            assert_eq!(coverage.covered_by(race), expected);
            assert_eq!(coverage.covered_by_search(race), expected);
            covered += usize::from(expected.is_some());
            multiply += usize::from(expected.is_some_and(|chain| chain.len() > 1));
        }
    }
    assert!(covered > 1000 && multiply > 20, "the traces say too little: {covered}, {multiply}");
}
