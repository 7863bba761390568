//! Explains why a R b, by the edges that lead from a to b, each with its rule.
//!
//! The rank of a pair is the round in which a simultaneous iteration of the rules first derives it.
//! Every pair then has a derivation from pairs of lower rank, so explanations are well-founded even
//! where R has cycles. Unfolding TRANS gives a path of base edges and of edges that NOPRE, FIFO or
//! the order of broadcasts derived. Each derived edge names the pair from which it follows, which
//! can be explained in turn.
//!
//! Ranking takes O(n³/64) time for each round and four bytes for each pair, so it is done only on
//! request.

use hashbrown::HashMap;

use super::bits::{BitMatrix, ones, union};
use super::instances::Instances;
use crate::base::{Base, OpId};
use crate::rules::Rule;

/// A step of an explanation: one edge of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The earlier operation.
    pub from: OpId,
    /// The later operation.
    pub to: OpId,
    /// The rule from which the edge follows.
    pub rule: Rule,
    /// The pair from which the edge follows; none for a base edge.
    pub because: Option<(OpId, OpId)>,
}

/// Explains why operations are ordered.
pub struct Explainer<'a> {
    instances: Instances<'a>,
    /// The round of each pair, or 0 if the pair is not in R.
    ranks: Vec<u32>,
    /// The derived edges other than TRANS: the rule and the premise of the lowest rank.
    derived: HashMap<(OpId, OpId), (Rule, OpId, OpId)>,
}

impl<'a> Explainer<'a> {
    /// Ranks the pairs of `base`.
    pub fn new(base: &'a Base) -> Self {
        let n = base.len();
        let mut explainer = Self {
            instances: Instances::new(base),
            ranks: vec![0; n * n],
            derived: HashMap::new(),
        };
        let mut rows = BitMatrix::new(n, n);
        let mut fresh: Vec<(OpId, OpId)> =
            base.edges().iter().map(|edge| (edge.from, edge.to)).collect();
        let mut rank = 0;
        while !fresh.is_empty() {
            rank += 1;
            for &(a, b) in &fresh {
                rows.set(a.index(), b.index());
                explainer.ranks[a.index() * n + b.index()] = rank;
            }
            fresh = explainer.next_round(&rows, &fresh);
        }
        explainer
    }

    /// Returns the pairs that the rules derive from `rows` and that it lacks. `fresh` was added
    /// last.
    fn next_round(&mut self, rows: &BitMatrix, fresh: &[(OpId, OpId)]) -> Vec<(OpId, OpId)> {
        let mut next = rows.clone();
        let mut found = Vec::new();
        for &(a, b) in fresh {
            let derived = &mut self.derived;
            self.instances.consequences(a, b, |from, to, rule| {
                if next.set(from.index(), to.index()) {
                    derived.insert((from, to), (rule, a, b));
                    found.push((from, to));
                }
            });
        }
        if self.instances.base.rules().has(Rule::Trans) {
            self.transitive(rows, &mut next, &mut found);
        }
        found
    }

    fn transitive(&self, rows: &BitMatrix, next: &mut BitMatrix, found: &mut Vec<(OpId, OpId)>) {
        let mut reached = vec![0; rows.words()];
        for a in (0..self.instances.base.len() as u32).map(OpId) {
            reached.fill(0);
            for b in ones(rows.row(a.index())) {
                union(&mut reached, rows.row(b));
            }
            for c in ones(&reached).map(|c| OpId(c as u32)) {
                if self.may_follow(rows, a, c) && next.set(a.index(), c.index()) {
                    found.push((a, c));
                }
            }
        }
    }

    /// Returns whether TRANS applies to a and c, given that something follows a and precedes c.
    fn may_follow(&self, rows: &BitMatrix, a: OpId, c: OpId) -> bool {
        let has = |a: OpId, b: OpId| rows.has(a.index(), b.index());
        let post = self.instances.post_of_call(c);
        self.instances.is_free(a, c)
            || self.instances.gate(a, c).is_some_and(|(ret, call)| has(ret, call))
            || post.is_some_and(|post| has(a, post) && has(post, c))
    }

    fn rank(&self, a: OpId, b: OpId) -> Option<u32> {
        let rank = self.ranks[a.index() * self.instances.base.len() + b.index()];
        (rank != 0).then_some(rank)
    }

    /// Returns the edges that lead from `a` to `b`, or `None` if not a R b.
    pub fn why(&self, a: OpId, b: OpId) -> Option<Vec<Step>> {
        self.rank(a, b)?;
        let mut steps = Vec::new();
        let mut rest = vec![(a, b)];
        while let Some((from, to)) = rest.pop() {
            if let Some(rule) = self.instances.base.edge_rule(from, to) {
                steps.push(Step { from, to, rule, because: None });
            } else if let Some(&(rule, x, y)) = self.derived.get(&(from, to)) {
                steps.push(Step { from, to, rule, because: Some((x, y)) });
            } else {
                let via = self.via(from, to);
                rest.push((via, to));
                rest.push((from, via));
            }
        }
        Some(steps)
    }

    /// Returns an operation through which TRANS orders a and c by pairs of lower rank than theirs.
    fn via(&self, a: OpId, c: OpId) -> OpId {
        let rank = self.rank(a, c).expect("only pairs of the relation are explained");
        let lower = |a, b| self.rank(a, b).filter(|&other| other < rank);
        let is_open = self.instances.is_free(a, c)
            || self.instances.gate(a, c).is_some_and(|(ret, call)| lower(ret, call).is_some());
        let cost = |b: &OpId| Some(lower(a, *b)?.max(lower(*b, c)?));
        (0..self.instances.base.len() as u32)
            .map(OpId)
            .filter(|&b| is_open || self.instances.post_of_call(c) == Some(b))
            .filter_map(|b| Some((cost(&b)?, b)))
            .min()
            .expect("a pair that no other rule derives has a TRANS instance")
            .1
    }
}
