//! The head of a request, and who may ask.
//!
//! A head is read strictly: anything unusual is an error. A browser on the same machine can be made
//! to send requests by any site that it shows. Such a site gets to read the answer if its own name
//! resolves to the loopback address. So without a token, a TCP client must name the loopback
//! address or `localhost` as the host.

use std::net::IpAddr;

use super::page::PLAIN_METRICS;
use super::token::is_authorized;

/// Maximum length of a head, in bytes.
pub(super) const MAX_HEAD: usize = 8 << 10;

/// The proof of access that a client must present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Access {
    /// A host that is the loopback address.
    LocalHost,
    /// Nothing: the permissions of the socket file decide.
    Socket,
    Token(String),
}

/// A request that may be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// Path and query, adapted to the formats that the client reads.
    pub(super) target: String,
    /// Whether only the head of the response is wanted.
    pub(super) is_head: bool,
}

/// Why a request is not answered: a status, and a line of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) text: &'static str,
}

const fn refuse(status: u16, text: &'static str) -> Refusal {
    Refusal { status, text }
}

const NO_HTTP: Refusal = refuse(400, "expected an HTTP request\n");
const NO_METHOD: Refusal = refuse(405, "only GET and HEAD are answered\n");
const TOO_LONG: Refusal = refuse(431, "the head of the request is too long\n");
const NO_HOST: Refusal = refuse(400, "expected one Host header\n");
const OTHER_HOST: Refusal =
    refuse(403, "this address is for localhost; for another host name, set a token (DIAGNOSE_SERVE_TOKEN)\n");
const NO_TOKEN: Refusal = refuse(401, "expected the token, as Bearer or as the password of Basic\n");

/// Parses what a client has sent so far. Returns `None` if the head is not complete.
pub(super) fn parse(received: &[u8], access: &Access) -> Option<Result<Request, Refusal>> {
    // This is not HTTP, so there is no reason to wait for more.
    if !received.iter().take(16).enumerate().all(|(at, byte)| may_begin(at, *byte, received)) {
        return Some(Err(NO_HTTP));
    }
    let Some(end) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return (received.len() >= MAX_HEAD).then_some(Err(TOO_LONG));
    };
    if end > MAX_HEAD {
        return Some(Err(TOO_LONG));
    }
    let head = received.get(..end).and_then(|head| std::str::from_utf8(head).ok());
    Some(head.map_or(Err(NO_HTTP), |head| parse_head(head, access)))
}

/// Returns whether this byte may stand at this place of a request that begins with a method in
/// capitals.
fn may_begin(at: usize, byte: u8, received: &[u8]) -> bool {
    let is_method = received.iter().take(at).all(u8::is_ascii_uppercase);
    !is_method || byte.is_ascii_uppercase() || (byte == b' ' && at > 0)
}

fn parse_head(head: &str, access: &Access) -> Result<Request, Refusal> {
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return Err(NO_HTTP);
    };
    if !["HTTP/1.1", "HTTP/1.0"].contains(&version) {
        return Err(NO_HTTP);
    }
    let is_plain = target.bytes().all(|byte| byte.is_ascii_graphic());
    if !target.starts_with('/') || !is_plain {
        return Err(NO_HTTP);
    }
    let (mut host, mut authorization, mut reads_plain_only) = (None, None, false);
    for line in lines {
        let (name, value) = line.split_once(':').ok_or(NO_HTTP)?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_name) || value.contains(['\r', '\n', '\0']) {
            return Err(NO_HTTP);
        }
        if name.eq_ignore_ascii_case("host") && host.replace(value.trim()).is_some() {
            return Err(NO_HOST);
        }
        if name.eq_ignore_ascii_case("authorization") {
            authorization = Some(value);
        }
        if name.eq_ignore_ascii_case("accept") {
            let value = value.to_ascii_lowercase();
            reads_plain_only = value.contains("text/plain") && !value.contains("openmetrics");
        }
    }
    let is_allowed = match access {
        Access::Socket => Ok(()),
        Access::LocalHost => match host {
            Some(host) if is_local(host) => Ok(()),
            Some(_) => Err(OTHER_HOST),
            // A browser always sends a host, and never uses the older version.
            None if version == "HTTP/1.0" => Ok(()),
            None => Err(NO_HOST),
        },
        Access::Token(token) => {
            let is_right = authorization.is_some_and(|header| is_authorized(header, token));
            if is_right { Ok(()) } else { Err(NO_TOKEN) }
        }
    };
    is_allowed?;
    if !["GET", "HEAD"].contains(&method) {
        return Err(NO_METHOD);
    }
    let target = if target == "/metrics" && reads_plain_only { PLAIN_METRICS } else { target };
    Ok(Request { target: target.to_owned(), is_head: method == "HEAD" })
}

/// Returns whether a host, with or without a port, is this machine itself.
fn is_local(host: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((name, "")) => name,
            Some((name, port)) if port.strip_prefix(':').is_some_and(is_port) => name,
            _ => return false,
        },
        None => match host.split_once(':') {
            Some((name, port)) if is_port(port) => name,
            Some(_) => return false,
            None => host,
        },
    };
    let is_loopback = |ip: IpAddr| ip.to_canonical().is_loopback();
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
}

#[cfg(test)]
mod tests {
    use super::{Access, MAX_HEAD, PLAIN_METRICS, Request, is_local, parse};

    fn status(received: &str, access: &Access) -> Option<u16> {
        parse(received.as_bytes(), access).map(|parsed| parsed.map_or_else(|refusal| refusal.status, |_| 200))
    }

    #[test]
    fn a_request_is_a_path_with_its_host() {
        let head = "GET /tasks?a=b HTTP/1.1\r\nHost: localhost:6070\r\nAccept: */*\r\n\r\n";
        let request = Request { target: "/tasks?a=b".to_owned(), is_head: false };
        assert_eq!(parse(head.as_bytes(), &Access::LocalHost), Some(Ok(request)));
        for end in 0..head.len() {
            assert_eq!(status(&head[..end], &Access::LocalHost), None, "{end} bytes");
        }
    }

    #[test]
    fn metrics_come_in_the_format_that_the_client_reads() {
        let target = |accept: &str| {
            let head = format!("GET /metrics HTTP/1.1\r\nHost: localhost\r\n{accept}\r\n");
            parse(head.as_bytes(), &Access::LocalHost).map(|parsed| parsed.map(|request| request.target))
        };
        let (open, plain) = (Some(Ok("/metrics".to_owned())), Some(Ok(PLAIN_METRICS.to_owned())));
        assert_eq!(target(""), open);
        assert_eq!(target("Accept: */*\r\n"), open);
        assert_eq!(target("Accept: application/openmetrics-text;q=0.75,text/plain;q=0.5\r\n"), open);
        assert_eq!(target("accept: Text/Plain;version=0.0.4,*/*;q=0.1\r\n"), plain);
    }

    #[test]
    fn an_invalid_request_is_refused_at_once() {
        let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(MAX_HEAD));
        let many = format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(2_000));
        for (garbage, expected) in [
            ("\u{16}\u{3}\u{1}", 400),
            (" ", 400),
            ("get / HTTP/1.1", 400),
            ("GET\t/ HTTP/1.1", 400),
            ("GET / HTTP/2.0\r\n\r\n", 400),
            ("GET /\r\n\r\n", 400),
            ("GET  / HTTP/1.1\r\n\r\n", 400),
            ("GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            ("GET /\u{e9} HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost : localhost\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nA: b\nHost: localhost\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n\r\n", 400),
            ("POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
            ("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403),
            (&long, 431),
            (&many, 431),
        ] {
            assert_eq!(status(garbage, &Access::LocalHost), Some(expected), "{garbage:?}");
        }
        assert_eq!(
            parse(b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n", &Access::Socket).map(|it| it.is_err()),
            Some(true)
        );
    }

    #[test]
    fn the_host_matters_only_where_nothing_else_protects() {
        let head = "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n";
        assert_eq!(status(head, &Access::Socket), Some(200));
        let token = Access::Token("secret".to_owned());
        assert_eq!(status(head, &token), Some(401));
        let head = "GET / HTTP/1.1\r\nHost: a.example\r\nauthorization: Bearer secret\r\n\r\n";
        assert_eq!(status(head, &token), Some(200));
        assert_eq!(status("GET / HTTP/1.0\r\n\r\n", &Access::LocalHost), Some(200));
    }

    #[test]
    fn the_loopback_address_has_several_names() {
        for local in ["localhost", "LOCALHOST:80", "127.0.0.1", "127.1.2.3:6070", "[::1]", "[::1]:80", "::1"]
        {
            assert_eq!(is_local(local), local != "::1", "{local}");
        }
        for other in [
            "",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "0.0.0.0",
            "[::]",
            "[::1]x",
            "localhost:",
            "10.0.0.1",
        ] {
            assert!(!is_local(other), "{other}");
        }
    }
}
