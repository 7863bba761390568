//! The cookies and the storage that a browser starts with, in the format in which Playwright saves
//! them: `{"cookies": [...], "origins": [{"origin": ..., "localStorage": [...]}]}`.

use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use crate::serve::EMPTY;
use crate::{Error, Recording};

/// Cookies and local storage.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct StorageState {
    /// The cookies.
    #[serde(default)]
    pub cookies: Vec<Cookie>,
    /// The storage of origins.
    #[serde(default)]
    pub origins: Vec<OriginState>,
}

/// A cookie.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cookie {
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
    /// The address that the cookie is for, instead of a domain and a path.
    #[serde(default)]
    pub url: Option<String>,
    /// The domain. With a dot at its start it includes subdomains.
    #[serde(default)]
    pub domain: Option<String>,
    /// The path.
    #[serde(default)]
    pub path: Option<String>,
    /// When the cookie expires, in seconds since 1970. A negative number means with the browser.
    #[serde(default)]
    pub expires: Option<f64>,
    /// Whether scripts cannot read the cookie.
    #[serde(default)]
    pub http_only: bool,
    /// Whether the cookie is sent over https only.
    #[serde(default)]
    pub secure: bool,
    /// `Strict`, `Lax` or `None`.
    #[serde(default)]
    pub same_site: Option<String>,
}

/// The storage of one origin.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OriginState {
    /// The origin, such as `https://example.org`.
    pub origin: String,
    /// The entries of its local storage.
    #[serde(default)]
    pub local_storage: Vec<Entry>,
}

/// An entry of a storage.
#[derive(Debug, Clone, Deserialize)]
pub struct Entry {
    /// The key.
    pub name: String,
    /// The value.
    pub value: String,
}

impl StorageState {
    /// Parses the text of a file that Playwright has written. The error states what is wrong.
    pub fn parse(text: &str) -> Result<StorageState, String> {
        // A struct may also be read from an array, which Playwright never writes.
        let read = serde_json::from_str(text).map(Value::Object).and_then(serde_json::from_value);
        let state: StorageState = read.map_err(|error| error.to_string())?;
        for OriginState { origin, .. } in &state.origins {
            let parsed = Url::parse(origin).map_err(|error| format!("origin {origin}: {error}"))?;
            if !matches!(parsed.scheme(), "http" | "https") {
                return Err(format!("origin {origin}: it must start with http:// or https://"));
            }
        }
        let placed = |cookie: &&Cookie| cookie.url.is_none() && cookie.domain.is_none();
        match state.cookies.iter().find(placed) {
            Some(Cookie { name, .. }) => Err(format!("cookie {name}: it has no domain and no url")),
            None => Ok(state),
        }
    }
}

impl Cookie {
    /// The cookie as the browser's protocol takes it.
    fn param(&self) -> Value {
        let mut param = json!({
            "name": self.name, "value": self.value, "httpOnly": self.http_only,
            "secure": self.secure,
        });
        let mut set = |key: &str, value: Option<Value>| {
            if let Some(value) = value {
                param[key] = value;
            }
        };
        set("url", self.url.as_ref().map(|url| json!(url)));
        set("domain", self.domain.as_ref().map(|domain| json!(domain)));
        set("path", self.path.as_ref().map(|path| json!(path)));
        set("expires", self.expires.filter(|&at| at >= 0.0).map(|at| json!(at)));
        set("sameSite", self.same_site.as_ref().map(|same_site| json!(same_site)));
        param
    }
}

impl Recording {
    /// Gives the browser its cookies and storage. Storage is set in an empty document of each
    /// origin, which the recorder answers itself.
    pub(crate) fn restore_storage(&self) -> Result<(), Error> {
        let state = &self.options.page.storage;
        // One by one, so that the error of the browser is about one cookie.
        for cookie in &state.cookies {
            let params = json!({ "cookies": [cookie.param()] });
            match self.call_in(None, "Storage.setCookies", params) {
                Err(Error::Browser(browser::Error::Refused { message, .. })) => {
                    return Err(Error::Cookie { name: cookie.name.clone(), why: message });
                }
                outcome => outcome?,
            };
        }
        for OriginState { origin, local_storage } in &state.origins {
            if local_storage.is_empty() {
                continue;
            }
            self.load(&format!("{}{EMPTY}", origin.trim_end_matches('/')))?;
            let entries: Vec<_> = local_storage.iter().map(|e| [&e.name, &e.value]).collect();
            let expression = format!(
                "for (const [name, value] of {}) localStorage.setItem(name, value)",
                json!(entries)
            );
            let session = self.session()?;
            let params = json!({ "expression": expression, "silent": true });
            let answer = self.call_in(Some(&session), "Runtime.evaluate", params)?;
            if let Some(why) = answer["exceptionDetails"]["exception"]["description"].as_str() {
                let why = why.lines().next().unwrap_or_default().to_string();
                return Err(Error::Storage { origin: origin.clone(), why });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_playwright_are_read() {
        let text = r#"{"cookies":[{"name":"sid","value":"1","domain":"127.0.0.1","path":"/",
            "expires":-1,"httpOnly":true,"secure":false,"sameSite":"Lax"}],
            "origins":[{"origin":"http://127.0.0.1:8000",
            "localStorage":[{"name":"k","value":"v"}]}]}"#;
        let state = StorageState::parse(text).expect("a state");
        let expected = json!({
            "name": "sid", "value": "1", "domain": "127.0.0.1", "path": "/", "httpOnly": true,
            "secure": false, "sameSite": "Lax",
        });
        assert_eq!(state.cookies[0].param(), expected);
        assert_eq!(state.origins[0].local_storage[0].value, "v");
        for (bad, part) in [
            ("[]", "expected a map"),
            ("{", "EOF"),
            (r#"{"origins":[{"origin":"x"}]}"#, "origin x: relative URL"),
            (r#"{"origins":[{"origin":"file:///x"}]}"#, "must start with http"),
            (r#"{"cookies":[{"name":"a","value":"b"}]}"#, "cookie a: it has no domain"),
        ] {
            let error = StorageState::parse(bad).expect_err(bad);
            assert!(error.contains(part), "{error}");
        }
    }
}
