//! Addresses of files: `skill://NAME/PATH`. What is unusual in an address is written as `%` and two
//! digits, and read back.

use metier_package::served::unescape;

const SCHEME: &str = "skill://";

/// The address of `path` in the skill `name`; of the skill's directory when `path` is empty.
pub(super) fn write(name: &str, path: &str) -> String {
    let mut uri = format!("{SCHEME}{}", escaped(name));
    for segment in path.split('/').filter(|segment| !segment.is_empty()) {
        uri.push('/');
        uri.push_str(&escaped(segment));
    }
    uri
}

/// The skill and the path an address means. Whether they exist is not looked at.
pub(crate) fn read(uri: &str) -> Option<(String, String)> {
    let rest = uri.strip_prefix(SCHEME)?;
    let (name, path) = rest.split_once('/').unwrap_or((rest, ""));
    let meant = |text: &str| unescape(text, |_| true);
    let (name, path) = (meant(name)?, meant(path)?);
    (!name.is_empty()).then_some((name, path))
}

fn escaped(text: &str) -> String {
    let usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=@".contains(&byte);
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match usual(byte) {
            true => escaped.push(char::from(byte)),
            false => escaped.push_str(&format!("%{byte:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
#[path = "uri_tests.rs"]
mod tests;
