//! Selects the accesses of a data block that are kept.
//!
//! A one-pass race detector learns nothing when a run accesses a location again, and code does that
//! often: three accesses of four in AsyncClock's applications. A second pass over the locations
//! that raced needs only those locations. So the threads that decode rows also drop the rows that
//! are not needed.

use std::sync::Arc;

use trace::{Attributes, LocationId};

use super::super::attributes::Previous;
use super::super::rows::Accesses;
use super::stretch::Stretch;

/// The accesses that a reader asks for.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    /// All accesses, with their attributes.
    Everything,
    /// The first access of each location in a run, and the first write if it follows a read,
    /// without attributes. Some later accesses may be kept, too.
    Distinct,
    /// The accesses of the marked locations, and those with a time, with their attributes.
    Locations(Arc<[bool]>),
}

/// A selection of accesses.
pub(super) trait Keep {
    /// Called when a run starts.
    fn start_run(&mut self) {}

    /// Keeps the selected accesses of a stretch. `before` accesses of its run precede it.
    fn plain(
        &mut self,
        stretch: &mut Stretch,
        before: u32,
        previous: &mut Previous,
        out: &mut Accesses,
    );

    /// Keeps an access with attributes, if it is selected.
    fn attributed(
        &mut self,
        access: (LocationId, bool),
        before: u32,
        attributes: &Attributes,
        out: &mut Accesses,
    );
}

pub(super) struct All;

impl Keep for All {
    fn plain(
        &mut self,
        stretch: &mut Stretch,
        _: u32,
        previous: &mut Previous,
        out: &mut Accesses,
    ) {
        if stretch.sources() > 0 {
            for (row, access) in (out.len()..).zip(stretch.iter()) {
                if access.has_source {
                    out.set_source(row, previous.advance(1_u32));
                }
            }
        }
        stretch.append_to(out);
    }

    fn attributed(
        &mut self,
        access: (LocationId, bool),
        _: u32,
        attributes: &Attributes,
        out: &mut Accesses,
    ) {
        out.set_attributes(attributes);
        out.push(access);
    }
}

/// Selects the accesses of the marked locations.
pub(super) struct Few<'a>(pub(super) &'a [bool]);

impl Few<'_> {
    #[inline]
    fn wants(&self, location: u32) -> bool {
        self.0.get(location as usize).is_some_and(|&wanted| wanted)
    }
}

impl Keep for Few<'_> {
    fn plain(
        &mut self,
        stretch: &mut Stretch,
        before: u32,
        previous: &mut Previous,
        out: &mut Accesses,
    ) {
        for (offset, access) in (before..).zip(stretch.iter()) {
            let source = previous.advance(access.has_source);
            if self.wants(access.location) {
                if access.has_source {
                    out.set_source(out.len(), source);
                }
                out.offsets.push(offset);
                out.push((LocationId(access.location), access.write));
            }
        }
    }

    fn attributed(
        &mut self,
        access: (LocationId, bool),
        before: u32,
        attributes: &Attributes,
        out: &mut Accesses,
    ) {
        if self.wants(access.0.0) || attributes.at.is_some() {
            out.set_attributes(attributes);
            out.offsets.push(before);
            out.push(access);
        }
    }
}

const SLOTS: usize = 1024;

/// Selects the first access of each location in a run. It remembers locations in a direct-mapped
/// table, so an entry that is overwritten is forgotten.
pub(super) struct Distinct {
    /// The location, the run, and, in the last bit, whether the location was written.
    seen: Box<[u64; SLOTS]>,
    run: u32,
}

impl Distinct {
    pub(super) fn new() -> Self {
        Self { seen: Box::new([0; SLOTS]), run: 1 }
    }

    #[inline]
    fn is_new(&mut self, location: u32, write: bool) -> bool {
        let read = u64::from(location) << 32 | u64::from(self.run) << 1;
        let seen = &mut self.seen[location as usize % SLOTS];
        let written = *seen == read | 1;
        let repeats = written || *seen == read && !write;
        *seen = read | u64::from(write || written);
        !repeats
    }
}

impl Keep for Distinct {
    /// A block has fewer runs than bytes, so their numbers fit 31 bits.
    fn start_run(&mut self) {
        self.run += 1;
    }

    fn plain(
        &mut self,
        stretch: &mut Stretch,
        _: u32,
        previous: &mut Previous,
        out: &mut Accesses,
    ) {
        previous.advance(stretch.sources());
        stretch.retain(|location, write| self.is_new(location, write));
        stretch.append_to(out);
    }

    fn attributed(
        &mut self,
        access: (LocationId, bool),
        _: u32,
        _: &Attributes,
        out: &mut Accesses,
    ) {
        if self.is_new(access.0.0, access.1) {
            out.push(access);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A dropped access repeats an earlier access of the run that is at least as strong. A new
        /// access is never dropped.
        #[test]
        fn only_repeats_are_dropped(
            runs in prop::collection::vec(
                prop::collection::vec((0..3000_u32, any::<bool>()), 1..40), 1..20),
            near in any::<bool>(),
        ) {
            let mut distinct = Distinct::new();
            for run in runs {
                let mut seen = HashSet::new();
                for (location, write) in run {
                    let location = if near { location % 4 } else { location };
                    let repeats = seen.contains(&(location, true))
                        || !write && seen.contains(&(location, false));
                    let kept = distinct.is_new(location, write);
                    prop_assert!(kept || repeats);
                    prop_assert!(!(near && kept && repeats), "nothing is forgotten among few");
                    seen.insert((location, write));
                }
                distinct.start_run();
            }
        }
    }
}
