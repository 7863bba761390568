//! What a recording keeps of a program so that it can run again.

use serde::{Deserialize, Serialize};

/// The version of the session's form.
const VERSION: u32 = 1;

/// How the recorded program was started and driven, and what the network answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// Always 1.
    pub version: u32,
    /// The address of the page.
    pub url: String,
    /// The width and the height of the viewport, in CSS pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewport: Option<(u32, u32)>,
    /// The user agent, if it was not the browser's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// When the recording began, in milliseconds since 1970.
    pub began: f64,
    /// Whether the steps began before the page had loaded.
    #[serde(default)]
    pub early_steps: bool,
    /// What was given to the page and is not kept.
    #[serde(default, skip_serializing_if = "Given::is_empty")]
    pub given: Given,
    /// The steps that were performed.
    #[serde(default)]
    pub steps: Vec<SessionStep>,
    /// The answers of the network, in the order in which they were asked for.
    #[serde(default)]
    pub exchanges: Vec<Exchange>,
    /// The connections over which frames came, in the order in which they were made.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<Connection>,
    /// Whether answers were left out because they were too large, or not to be kept.
    #[serde(default)]
    pub is_partial: bool,
}

/// What a recorded page was given by the user, and a recording does not keep: names without values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The names of headers.
    #[serde(default)]
    pub headers: Vec<String>,
    /// The names of cookies.
    #[serde(default)]
    pub cookies: Vec<String>,
    /// Whether there was a file with cookies and storage.
    #[serde(default)]
    pub storage_state: bool,
}

impl Given {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A step and when it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStep {
    /// The step, as in a step file.
    pub text: String,
    /// When it began and ended, in milliseconds since the recording began.
    pub time: (f64, f64),
}

/// One request and its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The method of the request.
    pub method: String,
    /// The address of the request.
    pub url: String,
    /// The browser's word for what the answer was used for, such as `Script` and `Fetch`.
    pub kind: String,
    /// The status of the answer; 0 if there was none.
    pub status: u16,
    /// The headers of the answer, without those that may hold secrets.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// The body of the answer, in base64.
    #[serde(default)]
    pub body: String,
    /// When it was asked for and when its answer was complete, in milliseconds since the recording began.
    pub time: (f64, f64),
}

/// A connection whose frames come one by one: a WebSocket or an `EventSource`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Connection {
    /// The constructor: `WebSocket` or `EventSource`.
    pub kind: String,
    /// The address.
    pub url: String,
    /// The protocol that the server chose, if it chose one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub protocol: String,
    /// When it was made, in milliseconds since the recording began.
    pub made: f64,
    /// When it was open, if it ever was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opened: Option<f64>,
    /// When it was closed, if it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<f64>,
    /// Its frames, in their order.
    #[serde(default)]
    pub frames: Vec<SocketFrame>,
}

/// What one side of a connection sent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SocketFrame {
    /// When it was sent or received, in milliseconds since the recording began.
    pub time: f64,
    /// Whether the page sent it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sent: bool,
    /// Whether the data is binary, and in base64 here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub binary: bool,
    /// The data.
    pub data: String,
    /// The type of the event, if an `EventSource` received it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// The last id of the event, if an `EventSource` received it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Session {
    /// Reads a session. The error is a sentence.
    pub fn read(payload: &[u8]) -> Result<Session, String> {
        let session: Session = serde_json::from_slice(payload)
            .map_err(|error| format!("the session of the recording cannot be read: {error}"))?;
        if session.version != VERSION {
            return Err(format!(
                "the session of the recording has version {}, and this program knows {VERSION}",
                session.version
            ));
        }
        Ok(session)
    }

    /// Returns the session as the text of the native format's session blocks.
    pub fn write(&self) -> Vec<u8> {
        let session = Session { version: VERSION, ..self.clone() };
        serde_json::to_vec(&session).expect("a session has only text and numbers")
    }

    /// Returns the number of an exchange among those with the same method and address, from 0.
    pub fn nth(&self, exchange: usize) -> u32 {
        let asked = &self.exchanges[exchange];
        let same = |other: &&Exchange| other.method == asked.method && other.url == asked.url;
        self.exchanges[..exchange].iter().filter(same).count() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_read_back_and_another_version_is_refused() {
        let exchange = |url: &str| Exchange { url: url.into(), ..Exchange::default() };
        let session = Session {
            version: VERSION,
            url: "http://h/".into(),
            steps: vec![SessionStep { text: "click #a".into(), time: (1.0, 2.5) }],
            exchanges: vec![exchange("a"), exchange("b"), exchange("a")],
            ..Session::default()
        };
        assert_eq!(Session::read(&session.write()), Ok(session.clone()));
        assert_eq!((0..3).map(|at| session.nth(at)).collect::<Vec<_>>(), [0, 0, 1]);
        let newer = String::from_utf8(session.write()).expect("text");
        let newer = newer.replace("\"version\":1", "\"version\":2");
        let error = Session::read(newer.as_bytes()).expect_err("a newer version");
        assert!(error.contains("version 2"), "{error}");
        assert!(Session::read(b"{}").is_err());
    }
}
