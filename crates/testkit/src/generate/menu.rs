//! A weighted choice among operations.

use fastrand::Rng;
use trace::Op;

/// The operations that a thread could perform next, each with its weight.
#[derive(Default)]
pub(super) struct Menu {
    dishes: Vec<(u32, Op)>,
}

impl Menu {
    /// Offers `op`, `weight` times as likely as an offer of weight 1.
    pub(super) fn offer(&mut self, weight: u32, op: Op) {
        self.dishes.push((weight, op));
    }

    /// Offers `op`, if it is not none.
    pub(super) fn offer_any(&mut self, weight: u32, op: Option<Op>) {
        self.dishes.extend(op.map(|op| (weight, op)));
    }

    /// Chooses one of the offers. None if nothing was offered.
    pub(super) fn choose(self, rng: &mut Rng) -> Option<Op> {
        let total: u32 = self.dishes.iter().map(|&(weight, _)| weight).sum();
        if total == 0 {
            return None;
        }
        let mut left = rng.u32(0..total);
        for (weight, op) in self.dishes {
            if left < weight {
                return Some(op);
            }
            left -= weight;
        }
        unreachable!("the weights sum to the total")
    }
}
