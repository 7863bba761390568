//! Areas: what an event knows of messages that are not on chains.
//!
//! A plane is a list of messages, each with a rank. A corner says: of a plane, all messages among the
//! first so many with a rank up to this. A set of corners is what an event knows; sets are shared.
//!
//! Canonical form: sorted by plane, then by length, ascending; within a plane ranks descend, so that no
//! corner lies within another.

use hashbrown::HashMap;

/// All messages of `plane` at positions below `length` with ranks up to `rank`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Corner {
    pub(super) plane: u32,
    pub(super) length: u32,
    pub(super) rank: u32,
}

/// A handle of a set of corners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Area(u32);

/// All sets of corners.
pub(super) struct Planes {
    sets: Vec<Vec<Corner>>,
    ids: HashMap<Vec<Corner>, u32>,
}

impl Planes {
    pub(super) fn new() -> Self {
        Self { sets: vec![Vec::new()], ids: HashMap::from([(Vec::new(), 0)]) }
    }

    /// Returns the union of two areas.
    pub(super) fn join(&mut self, a: Area, b: Area) -> Area {
        if a == b || b == Area::default() {
            return a;
        }
        if a == Area::default() {
            return b;
        }
        let corners = [&self.sets[a.0 as usize][..], &self.sets[b.0 as usize]].concat();
        self.add(corners)
    }

    /// The area of `corners`.
    pub(super) fn add(&mut self, mut corners: Vec<Corner>) -> Area {
        corners.sort_unstable();
        let mut kept: Vec<Corner> = Vec::new();
        for corner in corners {
            let within = |c: &Corner| c.plane == corner.plane && c.rank <= corner.rank;
            while kept.last().is_some_and(within) {
                kept.pop();
            }
            kept.push(corner);
        }
        if let Some(&id) = self.ids.get(&kept) {
            return Area(id);
        }
        let id = self.sets.len() as u32;
        self.ids.insert(kept.clone(), id);
        self.sets.push(kept);
        Area(id)
    }

    /// Whether the message at `position` of `plane`, of `rank`, lies in the area.
    pub(super) fn holds(&self, area: Area, plane: u32, position: u32, rank: u32) -> bool {
        let corners = &self.sets[area.0 as usize];
        let first = corners.partition_point(|c| (c.plane, c.length) <= (plane, position));
        corners.get(first).is_some_and(|c| c.plane == plane && c.rank >= rank)
    }

    pub(super) fn bytes(&self) -> usize {
        2 * self.sets.iter().map(|set| size_of_val(set.as_slice())).sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against keeping every corner.
    #[test]
    fn areas_are_unions_of_corners() {
        let mut draw = crate::engine::graph::draws();
        let mut planes = Planes::new();
        let mut known: Vec<(Area, Vec<Corner>)> = vec![(Area::default(), Vec::new())];
        for _ in 0..300 {
            let (a, b) = (draw(known.len() as u64) as usize, draw(known.len() as u64) as usize);
            let corner = Corner { plane: draw(3), length: 1 + draw(9), rank: draw(9) };
            let single = planes.add(vec![corner]);
            let joined = planes.join(known[a].0, known[b].0);
            let joined = planes.join(joined, single);
            let all = [&known[a].1[..], &known[b].1, &[corner]].concat();
            for (plane, position, rank) in
                (0..3).flat_map(|p| (0..10).flat_map(move |i| (0..9).map(move |r| (p, i, r))))
            {
                let lies = |c: &Corner| c.plane == plane && position < c.length && rank <= c.rank;
                let expected = all.iter().any(lies);
                assert_eq!(planes.holds(joined, plane, position, rank), expected);
            }
            known.push((joined, all));
        }
    }
}
