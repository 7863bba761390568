//! Strands: sequences of code that happens-before orders totally.
//!
//! Examples are a thread outside its events; the plain posts of one strand to one looper; its posts
//! with one delay; the input of one looper; the asynchronous calls of one process to one binder;
//! and a timer. Only the code of a strand accesses the objects that it owns, so their accesses
//! cannot race. All events of a looper together are no strand, because posts of unordered sources
//! are unordered.
//!
//! To bound memory, a strand keeps only the objects that it made last.

use hashbrown::HashMap;
use trace::QueueId;

use crate::emit::Object;

/// The number of objects that a strand remembers.
const REMEMBERED: usize = 40;

/// A strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StrandId(u32);

/// A class of posts. The posts of one class from one source make a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Plain,
    Async,
    Idle,
    Delay(i64),
    /// Asynchronous calls to a binder. Their source is a process.
    AsyncCall,
    /// Blocking calls to a binder. Their source is a thread.
    SyncCall,
    Input,
    Display,
}

/// The source of the posts of a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    Strand(StrandId),
    Thread(u32),
    Process(u32),
    Native,
}

pub(crate) struct Strand {
    pub(crate) objects: Vec<Object>,
    /// Whether the strand has had an event.
    pub(crate) has_chain: bool,
    /// Whether the strand's events make posts besides those of the next FIFO level.
    pub(crate) hub: bool,
    depth: u8,
}

/// The nesting depth from which a strand's events post no more strands.
const DEEPEST: u8 = 4;

#[derive(Default)]
pub(crate) struct Strands {
    strands: Vec<Strand>,
    by_origin: HashMap<(Origin, QueueId, Class), StrandId>,
}

impl Strands {
    /// Makes a strand that no source of posts belongs to.
    pub(crate) fn alone(&mut self, hub: bool) -> StrandId {
        self.strands.push(Strand { objects: Vec::new(), has_chain: false, hub, depth: 0 });
        StrandId(self.strands.len() as u32 - 1)
    }

    /// Returns the strand of the posts of a class from an origin to a queue, and makes it if it is
    /// new.
    pub(crate) fn of(&mut self, key: (Origin, QueueId, Class), hub: bool) -> StrandId {
        if let Some(&id) = self.by_origin.get(&key) {
            return id;
        }
        let depth = match key.0 {
            Origin::Strand(from) => self.get(from).depth + 1,
            _ => 1,
        };
        let id = self.alone(hub && depth < DEEPEST);
        self.get_mut(id).depth = depth;
        self.by_origin.insert(key, id);
        id
    }

    pub(crate) fn get(&self, id: StrandId) -> &Strand {
        &self.strands[id.0 as usize]
    }

    pub(crate) fn get_mut(&mut self, id: StrandId) -> &mut Strand {
        &mut self.strands[id.0 as usize]
    }

    /// Makes a strand the owner of an object.
    pub(crate) fn own(&mut self, id: StrandId, object: Object, rng: &mut fastrand::Rng) {
        let objects = &mut self.strands[id.0 as usize].objects;
        if objects.len() < REMEMBERED {
            objects.push(object);
        } else {
            let place = rng.usize(..objects.len());
            objects[place] = object;
        }
    }
}
