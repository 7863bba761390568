//! The binary form of the protocol's messages, which `--remote-debugging-pipe=cbor` selects: the
//! part of CBOR (RFC 8949) that Chromium supports. Maps and arrays have no length of their own and
//! are inside an *envelope*, an encoded item (tag 24) whose length takes four bytes. Integers have
//! at most 32 bits; greater ones are floating-point numbers. Text is UTF-8, or UTF-16 as a byte
//! string. Bytes have tag 22, and stand for the base64 text that JSON would have in their place.
//!
//! The browser uses this form internally. In JSON, the body of a response is first written as
//! base64, then parsed character by character on the browser's main thread: a body of 1.1 MB takes
//! 35 ms there, and 7 ms in the binary form.
//!
//! Encoding and decoding take one pass over the bytes, without recursion deeper than [`DEEPEST`].

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value};

/// The first bytes of an envelope. Its length follows them.
const ENVELOPE: [u8; 3] = [0xd8, 0x18, 0x5a];
/// The number of bytes before the content of an envelope.
pub(crate) const HEADER: usize = 7;
/// How deep maps and arrays may be nested, as in Chromium.
const DEEPEST: usize = 300;

const ARRAY: u8 = 0x9f;
const MAP: u8 = 0xbf;
const STOP: u8 = 0xff;
const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;
const NULL: u8 = 0xf6;
const DOUBLE: u8 = 0xfb;
const BYTES: u8 = 0xd6;
const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTE_STRING: u8 = 2;
const TEXT: u8 = 3;

/// A call of a method. Besides its JSON parameters it may have one parameter that is bytes.
pub(crate) struct Call<'c> {
    pub(crate) id: u64,
    pub(crate) session: Option<&'c str>,
    pub(crate) method: &'c str,
    pub(crate) params: Value,
    pub(crate) bytes: Option<(&'c str, &'c [u8])>,
}

/// Encodes a call as a message.
pub(crate) fn encode(call: &Call<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 + call.bytes.map_or(0, |(_, bytes)| bytes.len()));
    envelope(&mut out, MAP, |out| {
        text(out, "id");
        value(out, &call.id.into());
        text(out, "method");
        text(out, call.method);
        if let Some(session) = call.session {
            text(out, "sessionId");
            text(out, session);
        }
        text(out, "params");
        envelope(out, MAP, |out| {
            members(out, call.params.as_object().into_iter().flatten());
            if let Some((name, bytes)) = call.bytes {
                text(out, name);
                out.push(BYTES);
                head(out, BYTE_STRING, bytes.len() as u64);
                out.extend_from_slice(bytes);
            }
        });
    });
    out
}

fn envelope(out: &mut Vec<u8>, kind: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    out.extend_from_slice(&ENVELOPE);
    let length = out.len();
    out.extend_from_slice(&[0; 4]);
    out.push(kind);
    fill(out);
    out.push(STOP);
    let inside = u32::try_from(out.len() - length - 4).expect("a message is less than 4 GiB");
    out[length..length + 4].copy_from_slice(&inside.to_be_bytes());
}

fn members<'v>(out: &mut Vec<u8>, members: impl Iterator<Item = (&'v String, &'v Value)>) {
    for (name, member) in members {
        text(out, name);
        value(out, member);
    }
}

fn value(out: &mut Vec<u8>, of: &Value) {
    match of {
        Value::Null => out.push(NULL),
        Value::Bool(false) => out.push(FALSE),
        Value::Bool(true) => out.push(TRUE),
        Value::Number(number) => match number.as_i64().filter(|&int| i32::try_from(int).is_ok()) {
            Some(int) if int < 0 => head(out, NEGATIVE, (-1 - int).unsigned_abs()),
            Some(int) => head(out, UNSIGNED, int.unsigned_abs()),
            None => {
                out.push(DOUBLE);
                let number = number.as_f64().unwrap_or_default();
                out.extend_from_slice(&number.to_be_bytes());
            }
        },
        Value::String(string) => text(out, string),
        Value::Array(items) => {
            envelope(out, ARRAY, |out| items.iter().for_each(|item| value(out, item)));
        }
        Value::Object(object) => envelope(out, MAP, |out| members(out, object.iter())),
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    head(out, TEXT, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Writes the first bytes of an item: its major type and a number, in the shortest form.
#[expect(clippy::cast_possible_truncation, reason = "each arm's pattern bounds the number")]
fn head(out: &mut Vec<u8>, major: u8, number: u64) {
    let major = major << 5;
    match number {
        0..=23 => out.push(major | number as u8),
        24..=0xff => out.extend_from_slice(&[major | 0x18, number as u8]),
        0x100..=0xffff => {
            out.push(major | 0x19);
            out.extend_from_slice(&(number as u16).to_be_bytes());
        }
        0x1_0000..=0xffff_ffff => {
            out.push(major | 0x1a);
            out.extend_from_slice(&(number as u32).to_be_bytes());
        }
        _ => {
            out.push(major | 0x1b);
            out.extend_from_slice(&number.to_be_bytes());
        }
    }
}

/// Returns the length of the message after its header. None if the bytes are no header.
pub(crate) fn length(header: [u8; HEADER]) -> Option<usize> {
    let [one, two, three, length @ ..] = header;
    ([one, two, three] == ENVELOPE).then_some(u32::from_be_bytes(length) as usize)
}

/// Decodes the content of a message's envelope. None if the bytes are no message of the browser.
pub(crate) fn decode(inside: &[u8]) -> Option<Value> {
    let mut decoder = Decoder { rest: inside };
    let value = decoder.item(DEEPEST)?;
    decoder.rest.is_empty().then_some(value)
}

/// Returns the id of the call that a message answers, from the start of the content of its envelope. The id
/// is its first member.
pub(crate) fn leading_id(start: &[u8]) -> Option<u64> {
    let mut decoder = Decoder { rest: start };
    decoder.byte().filter(|&first| first == MAP)?;
    let first = decoder.byte().filter(|first| first >> 5 == TEXT)?;
    if decoder.string(first)? != b"id" {
        return None;
    }
    decoder.item(1)?.as_u64()
}

struct Decoder<'m> {
    rest: &'m [u8],
}

impl<'m> Decoder<'m> {
    fn take(&mut self, length: usize) -> Option<&'m [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    /// Reads the number in the first bytes of an item. The first byte was already read.
    fn number(&mut self, first: u8) -> Option<u64> {
        let length = match first & 31 {
            small @ 0..=23 => return Some(small.into()),
            more @ 24..=27 => 1 << (more - 24),
            _ => return None,
        };
        let bytes = self.take(length)?;
        Some(bytes.iter().fold(0, |number, &byte| (number << 8) | u64::from(byte)))
    }

    /// Reads the bytes of a string. Its first byte was already read.
    fn string(&mut self, first: u8) -> Option<&'m [u8]> {
        let length = self.number(first)?;
        self.take(usize::try_from(length).ok()?)
    }

    fn item(&mut self, deepest: usize) -> Option<Value> {
        let first = self.byte()?;
        Some(match first {
            NULL => Value::Null,
            FALSE => false.into(),
            TRUE => true.into(),
            DOUBLE => number(f64::from_be_bytes(self.take(8)?.try_into().ok()?)),
            BYTES => {
                let first = self.byte().filter(|first| first >> 5 == BYTE_STRING)?;
                BASE64.encode(self.string(first)?).into()
            }
            MAP => self.map(deepest.checked_sub(1)?)?,
            ARRAY => self.array(deepest.checked_sub(1)?)?,
            _ if first == ENVELOPE[0] => {
                // Only a reader that skips the content needs the length.
                let header = self.take(HEADER - 1)?;
                if header[..2] != ENVELOPE[1..] || !matches!(self.rest, [MAP | ARRAY, ..]) {
                    return None;
                }
                self.item(deepest)?
            }
            _ => match first >> 5 {
                UNSIGNED => self.number(first)?.into(),
                NEGATIVE => (-1 - i64::try_from(self.number(first)?).ok()?).into(),
                TEXT => String::from_utf8_lossy(self.string(first)?).into(),
                BYTE_STRING => utf16(self.string(first)?).into(),
                _ => return None,
            },
        })
    }

    fn map(&mut self, deepest: usize) -> Option<Value> {
        let mut members = Map::new();
        while !self.stops() {
            let Value::String(name) = self.item(0)? else { return None };
            members.insert(name, self.item(deepest)?);
        }
        Some(members.into())
    }

    fn array(&mut self, deepest: usize) -> Option<Value> {
        let mut items = Vec::new();
        while !self.stops() {
            items.push(self.item(deepest)?);
        }
        Some(items.into())
    }

    /// Takes the end of a map or an array, if it comes next.
    fn stops(&mut self) -> bool {
        let [STOP, rest @ ..] = self.rest else { return false };
        self.rest = rest;
        true
    }
}

/// Converts a number to JSON: a whole number has no fraction. Numbers of a page are all floating
/// point.
#[expect(clippy::cast_possible_truncation, reason = "whole and in the range")]
fn number(of: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if of.fract() == 0.0 && of.abs() <= EXACT { (of as i64).into() } else { of.into() }
}

/// Decodes UTF-16 text. Unpaired surrogates, which a page may have, become `U+FFFD`.
fn utf16(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    char::decode_utf16(units).map(|it| it.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

#[cfg(test)]
mod tests;
