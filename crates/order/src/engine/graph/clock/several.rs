//! Joins of several clocks at once.
//!
//! An event that begins may follow many others, each of which knows much that the rest knows too.
//! Joined one after the other, every step would build a tree that the next one replaces; here all
//! trees are walked together, and what is built is the result alone.

use super::{BITS, Clock, Clocks, FANOUT, slot};

/// The most clocks that are joined at once.
pub(crate) const AT_ONCE: usize = 8;

/// A clock that is joined to another.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    pub(crate) clock: Clock,
    /// A clock that is contained in this one and in the one it is joined to.
    pub(crate) base: Clock,
}

/// A chain with the position up to which it is known besides.
pub(crate) type Point = (u32, u32);

/// A few parts, at one place of their trees.
#[derive(Default)]
struct Parts {
    all: [Part; AT_ONCE],
    len: usize,
}

impl Parts {
    fn as_slice(&self) -> &[Part] {
        &self.all[..self.len]
    }

    /// Adds a part to what is joined to `clock`, unless nothing is new in it.
    fn push(&mut self, clock: Clock, part: Part) {
        let new = part.clock != Clock::EMPTY && part.clock != part.base && part.clock != clock;
        if new && !self.as_slice().iter().any(|other| other.clock == part.clock) {
            self.all[self.len] = part;
            self.len += 1;
        }
    }
}

impl Clocks {
    /// The join of `clock` and at most [`AT_ONCE`] parts, with at least the positions of `points`,
    /// which are sorted by chain.
    pub(crate) fn join_all(&mut self, clock: Clock, parts: &[Part], points: &[Point]) -> Clock {
        let heights = parts.iter().map(|part| part.clock.height());
        let mut height = heights.fold(clock.height(), u32::max);
        if let Some(&(last, _)) = points.last() {
            while height < 7 && last >> (BITS * (height + 1)) != 0 {
                height += 1;
            }
        }
        let clock = self.lift(clock, height);
        let mut lifted = Parts::default();
        for part in parts {
            let base =
                if part.base == Clock::EMPTY { part.base } else { self.lift(part.base, height) };
            lifted.push(clock, Part { clock: self.lift(part.clock, height), base });
        }
        self.join_parts(height, clock, &lifted, points)
    }

    /// Joins trees that stand at `height`.
    fn join_parts(&mut self, height: u32, clock: Clock, parts: &Parts, points: &[Point]) -> Clock {
        let mut clock = clock;
        let mut parts = parts.as_slice();
        // Whoever shares all of `clock` with a part has it in that part.
        let mut rest = Parts::default();
        if let Some(whole) = parts.iter().position(|part| part.base == clock) {
            clock = parts[whole].clock;
            for &part in parts[..whole].iter().chain(&parts[whole + 1..]) {
                // Its base is in the old clock, and so in the new one.
                rest.push(clock, part);
            }
            parts = rest.as_slice();
        }
        match (parts, points) {
            ([], []) => return clock,
            ([], &[(chain, position)]) => return self.child_with(clock, height, chain, position),
            ([part], []) => return self.merge(part.base, clock, part.clock),
            _ => {}
        }
        let mut node = self.entries(clock);
        let mut entries = [([0; FANOUT], [0; FANOUT]); AT_ONCE];
        for (entries, part) in entries.iter_mut().zip(parts) {
            *entries = (self.entries(part.clock), self.entries(part.base));
        }
        let entries = &entries[..parts.len()];
        if height == 0 {
            for (theirs, _) in entries {
                for (entry, other) in node.iter_mut().zip(theirs) {
                    *entry = (*entry).max(*other);
                }
            }
            for &(chain, position) in points {
                let entry = &mut node[slot(chain, 0)];
                *entry = (*entry).max(position);
            }
        } else {
            let mut points = points;
            for (i, entry) in node.iter_mut().enumerate() {
                let own = points.iter().take_while(|&&(chain, _)| slot(chain, height) == i).count();
                let (own, later) = points.split_at(own);
                points = later;
                let mut below = Parts::default();
                for (theirs, base) in entries {
                    let part = Part { clock: Clock(theirs[i]), base: Clock(base[i]) };
                    below.push(Clock(*entry), part);
                }
                if below.len > 0 || !own.is_empty() {
                    *entry = self.join_parts(height - 1, Clock(*entry), &below, own).0;
                }
            }
        }
        self.settle(height, clock, parts, node)
    }

    /// The clock of a node that may be one of several.
    fn settle(&mut self, height: u32, clock: Clock, parts: &[Part], node: [u32; FANOUT]) -> Clock {
        let all = std::iter::once(clock).chain(parts.iter().map(|part| part.clock));
        let mut known = all.filter(|&clock| clock != Clock::EMPTY);
        known
            .find(|clock| self.nodes[clock.node()] == node)
            .unwrap_or_else(|| self.add(height, node))
    }
}
