//! The isolated world, beside the page's scripts, in which elements are looked up.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::{Error, Recording};

/// The functions of the isolated world.
const FUNCTIONS: &str = include_str!("page.js");
/// How often a call is repeated because the page loaded another meanwhile.
const TRIES: u32 = 20;
/// How many elements with listeners are examined.
const LISTENERS: usize = 200;

/// The isolated world of the current document.
#[derive(Debug, Clone)]
pub(crate) struct World {
    context: u64,
    object: String,
}

impl Recording {
    /// Calls a function of the isolated world. If the document is replaced meanwhile, it calls the
    /// function again in the next one.
    pub(crate) fn ask(&self, name: &str, arguments: &Value) -> Result<Value, Error> {
        let declaration = "function(name, args) { return this[name](...args); }";
        let arguments = json!([{ "value": name }, { "value": arguments }]);
        let mut tries = 0;
        loop {
            let answer = self.world().and_then(|world| {
                let params = json!({
                    "objectId": world.object, "functionDeclaration": declaration,
                    "arguments": arguments, "returnByValue": true,
                });
                self.call("Runtime.callFunctionOn", params)
            });
            tries += 1;
            match answer {
                Err(Error::Browser(browser::Error::Refused { .. })) if tries < TRIES => {
                    self.world.take();
                    self.run_for(Duration::from_millis(50), "waiting for the page")?;
                }
                answer => return answer.map(|mut answer| answer["result"]["value"].take()),
            }
        }
    }

    /// Returns the isolated world of the current document, and makes it if necessary.
    fn world(&self) -> Result<World, Error> {
        let known = self.world.take();
        let world = known.map_or_else(|| self.enter(), Ok)?;
        self.world.set(Some(world.clone()));
        Ok(world)
    }

    /// Makes the isolated world in the current document.
    fn enter(&self) -> Result<World, Error> {
        let tree = self.call("Page.getFrameTree", json!({}))?;
        let frame = &tree["frameTree"]["frame"]["id"];
        let params = json!({ "frameId": frame, "worldName": "interloper" });
        let made = self.call("Page.createIsolatedWorld", params)?;
        let context = made["executionContextId"].as_u64().unwrap_or_default();
        let params = json!({ "expression": FUNCTIONS, "contextId": context });
        let answer = self.call("Runtime.evaluate", params)?;
        let object = answer["result"]["objectId"].as_str().unwrap_or_default().to_string();
        Ok(World { context, object })
    }

    /// Passes the isolated world the elements with listeners, which only the browser's debugger
    /// knows.
    pub(super) fn learn_listeners(&self) -> Result<(), Error> {
        let document = self.call("DOM.getDocument", json!({ "depth": 0 }))?;
        let root = &document["root"]["backendNodeId"];
        let resolved = self.call("DOM.resolveNode", json!({ "backendNodeId": root }))?;
        let object = &resolved["object"]["objectId"];
        let params = json!({ "objectId": object, "depth": -1 });
        let listeners = self.call("DOMDebugger.getEventListeners", params)?;
        let mut by_node: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        for listener in listeners["listeners"].as_array().into_iter().flatten() {
            let node = listener["backendNodeId"].as_u64().filter(|node| root != node);
            if let (Some(node), Some(kind)) = (node, listener["type"].as_str()) {
                by_node.entry(node).or_default().push(kind);
            }
        }
        let world = self.world()?;
        for (node, kinds) in by_node.into_iter().take(LISTENERS) {
            let params = json!({ "backendNodeId": node, "executionContextId": world.context });
            let element = self.call("DOM.resolveNode", params)?;
            let params = json!({
                "objectId": world.object,
                "functionDeclaration": "function(element, kinds) { this.heard(element, kinds); }",
                "arguments": [{ "objectId": element["object"]["objectId"] }, { "value": kinds }],
            });
            self.call("Runtime.callFunctionOn", params)?;
        }
        Ok(())
    }
}
