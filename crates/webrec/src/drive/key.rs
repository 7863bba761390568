//! Keys by name, in the form that the browser's input domain takes.

use serde_json::{Value, json};

/// A key, and the keys held down with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Key {
    name: String,
    code: String,
    number: u32,
    /// The text that the key types; empty if it types none.
    text: String,
    modifiers: u32,
}

/// The keys that have names: the name, the number of the virtual key, and the text that it types.
const NAMED: [(&str, u32, &str); 14] = [
    ("Enter", 13, "\r"),
    ("Tab", 9, ""),
    ("Escape", 27, ""),
    ("Backspace", 8, ""),
    ("Delete", 46, ""),
    ("Home", 36, ""),
    ("End", 35, ""),
    ("PageUp", 33, ""),
    ("PageDown", 34, ""),
    ("ArrowLeft", 37, ""),
    ("ArrowUp", 38, ""),
    ("ArrowRight", 39, ""),
    ("ArrowDown", 40, ""),
    ("Space", 32, " "),
];

const MODIFIERS: [(&str, u32); 4] = [("Alt", 1), ("Control", 2), ("Meta", 4), ("Shift", 8)];

impl Key {
    /// Reads `Enter`, `a` or `Control+Shift+a`.
    pub(super) fn parse(text: &str) -> Option<Key> {
        let mut parts: Vec<&str> = text.split('+').collect();
        let name = parts.pop().filter(|name| !name.is_empty())?;
        let mut modifiers = 0;
        for part in parts {
            modifiers |= MODIFIERS.iter().find(|(known, _)| *known == part)?.1;
        }
        let named = NAMED.iter().find(|(known, _, _)| *known == name);
        let mut key = if let Some(&(name, number, text)) = named {
            let (code, text) = (name.to_string(), text.to_string());
            let name = if name == "Space" { " " } else { name }.to_string();
            Key { name, code, number, text, modifiers: 0 }
        } else {
            let mut chars = name.chars();
            Key::of(chars.next().filter(|_| chars.next().is_none())?)
        };
        key.modifiers = modifiers;
        // With Control, Alt or Meta a key types nothing.
        if modifiers & 7 != 0 {
            key.text.clear();
        }
        Some(key)
    }

    /// The key that types a character.
    pub(super) fn of(char: char) -> Key {
        let upper = char.to_ascii_uppercase();
        let (code, number) = match upper {
            'A'..='Z' => (format!("Key{upper}"), u32::from(upper)),
            '0'..='9' => (format!("Digit{upper}"), u32::from(upper)),
            ' ' => ("Space".to_string(), 32),
            _ => (String::new(), 0),
        };
        let text = char.to_string();
        Key { name: text.clone(), code, number, text, modifiers: 0 }
    }

    /// The parameters of the two events of pressing the key.
    pub(super) fn events(&self) -> [Value; 2] {
        let event = |kind: &str| {
            json!({
                "type": kind, "key": self.name, "code": self.code, "modifiers": self.modifiers,
                "windowsVirtualKeyCode": self.number, "nativeVirtualKeyCode": self.number,
            })
        };
        let mut down = event(if self.text.is_empty() { "rawKeyDown" } else { "keyDown" });
        if !self.text.is_empty() {
            down["text"] = self.text.as_str().into();
        }
        [down, event("keyUp")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read() {
        let enter = Key::parse("Enter").expect("a key");
        assert_eq!((enter.number, enter.text.as_str()), (13, "\r"));
        let all = Key::parse("Control+Shift+a").expect("a key");
        assert_eq!((all.modifiers, all.text.as_str(), all.code.as_str()), (10, "", "KeyA"));
        assert_eq!(Key::parse("é").expect("a key").text, "é");
        for bad in ["", "+", "Control+", "Return", "Hyper+a"] {
            assert_eq!(Key::parse(bad), None, "{bad}");
        }
    }
}
