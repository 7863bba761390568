//! The text form of the protocol's messages, which `--remote-debugging-pipe` without a form selects: JSON,
//! with a zero byte after each message.

use std::io::{self, BufRead, Read};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value};

use crate::cbor::Call;

/// Encodes a call as a message, with the zero byte.
pub(crate) fn encode(call: &Call<'_>) -> Vec<u8> {
    let mut params = match &call.params {
        Value::Object(params) => params.clone(),
        _ => Map::new(),
    };
    if let Some((name, bytes)) = call.bytes {
        params.insert(name.to_string(), BASE64.encode(bytes).into());
    }
    let mut message = Map::new();
    message.insert("id".into(), call.id.into());
    message.insert("method".into(), call.method.into());
    if let Some(session) = call.session {
        message.insert("sessionId".into(), session.into());
    }
    message.insert("params".into(), params.into());
    framed(&Value::Object(message))
}

/// Writes a message with its zero byte.
pub(crate) fn framed(message: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(message).expect("JSON values can be written");
    bytes.push(0);
    bytes
}

/// Reads the next message, without its zero byte, into `message`. Returns whether there was one. A message
/// longer than `longest` is an error.
pub(crate) fn read(
    from: &mut impl BufRead,
    message: &mut Vec<u8>,
    longest: usize,
) -> io::Result<bool> {
    message.clear();
    from.take(longest as u64 + 1).read_until(0, message)?;
    match message.pop() {
        Some(0) => Ok(true),
        Some(_) if message.len() >= longest => Err(io::Error::other("a message is too long")),
        // The pipe was closed, perhaps inside a message.
        Some(_) | None => Ok(false),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_read_back_with_its_bytes_in_base64() {
        let call = Call {
            id: 7,
            session: Some("s"),
            method: "Fetch.fulfillRequest",
            params: json!({ "requestId": "r\0" }),
            bytes: Some(("body", b"\0\xff")),
        };
        let bytes = encode(&call);
        assert_eq!(bytes.iter().position(|&byte| byte == 0), Some(bytes.len() - 1));
        let (mut from, mut message) = (&*bytes, Vec::new());
        assert!(read(&mut from, &mut message, 1000).expect("a message"));
        let value: Value = serde_json::from_slice(&message).expect("JSON");
        let params = json!({ "requestId": "r\0", "body": "AP8=" });
        let wanted = json!({ "id": 7, "sessionId": "s", "method": "Fetch.fulfillRequest", "params": params });
        assert_eq!(value, wanted);
        assert!(!read(&mut from, &mut message, 1000).expect("the end"));
    }

    #[test]
    fn a_message_that_is_cut_off_is_the_end_and_a_long_one_is_an_error() {
        let mut message = Vec::new();
        assert!(!read(&mut &b"{\"id\""[..], &mut message, 1000).expect("the end"));
        assert!(read(&mut &b"0123456789\0"[..], &mut message, 5).is_err());
        assert!(read(&mut &b"01234\0"[..], &mut message, 5).expect("a message"));
    }
}
