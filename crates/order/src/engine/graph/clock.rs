//! Chain clocks that share what they have in common.
//!
//! A clock says, for every chain, up to which position of the chain operations happen before. It is
//! a radix tree of sixteen-way nodes, one cache line each; trees are immutable and share subtrees,
//! so that a clock that differs from another in one entry costs one path. A node that is equal to one
//! made lately is that one (hash-consing, but bounded), so a join visits little more than what differs:
//! the chains of long ago, which all clocks know alike, are passed over at a glance. Equal nodes made
//! long after one another are rare, for clocks grow; a table of all nodes finds hardly more of them, and
//! misses the processor's caches at every new node.
//!
//! Canonical form: a subtree without entries is [`Clock::EMPTY`], never a node of zeros, and a child
//! is one level lower than its parent. A clock is as high as its largest chain asks for.

mod chain_set;
mod several;

use std::mem;

pub(crate) use several::{AT_ONCE, Part};

pub(crate) use chain_set::ChainSet;

const FANOUT: usize = 16;
pub(crate) const BITS: u32 = 4;
/// The lower bits of a handle are the node, the upper ones its height.
const NODE_BITS: u32 = 28;
const NODE_MASK: u32 = (1 << NODE_BITS) - 1;

/// A handle of a clock in [`Clocks`]. Clocks of equal handles are equal; most equal clocks of one
/// height have equal handles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(u32);

impl Clock {
    /// Nothing happens before.
    pub(crate) const EMPTY: Self = Self(0);

    /// 0 for a leaf.
    fn height(self) -> u32 {
        self.0 >> NODE_BITS
    }

    fn node(self) -> usize {
        (self.0 & NODE_MASK) as usize
    }

    /// How many bits of a chain's number the tree distinguishes.
    fn bits(self) -> u32 {
        BITS * (self.height() + 1)
    }

    fn holds(self, chain: u32) -> bool {
        self != Self::EMPTY && (self.bits() >= u32::BITS || chain >> self.bits() == 0)
    }
}

/// Which child of a node at `height` leads to `chain`.
pub(crate) fn slot(chain: u32, height: u32) -> usize {
    (chain >> (BITS * height)) as usize % FANOUT
}

/// An arena of clocks.
pub(crate) struct Clocks {
    /// Node 0 is never used, so that handle 0 is the empty clock.
    nodes: Vec<[u32; FANOUT]>,
    /// Nodes made lately: half the hash, and the handle.
    nodes_made: Vec<[u32; 2]>,
    /// Joins of inner nodes done lately: (a, b, a ∨ b).
    joins_made: Vec<[u32; 3]>,
}

/// How many nodes and joins are remembered; powers of two. Tests have many that are forgotten.
const NODES: usize = if cfg!(test) { 1 << 5 } else { 1 << 18 };
const JOINS: usize = if cfg!(test) { 1 << 3 } else { 1 << 16 };

/// The golden ratio, of 64 bits: spreads numbers evenly over the upper bits of a product.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the slot of the table in which the join of two handles is remembered.
fn place(a: u32, b: u32) -> usize {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(GOLDEN);
    (mixed >> 40) as usize % JOINS
}

/// Returns a hash that is the same in every run, so that every run shares the same nodes.
fn hash(height: u32, node: &[u32; FANOUT]) -> u64 {
    let (pairs, _) = node.as_chunks::<2>();
    pairs.iter().fold(u64::from(height), |hash, &[a, b]| {
        (hash.rotate_left(23) ^ (u64::from(a) << 32 | u64::from(b))).wrapping_mul(GOLDEN)
    })
}

impl Clocks {
    pub(crate) fn new() -> Self {
        Self {
            nodes: vec![[0; FANOUT]],
            nodes_made: vec![[0; 2]; NODES],
            joins_made: vec![[0; 3]; JOINS],
        }
    }

    /// How many nodes the clocks are made of.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Starts to copy the clocks that are in use to another arena.
    pub(crate) fn moving(self) -> Moving {
        let moved = vec![0; self.nodes.len()];
        Moving { from: self, to: Self::new(), moved }
    }

    /// How many bytes the clocks take.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * mem::size_of::<[u32; FANOUT]>()
            + size_of_val(self.nodes_made.as_slice())
            + size_of_val(self.joins_made.as_slice())
    }

    fn add(&mut self, height: u32, node: [u32; FANOUT]) -> Clock {
        let hash = hash(height, &node);
        let (half, place) = ((hash >> 32) as u32, (hash >> 40) as usize % NODES);
        let [other, handle] = self.nodes_made[place];
        let found = Clock(handle);
        if (other, found.height()) == (half, height) && self.nodes[found.node()] == node {
            return found;
        }
        let index = self.nodes.len() as u32;
        assert!(index <= NODE_MASK, "the clocks of a trace outgrew their arena");
        let handle = height << NODE_BITS | index;
        self.nodes_made[place] = [half, handle];
        self.nodes.push(node);
        Clock(handle)
    }

    /// The position up to which `chain` happens before; 0 is none.
    pub(crate) fn get(&self, clock: Clock, chain: u32) -> u32 {
        if !clock.holds(chain) {
            return 0;
        }
        let mut at = clock;
        loop {
            let entry = self.nodes[at.node()][slot(chain, at.height())];
            if at.height() == 0 || entry == 0 {
                return entry;
            }
            at = Clock(entry);
        }
    }

    /// `clock` with at least `position` for `chain`.
    pub(crate) fn with(&mut self, clock: Clock, chain: u32, position: u32) -> Clock {
        if clock.holds(chain) {
            return self.child_with(clock, clock.height(), chain, position);
        }
        let single = self.path(chain, position);
        self.join(clock, single)
    }

    /// Returns the subtree `clock` at `height` with at least `position` for `chain`.
    fn child_with(&mut self, clock: Clock, height: u32, chain: u32, position: u32) -> Clock {
        let index = slot(chain, height);
        let entry = if clock == Clock::EMPTY { 0 } else { self.nodes[clock.node()][index] };
        let changed = if height == 0 {
            entry.max(position)
        } else {
            self.child_with(Clock(entry), height - 1, chain, position).0
        };
        if changed == entry {
            return clock;
        }
        let mut node = if clock == Clock::EMPTY { [0; FANOUT] } else { self.nodes[clock.node()] };
        node[index] = changed;
        self.add(height, node)
    }

    /// The least tree with one entry.
    fn path(&mut self, chain: u32, position: u32) -> Clock {
        let mut height = 0;
        while height < 7 && chain >> (BITS * (height + 1)) != 0 {
            height += 1;
        }
        self.child_with(Clock::EMPTY, height, chain, position)
    }

    /// The pointwise maximum; `a` itself if it has nothing less than `b`.
    pub(crate) fn join(&mut self, a: Clock, b: Clock) -> Clock {
        if a == b || b == Clock::EMPTY {
            return a;
        }
        if a == Clock::EMPTY {
            return b;
        }
        if a.height() != b.height() {
            let (high, low) = if a.height() > b.height() { (a, b) } else { (b, a) };
            return self.join_below(high, low);
        }
        if a.height() == 0 {
            return self.join_leaves(a, b);
        }
        let place = place(a.0, b.0);
        if let [x, y, joined] = self.joins_made[place]
            && (x, y) == (a.0, b.0)
        {
            return Clock(joined);
        }
        let joined = self.join_inner(a, b);
        self.joins_made[place] = [a.0, b.0, joined.0];
        joined
    }

    fn join_leaves(&mut self, a: Clock, b: Clock) -> Clock {
        let (left, right) = (self.nodes[a.node()], self.nodes[b.node()]);
        let mut node = [0; FANOUT];
        for (entry, (l, r)) in node.iter_mut().zip(left.iter().zip(&right)) {
            *entry = *l.max(r);
        }
        self.either(a, b, node)
    }

    fn join_inner(&mut self, a: Clock, b: Clock) -> Clock {
        let (left, right) = (self.nodes[a.node()], self.nodes[b.node()]);
        let mut node = [0; FANOUT];
        for (entry, (&l, &r)) in node.iter_mut().zip(left.iter().zip(&right)) {
            *entry = self.join(Clock(l), Clock(r)).0;
        }
        self.either(a, b, node)
    }

    /// The clock of a node that may be one of two.
    fn either(&mut self, a: Clock, b: Clock, node: [u32; FANOUT]) -> Clock {
        if node == self.nodes[a.node()] {
            a
        } else if node == self.nodes[b.node()] {
            b
        } else {
            self.add(a.height(), node)
        }
    }

    /// The join of `a` and `b`, both of which know all of `base`, with at least `position` for `chain`:
    /// visits only what both know more of.
    pub(crate) fn merge_with(
        &mut self,
        base: Clock,
        (a, b): (Clock, Clock),
        (chain, position): (u32, u32),
    ) -> Clock {
        if a.holds(chain) && b.holds(chain) && a.height() == b.height() {
            let base = if base.height() == a.height() { base } else { Clock::EMPTY };
            return self.merge_path(base, (a, b), (chain, position));
        }
        let joined = self.join(a, b);
        self.with(joined, chain, position)
    }

    fn entries(&self, clock: Clock) -> [u32; FANOUT] {
        if clock == Clock::EMPTY { [0; FANOUT] } else { self.nodes[clock.node()] }
    }

    /// Like `merge_with`, for trees of one height that hold the chain, and a base of that height or
    /// none.
    fn merge_path(
        &mut self,
        base: Clock,
        (a, b): (Clock, Clock),
        (chain, position): (u32, u32),
    ) -> Clock {
        let height = a.height();
        if a == b || b == base || b == Clock::EMPTY {
            return self.child_with(a, height, chain, position);
        }
        if a == base {
            return self.child_with(b, height, chain, position);
        }
        let (left, right, common) = (self.entries(a), self.entries(b), self.entries(base));
        let on_path = slot(chain, height);
        let mut node = [0; FANOUT];
        for i in 0..FANOUT {
            let (ours, theirs, base) = (Clock(left[i]), Clock(right[i]), Clock(common[i]));
            node[i] = match (height, i == on_path) {
                (0, true) => ours.0.max(theirs.0).max(position),
                (0, false) => ours.0.max(theirs.0),
                (_, false) => self.merge(base, ours, theirs).0,
                (_, true) if ours == Clock::EMPTY => {
                    self.child_with(theirs, height - 1, chain, position).0
                }
                (_, true) => self.merge_path(base, (ours, theirs), (chain, position)).0,
            };
        }
        self.either(a, b, node)
    }

    /// The join of trees of one height that both know all of `base`, which has it too or is empty.
    fn merge(&mut self, base: Clock, a: Clock, b: Clock) -> Clock {
        if a == b || b == base || b == Clock::EMPTY {
            return a;
        }
        if a == base {
            return b;
        }
        if a.height() == 0 || base == Clock::EMPTY {
            return self.join(a, b);
        }
        let (left, right, common) = (self.entries(a), self.entries(b), self.entries(base));
        let mut node = [0; FANOUT];
        for i in 0..FANOUT {
            node[i] = self.merge(Clock(common[i]), Clock(left[i]), Clock(right[i])).0;
        }
        self.either(a, b, node)
    }

    /// Joins a tree with a lower one, which stands for its first chains.
    fn join_below(&mut self, high: Clock, low: Clock) -> Clock {
        let first = Clock(self.nodes[high.node()][0]);
        let joined = if first == Clock::EMPTY {
            self.lift(low, high.height() - 1)
        } else {
            self.join(first, low)
        };
        if joined == first {
            return high;
        }
        let mut node = self.nodes[high.node()];
        node[0] = joined.0;
        self.add(high.height(), node)
    }

    /// `clock` as a tree of `height`.
    fn lift(&mut self, clock: Clock, height: u32) -> Clock {
        let mut at = clock;
        while at != Clock::EMPTY && at.height() < height {
            let mut node = [0; FANOUT];
            node[0] = at.0;
            at = self.add(at.height() + 1, node);
        }
        at
    }

    /// Calls `each(chain, in_a, in_b)` for every chain of which `b` has more than `a`, ascending.
    pub(crate) fn gained(&self, a: Clock, b: Clock, each: &mut impl FnMut(u32, u32, u32)) {
        self.gained_below(a, b, 0, &|_, _| u16::MAX, each);
    }

    /// Like `gained`, but only for the chains of some sets.
    pub(crate) fn gained_among<const SETS: usize>(
        &self,
        sets: [&ChainSet; SETS],
        a: Clock,
        b: Clock,
        each: &mut impl FnMut(u32, u32, u32),
    ) {
        let children =
            |height, chain| sets.iter().fold(0, |held, set| held | set.children(height, chain));
        self.gained_below(a, b, 0, &children, each);
    }

    /// Like `gained`, for subtrees whose first chain is `first`. Visits only the children that
    /// `children` returns for the node at a height that holds a chain.
    fn gained_below(
        &self,
        a: Clock,
        b: Clock,
        first: u32,
        children: &impl Fn(u32, u32) -> u16,
        each: &mut impl FnMut(u32, u32, u32),
    ) {
        if a == b || b == Clock::EMPTY {
            return;
        }
        if a.height() > b.height() && a != Clock::EMPTY {
            return self.gained_below(Clock(self.nodes[a.node()][0]), b, first, children, each);
        }
        let height = b.height();
        let more = &self.nodes[b.node()];
        let less = if a != Clock::EMPTY && a.height() < height {
            let mut lifted = [0; FANOUT];
            lifted[0] = a.0;
            lifted
        } else {
            self.entries(a)
        };
        let mut left = children(height, first);
        while left != 0 {
            let i = left.trailing_zeros();
            left &= left - 1;
            let chain = first | i << (BITS * height);
            let (known, entry) = (less[i as usize], more[i as usize]);
            if height > 0 {
                self.gained_below(Clock(known), Clock(entry), chain, children, each);
            } else if entry > known {
                each(chain, known, entry);
            }
        }
    }
}

/// An arena whose clocks are copied to another. What is not copied is gone.
pub(crate) struct Moving {
    from: Clocks,
    to: Clocks,
    /// For each node, its copy; 0 if there is none yet.
    moved: Vec<u32>,
}

impl Moving {
    /// Returns the copy of a clock.
    pub(crate) fn copy(&mut self, clock: Clock) -> Clock {
        if clock == Clock::EMPTY {
            return clock;
        }
        let copy = Clock(self.moved[clock.node()]);
        if copy != Clock::EMPTY {
            return copy;
        }
        let mut node = self.from.nodes[clock.node()];
        if clock.height() > 0 {
            for entry in &mut node {
                *entry = self.copy(Clock(*entry)).0;
            }
        }
        let copy = self.to.add(clock.height(), node);
        self.moved[clock.node()] = copy.0;
        copy
    }

    /// Returns the arena of the copies.
    pub(crate) fn done(self) -> Clocks {
        self.to
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clocks against plain vectors, over random joins, updates and differences.
    #[test]
    fn clocks_are_vectors() {
        let mut draw = crate::engine::graph::draws();
        for width in [3, 16, 17, 300, 5000] {
            let mut clocks = Clocks::new();
            let mut known: Vec<(Clock, Vec<u32>)> = vec![(Clock::EMPTY, vec![0; width])];
            for _ in 0..400 {
                let (a, b) = (draw(known.len() as u64) as usize, draw(known.len() as u64) as usize);
                let (mut clock, mut vector) = known[a].clone();
                let what = draw(3);
                if what == 0 {
                    let (chain, position) = (draw(width as u64), 1 + draw(50));
                    clock = clocks.with(clock, chain, position);
                    vector[chain as usize] = vector[chain as usize].max(position);
                } else if what == 1 {
                    let count = 1 + draw(AT_ONCE as u64) as usize;
                    let mut parts = Vec::new();
                    let mut points = Vec::new();
                    for _ in 0..count {
                        let (part, entries) = known[draw(known.len() as u64) as usize].clone();
                        // A base is whatever both know: here one of the clocks there are, or nothing.
                        let both = known.iter().filter(|(_, base)| {
                            base.iter()
                                .zip(&known[a].1)
                                .zip(&entries)
                                .all(|((b, x), y)| b <= x && b <= y)
                        });
                        let both: Vec<Clock> = both.map(|&(base, _)| base).collect();
                        parts.push(Part {
                            clock: part,
                            base: both[draw(both.len() as u64) as usize],
                        });
                        points.push((draw(width as u64), 1 + draw(50)));
                        for (entry, other) in vector.iter_mut().zip(&entries) {
                            *entry = (*entry).max(*other);
                        }
                    }
                    points.sort_unstable();
                    for &(chain, position) in &points {
                        vector[chain as usize] = vector[chain as usize].max(position);
                    }
                    clock = clocks.join_all(clock, &parts, &points);
                } else {
                    clock = clocks.join(clock, known[b].0);
                    for (entry, other) in vector.iter_mut().zip(&known[b].1) {
                        *entry = (*entry).max(*other);
                    }
                }
                let (other, entries) = known[draw(known.len() as u64) as usize].clone();
                let joined = clocks.join(clock, other);
                let holds = vector.iter().zip(&entries).all(|(entry, other)| entry >= other);
                assert_eq!(joined == clock, holds);
                for (chain, &entry) in vector.iter().enumerate() {
                    assert_eq!(clocks.get(clock, chain as u32), entry);
                }
                let mut gained = Vec::new();
                clocks.gained(known[b].0, clock, &mut |c, x, y| gained.push((c, x, y)));
                let expected: Vec<(u32, u32, u32)> = (0..width)
                    .filter(|&c| vector[c] > known[b].1[c])
                    .map(|c| (c as u32, known[b].1[c], vector[c]))
                    .collect();
                assert_eq!(gained, expected);
                let mut sets = [ChainSet::default(), ChainSet::default()];
                for _ in 0..20 {
                    sets[draw(2) as usize].insert(draw(2 * width as u64));
                }
                let [one, other] = &sets;
                gained.retain(|&(chain, ..)| one.contains(chain) || other.contains(chain));
                let mut among = Vec::new();
                clocks.gained_among([one, other], known[b].0, clock, &mut |c, x, y| {
                    among.push((c, x, y));
                });
                assert_eq!(among, gained);
                known.push((clock, vector));
            }
        }
    }
}
