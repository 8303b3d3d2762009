//! The server without the feature `on`: nothing is served.

use crate::ServeAddress;

/// Returns `None`: nothing is served.
#[must_use]
pub fn serve_address() -> Option<ServeAddress> {
    None
}

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names and values of the headers, without `Content-Length`.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Returns the status 404: there are no reports.
#[must_use]
pub fn respond(_path_and_query: &str) -> Response {
    let headers = vec![("Content-Type", "text/plain; charset=utf-8")];
    Response { status: 404, headers, body: b"diagnose is switched off in this build\n".to_vec() }
}
