//! Where the recorder answers the requests of the runtime, and how the runtime knows its answers.

use rewrite::contract;
use serde_json::{Value, json};

/// Two texts that are drawn for each recording and that nobody can guess.
pub(crate) struct Answering {
    /// The path below which the recorder answers, on every origin. A page that knows it can ask the
    /// recorder what its own runtime may ask.
    pub(crate) path: String,
    /// The value of the header in every answer. A server that gets a request of the runtime does not know
    /// it, so its answer is never run.
    pub(crate) proof: String,
}

impl Answering {
    /// Draws both texts. Fails if the system has no random numbers.
    pub(crate) fn draw() -> Result<Self, getrandom::Error> {
        let text = || Ok(format!("{:016x}{:016x}", getrandom::u64()?, getrandom::u64()?));
        Ok(Self { path: format!("{}{}/", contract().reserved, text()?), proof: text()? })
    }

    /// What the runtime is told.
    pub(crate) fn settings(&self) -> Value {
        json!({ "path": self.path, "proof": self.proof })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_recording_has_a_path_of_its_own() {
        let [one, other] = [(); 2].map(|()| Answering::draw().expect("random numbers"));
        assert!(one.path.starts_with(&contract().reserved));
        assert_ne!(one.path, other.path);
        assert_ne!(one.proof, other.proof);
        assert!(!one.path.contains(&one.proof));
    }
}
