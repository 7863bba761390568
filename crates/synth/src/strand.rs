//! Strands: who may touch what.
//!
//! A strand is a sequence of pieces of code that happens-before orders totally: a thread outside
//! its events; the plain posts of one strand to one looper; its posts with one delay; the input of
//! one looper; the asynchronous calls of one process to one binder; a timer. What a strand owns
//! only its code touches, so nothing there can race. The events of a looper as a whole are no strand: posts of
//! unordered sources are unordered.
//!
//! Memory: a strand keeps the objects it last made, and forgets older ones.

use hashbrown::HashMap;
use trace::QueueId;

use crate::emit::Object;

/// Objects a strand remembers.
const REMEMBERED: usize = 40;

/// A strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StrandId(u32);

/// Which posts of one source make a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    Plain,
    Async,
    Idle,
    Delay(i64),
    /// Asynchronous calls to a binder; the source is a process.
    AsyncCall,
    /// Blocking calls to a binder; the source is a thread.
    SyncCall,
    Input,
    Display,
}

/// Where the posts of a strand come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Origin {
    Strand(StrandId),
    Thread(u32),
    Process(u32),
    Native,
}

pub(crate) struct Strand {
    pub(crate) objects: Vec<Object>,
    /// It had an event.
    pub(crate) has_chain: bool,
    /// Its events post more than the next FIFO level.
    pub(crate) hub: bool,
    depth: u8,
}

/// How deep strands nest before their events post no more strands.
const DEEPEST: u8 = 4;

#[derive(Default)]
pub(crate) struct Strands {
    strands: Vec<Strand>,
    by_origin: HashMap<(Origin, QueueId, Class), StrandId>,
}

impl Strands {
    /// A strand that no post of another finds.
    pub(crate) fn alone(&mut self, hub: bool) -> StrandId {
        self.strands.push(Strand { objects: Vec::new(), has_chain: false, hub, depth: 0 });
        StrandId(self.strands.len() as u32 - 1)
    }

    /// The strand of the posts of a class from an origin to a queue.
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

    /// Gives a strand an object.
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
