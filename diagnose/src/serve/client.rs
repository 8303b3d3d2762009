//! One connection, from its first byte to its last.
//!
//! ```text
//! Reading ─▶ Recording ─▶ Writing ─▶ Closing ─▶ gone
//!    └──────────────────────▲
//! ```
//! No step blocks. A client that is too slow in any state is disconnected.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::budget::CpuStopwatch;
use super::listener::Stream;
use super::page::Made;
use super::request::{Access, Refusal, Request, parse};
use super::respond::{Answer, Begun, HEADERS, LOCATION, OngoingProfile};

/// Time in which the head of a request must arrive.
const HEAD_LIMIT: Duration = Duration::from_secs(5);
/// Time in which a client must take some of the response.
const STALL_LIMIT: Duration = Duration::from_secs(10);
/// Time that a whole response may take.
const WRITE_LIMIT: Duration = Duration::from_secs(300);
/// Time in which a client must close, once it has the response.
const CLOSE_LIMIT: Duration = Duration::from_millis(500);
/// Bytes that are written, or read and ignored, in one step.
const STEP: usize = 256 << 10;

/// A client.
#[derive(Debug)]
pub(super) struct Client {
    stream: Stream,
    state: State,
    /// When this state began.
    since: Instant,
    /// When the client last took some of the response.
    moved: Instant,
}

#[derive(Debug)]
enum State {
    /// The head of the request so far.
    Reading(Vec<u8>),
    /// A profile, until its end.
    Recording(OngoingProfile, Instant),
    Writing {
        head: Vec<u8>,
        answer: Answer,
        /// Bytes of head and body that were written.
        written: usize,
        is_head: bool,
    },
    /// Waits for the client to close. Anything it sends after its request is read first: closing a
    /// connection with unread bytes would discard the response.
    Closing {
        ignored: usize,
    },
    Gone,
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientStep {
    /// The next step can follow at once.
    Moved,
    /// The client has to do something first.
    Waits,
    Gone,
}

impl Client {
    pub(super) fn new(stream: Stream) -> Self {
        let now = Instant::now();
        Self { stream, state: State::Reading(Vec::new()), since: now, moved: now }
    }

    /// Takes a step. Adds the processor time spent on making pages to `made`.
    pub(super) fn step(&mut self, access: &Access, made: &mut Duration) -> ClientStep {
        let before = std::mem::discriminant(&self.state);
        let state = std::mem::replace(&mut self.state, State::Gone);
        let (state, has_moved) = match state {
            State::Reading(head) => self.read(head, access, made),
            State::Recording(profile, end) => self.record(profile, end, made),
            State::Writing { head, answer, written, is_head } => self.write(head, answer, written, is_head),
            State::Closing { ignored } => self.close(ignored),
            State::Gone => (State::Gone, false),
        };
        self.state = state;
        if std::mem::discriminant(&self.state) != before {
            self.since = Instant::now();
            self.moved = self.since;
        }
        match self.state {
            State::Gone => ClientStep::Gone,
            _ if has_moved => ClientStep::Moved,
            // Checked after the attempt, so that the time that other clients took does not count.
            _ if self.is_late() => {
                self.state = State::Gone;
                ClientStep::Gone
            }
            _ => ClientStep::Waits,
        }
    }

    /// Returns how long the client has been idle, if its connection may be closed for another
    /// client.
    pub(super) fn idle(&self) -> Option<Duration> {
        match self.state {
            State::Reading(_) => Some(self.since.elapsed()),
            // It has its response.
            State::Closing { .. } | State::Gone => Some(Duration::MAX),
            State::Writing { .. } => Some(self.moved.elapsed()),
            State::Recording(..) => None,
        }
    }

    /// Returns what the client has not taken completely yet.
    pub(super) fn made(&self) -> Option<&Arc<Made>> {
        match &self.state {
            State::Writing { answer, .. } => Some(&answer.made),
            _ => None,
        }
    }

    /// Returns whether the client waits for the end of a profile.
    pub(super) fn is_recording(&self) -> bool {
        matches!(self.state, State::Recording(..))
    }

    fn is_late(&self) -> bool {
        match self.state {
            State::Reading(_) => self.since.elapsed() >= HEAD_LIMIT,
            State::Recording(..) => false,
            State::Writing { .. } => {
                self.moved.elapsed() >= STALL_LIMIT || self.since.elapsed() >= WRITE_LIMIT
            }
            State::Closing { .. } => self.since.elapsed() >= CLOSE_LIMIT,
            State::Gone => true,
        }
    }

    fn read(&mut self, mut head: Vec<u8>, access: &Access, made: &mut Duration) -> (State, bool) {
        let mut buffer = [0; 2048];
        match self.stream.read(&mut buffer) {
            Ok(0) => return (State::Gone, false),
            Ok(length) => head.extend(buffer.iter().take(length)),
            Err(error) if is_not_ready(&error) => return (State::Reading(head), false),
            Err(_) => return (State::Gone, false),
        }
        let Some(parsed) = parse(&head, access) else { return (State::Reading(head), true) };
        match parsed {
            Ok(Request { target, is_head }) => {
                let (began, watch) = (Instant::now(), CpuStopwatch::start());
                let begun = Answer::begin(&target);
                *made += watch.elapsed();
                match begun {
                    Begun::Now(answer) => (respond(answer, is_head), true),
                    Begun::Later(_) if is_head => {
                        (respond(Answer::text(405, "a profile is answered to GET only\n"), true), true)
                    }
                    Begun::Later(profile) => {
                        let end = began + profile.record;
                        (State::Recording(profile, end), false)
                    }
                }
            }
            Err(Refusal { status, text }) => {
                (respond(Answer::text(status, text), head.starts_with(b"HEAD ")), true)
            }
        }
    }

    fn record(&mut self, profile: OngoingProfile, end: Instant, made: &mut Duration) -> (State, bool) {
        // A client that has disconnected must not keep one of the few places for profiles.
        match self.stream.read(&mut [0; 64]) {
            Ok(0) => return (State::Gone, false),
            Err(error) if !is_not_ready(&error) => return (State::Gone, false),
            _ => {}
        }
        if Instant::now() < end {
            return (State::Recording(profile, end), false);
        }
        let watch = CpuStopwatch::start();
        let answer = profile.end();
        *made += watch.elapsed();
        (respond(answer, false), true)
    }

    fn write(&mut self, head: Vec<u8>, answer: Answer, mut written: usize, is_head: bool) -> (State, bool) {
        let body: &[u8] = if is_head { &[] } else { &answer.made.body };
        let mut has_moved = false;
        while written < head.len() + body.len() {
            let rest = match head.get(written..) {
                Some(rest) if !rest.is_empty() => rest,
                _ => body.get(written - head.len()..).unwrap_or_default(),
            };
            match self.stream.write(rest.get(..STEP).unwrap_or(rest)) {
                Ok(0) => return (State::Gone, false),
                Ok(length) => written += length,
                Err(error) if is_not_ready(&error) => {
                    return (State::Writing { head, answer, written, is_head }, has_moved);
                }
                Err(_) => return (State::Gone, false),
            }
            self.moved = Instant::now();
            if written >= head.len() && has_moved {
                // Other clients take their turn between two parts of a long body.
                return (State::Writing { head, answer, written, is_head }, true);
            }
            has_moved = true;
        }
        self.stream.end();
        (State::Closing { ignored: 0 }, true)
    }

    fn close(&mut self, ignored: usize) -> (State, bool) {
        let mut buffer = [0; 4096];
        match self.stream.read(&mut buffer) {
            Ok(length) if length > 0 && ignored < STEP => {
                (State::Closing { ignored: ignored + length }, true)
            }
            Err(error) if is_not_ready(&error) => (State::Closing { ignored }, false),
            _ => (State::Gone, false),
        }
    }
}

fn is_not_ready(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn respond(answer: Answer, is_head: bool) -> State {
    let reason = match answer.status {
        200 => "OK",
        301 => "Moved Permanently",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Not Implemented",
    };
    let length = answer.made.body.len();
    let mut head = format!(
        "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {length}\r\nConnection: close\r\n",
        answer.status, answer.made.content_type
    );
    match answer.status {
        301 => head.extend([LOCATION.0, ": ", LOCATION.1, "\r\n"]),
        401 => head.push_str("WWW-Authenticate: Basic realm=\"diagnose\"\r\n"),
        // HEAD is refused for profiles only.
        405 if is_head => head.push_str("Allow: GET\r\n"),
        405 => head.push_str("Allow: GET, HEAD\r\n"),
        503 => head.push_str("Retry-After: 5\r\n"),
        _ => {}
    }
    for (name, value) in HEADERS {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    State::Writing { head: head.into_bytes(), answer, written: 0, is_head }
}
