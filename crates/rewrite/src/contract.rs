//! The names that a recorder, the code it rewrites and the runtime in the program agree on.
//!
//! They stand once, in `recorder/js/contract.json`. The TypeScript of the runtime imports the same
//! file, and its type checker compares the hooks that it defines with those listed there. The tests of
//! this crate compare them with the hooks that rewritten code mentions.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

/// The names shared with the runtime. Texts in the maps describe their keys for people.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The global that holds the hooks.
    pub global: String,
    /// The function through which a page sends its lines.
    pub binding: String,
    /// The function that sets how inputs to come are ordered.
    pub input: String,
    /// The function that sends the lines that wait.
    pub flush: String,
    /// The path on its own origin below which a page asks the recorder.
    pub reserved: String,
    /// The name below the reserved path where code is rewritten.
    pub rewrite: String,
    /// The name below the reserved path where the original text of each script is.
    pub source: String,
    /// How many copies of the property hooks there are. Each keeps inline caches of its own, and
    /// accesses by the same name share one: objects accessed by the same name are often alike.
    pub copies: u32,
    /// The members of the global that rewritten code mentions.
    pub hooks: BTreeMap<String, String>,
    /// The letters by which a script that begins says what it is.
    pub kinds: BTreeMap<String, String>,
    /// What a page asks to have rewritten.
    pub requests: BTreeMap<String, String>,
    /// How inputs are ordered.
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
