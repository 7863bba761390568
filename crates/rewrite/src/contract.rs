//! The names that a recorder, the code that it rewrites and the runtime in the program share.
//!
//! `recorder/js/contract.json` lists them once. The TypeScript of the runtime imports the same
//! file, and its type checker compares the hooks that it defines with those in the list. The tests
//! of this crate compare the list with the hooks that rewritten code mentions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The names shared with the runtime. The values in the maps describe their keys to readers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The global that holds the hooks.
    pub global: String,
    /// The function through which a page sends its lines.
    pub binding: String,
    /// The function through which a page announces the script of a worker before it makes it: `s` or
    /// `m` for a classic script or a module, followed by the address. In a replay it also reports that a
    /// task is held: `h`, followed by the path of the task.
    pub worker: String,
    /// The function that sets how later inputs are ordered.
    pub input: String,
    /// The function that sends the lines that wait.
    pub flush: String,
    /// The function that returns how many timers fire soon.
    pub pending: String,
    /// The function that lets a task run which a replay holds back.
    pub release: String,
    /// The function that returns in how many milliseconds the next timer is due, for a replay.
    pub due: String,
    /// The function that sends what a step of a test has seen, once the step has ended.
    pub step: String,
    /// The path on a page's own origin that no request of a page reaches a server below. The recorder
    /// answers below it, most of it only below a name that is different in each recording.
    pub reserved: String,
    /// The name below that path at which the recorder rewrites code.
    pub rewrite: String,
    /// The name below that path at which the recorder serves the original text of scripts.
    pub source: String,
    /// The name below that path at which the recorder serves the runtime, for workers.
    pub runtime: String,
    /// The name below that path at which a page and a shared worker agree on the name of a
    /// connection.
    pub connect: String,
    /// The name below the reserved path at which a replay serves inline scripts that it holds back.
    pub gate: String,
    /// The header by which the runtime knows that an answer is the recorder's, and not a server's.
    pub proof: String,
    /// How many copies some hooks have. Each keeps inline caches of its own, and accesses by the
    /// same name share one: objects accessed by the same name are often alike.
    pub copies: BTreeMap<String, u32>,
    /// The members of the global that rewritten code mentions.
    pub hooks: BTreeMap<String, String>,
    /// The letters for the kinds of scripts, which a script passes to the runtime when it begins.
    pub kinds: BTreeMap<String, String>,
    /// The kinds of code that a page may ask the recorder to rewrite.
    pub requests: BTreeMap<String, String>,
    /// The ways in which inputs are ordered.
    pub inputs: BTreeMap<String, String>,
}

/// Returns the names shared with the runtime.
pub fn contract() -> &'static Contract {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let text = include_str!("../../../recorder/js/contract.json");
        serde_json::from_str(text).expect("the embedded contract has these fields")
    });
    &CONTRACT
}
