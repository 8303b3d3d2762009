//! Sends requests over plain sockets, malformed ones included.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// A response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code; 0 if the server closed the connection without a response.
    pub status: u16,
    /// The head, without its first line.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Requests a page, as a usual client does.
///
/// # Panics
/// If the server does not answer within a minute.
#[must_use]
pub fn get(address: &str, path: &str) -> Response {
    send(address, &format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n"))
}

/// Sends these bytes, and reads the response.
///
/// # Panics
/// If the server does not answer within a minute.
#[must_use]
pub fn send(address: &str, request: &str) -> Response {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    exchange(&mut stream, request.as_bytes()).expect("the server answers")
}

/// Requests a page over a Unix socket.
///
/// # Errors
/// No process listens.
pub fn get_unix(path: &Path, page: &str) -> io::Result<Response> {
    let mut stream = UnixStream::connect(path)?;
    exchange(&mut stream, format!("GET {page} HTTP/1.1\r\nHost: any\r\n\r\n").as_bytes())
}

/// Writes a request, and reads until the end of the response.
///
/// # Errors
/// Those of the connection, unless a response came before.
pub fn exchange(stream: &mut (impl Read + Write), request: &[u8]) -> io::Result<Response> {
    // A refused request may be answered before all of it is written.
    let written = stream.write_all(request);
    let mut received = Vec::new();
    let read = stream.read_to_end(&mut received);
    if received.is_empty() {
        written?;
        read?;
    }
    let end =
        received.windows(4).position(|bytes| bytes == b"\r\n\r\n").map_or(received.len(), |end| end + 4);
    let head = String::from_utf8_lossy(&received[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let head = head.split_once("\r\n").map(|(_, head)| head.to_owned()).unwrap_or_default();
    Ok(Response { status, head, body: received[end..].to_vec() })
}
