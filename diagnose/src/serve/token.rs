//! The token that a client presents: as `Bearer`, or as the password of `Basic`.
//!
//! `Basic` is for browsers, which ask for it, and for tools that take it from an address, such as
//! `go tool pprof http://x:TOKEN@host:6070/debug/pprof/profile`. The user name does not matter.

use std::hint::black_box;

/// Returns whether the value of an `Authorization` header has the token.
pub(super) fn is_authorized(header: &str, token: &str) -> bool {
    let Some((scheme, value)) = header.trim().split_once(' ') else { return false };
    let value = value.trim();
    if scheme.eq_ignore_ascii_case("Bearer") {
        return is_equal(value.as_bytes(), token.as_bytes());
    }
    if !scheme.eq_ignore_ascii_case("Basic") {
        return false;
    }
    let Some(decoded) = decode(value) else { return false };
    let password = decoded.iter().position(|byte| *byte == b':').and_then(|at| decoded.get(at + 1..));
    password.is_some_and(|password| is_equal(password, token.as_bytes()))
}

/// Compares in a time that depends on the length of `presented` alone.
fn is_equal(presented: &[u8], token: &[u8]) -> bool {
    if token.is_empty() {
        return false;
    }
    let pairs = presented.iter().zip(token.iter().cycle());
    let difference =
        pairs.fold(presented.len() ^ token.len(), |sum, (a, b)| black_box(sum | usize::from(a ^ b)));
    black_box(difference) == 0
}

/// Decodes Base64 with its standard alphabet; padding may be missing.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for character in text.trim_end_matches('=').bytes() {
        let value = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            // The eight bits above the rest.
            bytes.push((bits >> count & 0xff) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (count < 6).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{decode, is_authorized};

    #[test]
    fn the_token_is_a_bearers_or_a_password() {
        // `x:secret`, `:secret` and `a:b:secret`.
        for right in ["Bearer secret", "bearer  secret", "Basic eDpzZWNyZXQ=", "basic OnNlY3JldA"] {
            assert!(is_authorized(right, "secret"), "{right}");
        }
        for wrong in [
            "",
            "Bearer",
            "Bearer ",
            "Bearer secre",
            "Bearer secretsecret",
            "Bearer Secret",
            "secret",
            "Basic secret",
            "Basic YTpiOnNlY3JldA==",
            "Basic c2VjcmV0",
            "Digest secret",
            "Basic \u{e4}",
        ] {
            assert!(!is_authorized(wrong, "secret"), "{wrong}");
        }
        assert!(!is_authorized("Bearer ", ""), "no token is no access");
    }

    #[test]
    fn base64_is_decoded() {
        for (text, bytes) in [("", ""), ("YQ==", "a"), ("YWI", "ab"), ("YWJj", "abc"), ("YWJjZA==", "abcd")] {
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()), "{text}");
        }
        for wrong in ["A", "YWJj_", "YW Jj", "YQ=a"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
