//! The accesses of a location, by lanes that happens-before orders as the trace does.
//!
//! Within a lane everything is ordered. An access and the later ones of another lane are unordered up
//! to some point of the lane and ordered from there on. So all unordered pairs of a location are found
//! with O(accesses · lanes · log accesses) order queries, without a look at each.

use std::collections::HashMap;
use std::ops::Range;

use order::HappensBefore;
use trace::QueueId;

use crate::access::Access;

/// Some accesses of a location that are ordered, all or none of them in events of one Looper.
pub(crate) struct Lane {
    /// Indices, in trace order.
    pub(crate) accesses: Vec<usize>,
    /// How many of the first k are writes.
    writes: Vec<usize>,
}

impl Lane {
    /// How many accesses in a range are writes.
    pub(crate) fn writes(&self, range: &Range<usize>) -> usize {
        self.writes[range.end] - self.writes[range.start]
    }
}

/// The lanes of a location.
pub(crate) struct Lanes {
    all: Vec<Lane>,
    lane_of: Vec<u32>,
    is_one: bool,
}

impl Lanes {
    pub(crate) fn new(order: &dyn HappensBefore, accesses: &[Access]) -> Self {
        let mut places: HashMap<(u32, Option<QueueId>), u32> = HashMap::new();
        let mut lanes: Vec<Lane> = Vec::new();
        let mut lane_of = Vec::with_capacity(accesses.len());
        let mut numbers = Vec::new();
        for (i, access) in accesses.iter().enumerate() {
            let mut new = || {
                lanes.push(Lane { accesses: Vec::new(), writes: vec![0] });
                lanes.len() as u32 - 1
            };
            let number = order.lane(access.op);
            let place = match number {
                Some(number) => *places.entry((number, access.looper)).or_insert_with(new),
                None => new(),
            };
            if numbers.len() < 2 && !numbers.contains(&number) || number.is_none() {
                numbers.push(number);
            }
            let lane = &mut lanes[place as usize];
            lane.accesses.push(i);
            lane.writes.push(lane.writes[lane.writes.len() - 1] + usize::from(access.is_write));
            lane_of.push(place);
        }
        Self { all: lanes, lane_of, is_one: numbers.len() < 2 }
    }

    /// Whether all accesses are ordered.
    pub(crate) fn is_one(&self) -> bool {
        self.is_one
    }

    /// Calls `found` for every access and every other lane with the range of the lane's accesses
    /// that come later and are unordered with it, unless it is empty; by access.
    pub(crate) fn unordered(
        &self,
        order: &dyn HappensBefore,
        accesses: &[Access],
        mut found: impl FnMut(usize, &Lane, Range<usize>),
    ) {
        for (i, access) in accesses.iter().enumerate() {
            for (lane, number) in self.all.iter().zip(0..) {
                if number == self.lane_of[i] {
                    continue;
                }
                let start = lane.accesses.partition_point(|&j| j < i);
                let later = &lane.accesses[start..];
                let unordered = |&j: &usize| !order.before(access.op, accesses[j].op);
                let end = start + later.partition_point(unordered);
                if start < end {
                    found(i, lane, start..end);
                }
            }
        }
    }
}
