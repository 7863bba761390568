//! Generates the accesses of an activity, with the locality of event handlers.
//!
//! An activity works on a few objects: some that its strand owns, those that were handed over to
//! it, and those that it makes. Most accesses use the object of the access before. An eighth reads
//! constants, which were written once before all other code ran.

use std::io::{self, Write};

use trace::{LocationId, ThreadId};

use crate::emit::{Emitter, MOST_FIELDS, Object};
use crate::world::{ACCESS_TIME, World};

/// The number of objects that an activity works on.
pub(crate) const SET: usize = 8;

impl<W: Write> World<W> {
    /// Chooses the objects for an activity of a thread with so many accesses, and initialises the
    /// new ones. Returns the number of accesses that remain.
    pub(crate) fn prepare(&mut self, thread: ThreadId, accesses: u32) -> io::Result<u32> {
        let now = &self.threads[thread.0 as usize].now;
        let strand = now.strand;
        let mut set = Vec::with_capacity(SET);
        if let Some(id) = strand {
            let objects = &self.strands.get(id).objects;
            // Later objects are likelier, because code returns to the objects that it used last.
            for _ in 0..objects.len().min(SET - 3) {
                let n = objects.len();
                let back = self.rng.usize(..n).min(self.rng.usize(..n));
                set.push(objects[n - 1 - back]);
            }
        }
        let mut left = accesses;
        let mut fields = self.new_fields(accesses);
        if set.is_empty() && accesses >= 8 {
            fields = fields.max(4);
        }
        while fields > 0 && left > 0 && set.len() < SET {
            let size = fields.min(4 + self.rng.u32(..13)).min(left);
            let object = self.new_object(thread, size)?;
            fields -= object.fields.min(fields);
            left -= object.fields;
            if let Some(id) = strand {
                self.strands.own(id, object, &mut self.rng);
            }
            set.push(object);
        }
        let sourced = self.rng.u8(..) < 10;
        let now = &mut self.thread(thread).now;
        now.set = set;
        now.source = sourced.then_some(now.function);
        Ok(left)
    }

    /// The number of locations that so many accesses should add.
    fn new_fields(&mut self, accesses: u32) -> u32 {
        let wanted = self.plan.locations.saturating_sub(self.out.locations) as f64;
        let ahead = self.plan.accesses.saturating_sub(self.out.written.accesses).max(1) as f64;
        self.whole(f64::from(accesses) * wanted / ahead)
    }

    /// Draws a whole number whose mean is `mean`.
    pub(crate) fn whole(&mut self, mean: f64) -> u32 {
        (mean + self.rng.f64()) as u32
    }

    /// Makes an object and writes its fields.
    pub(crate) fn new_object(&mut self, thread: ThreadId, fields: u32) -> io::Result<Object> {
        let object = self.out.object(fields.clamp(1, MOST_FIELDS))?;
        for field in 0..object.fields {
            self.access(thread, object.field(field), true)?;
        }
        Ok(object)
    }

    pub(crate) fn access(
        &mut self,
        thread: ThreadId,
        at: LocationId,
        write: bool,
    ) -> io::Result<()> {
        self.now += ACCESS_TIME;
        self.out.access(thread, at, write)
    }

    /// Makes so many accesses to the objects of the activity.
    pub(crate) fn accesses(&mut self, thread: ThreadId, count: u32) -> io::Result<()> {
        self.now += u64::from(count) * ACCESS_TIME;
        let now = &self.threads[thread.0 as usize].now;
        let owned = Owned { objects: &now.set, constants: self.constants, source: now.source };
        owned.touch(&mut self.out, &mut self.rng, thread, count)
    }
}

/// The objects that an activity may access.
pub(crate) struct Owned<'a> {
    /// The objects that it may read and write.
    pub(crate) objects: &'a [Object],
    /// The locations that it may only read.
    pub(crate) constants: Object,
    /// The function whose source positions its accesses carry.
    pub(crate) source: Option<usize>,
}

impl Owned<'_> {
    /// Makes so many accesses.
    pub(crate) fn touch<W: Write>(
        &self,
        out: &mut Emitter<W>,
        rng: &mut fastrand::Rng,
        thread: ThreadId,
        count: u32,
    ) -> io::Result<()> {
        let mut set = [self.constants; SET];
        let owned = self.objects.len().min(SET);
        set[..owned].copy_from_slice(&self.objects[..owned]);
        let owns = owned > 0;
        let mut current = set[0];
        for step in 0..count {
            let random = rng.u64(..);
            let low = random as u32;
            if low.trailing_zeros() >= 4 {
                current = set[scale((low >> 16) & 0xff, owned.max(1) as u32, 8) as usize];
            }
            let (object, write) = if low & 0x70 == 0 {
                (self.constants, false)
            } else {
                (current, owns && low & 0x700 == 0)
            };
            let field = scale((random >> 32) as u32, object.fields, 32);
            let at = LocationId(object.first + field);
            match self.source {
                Some(function) => out.sourced(thread, at, write, (function, step), None)?,
                None => out.access(thread, at, write)?,
            }
        }
        Ok(())
    }
}

/// Scales a number of so many random bits to the range below `limit`.
fn scale(random: u32, limit: u32, bits: u32) -> u32 {
    ((u64::from(random) * u64::from(limit)) >> bits) as u32
}
