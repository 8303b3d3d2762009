//! `.diagnose("name")`: any future as a span.

use std::collections::HashMap;
use std::future::Future;
use std::panic::Location;

use crate::label::Label;
use crate::site::{Kind, Site};
use crate::sync::RwLock;
use crate::timed::Timed;

/// Names any future: a future of a library, a combinator, a hand-written one.
pub trait FutureExt: Future + Sized {
    /// Times this future under `name`, as the block that calls this.
    ///
    /// Costs a look-up in a table of all such calls when the future is made, and then what `#[diagnose]` costs.
    ///
    /// # Examples
    /// ```
    /// use diagnose::FutureExt as _;
    ///
    /// # async fn example() {
    /// let answer = std::future::ready(42).diagnose("answer").await;
    /// assert_eq!(answer, 42);
    /// # }
    /// ```
    #[track_caller]
    fn diagnose(self, name: &'static str) -> Timed<Self> {
        Timed::new(site_at(name, Location::caller()), Label::NONE, self)
    }
}

impl<F: Future> FutureExt for F {}

/// A call site by content, because two copies of one location may have different addresses.
type Key = (&'static str, &'static str, u32, u32, Kind);

static SITES: RwLock<Option<HashMap<Key, &'static Site>>> = RwLock::new(None);

/// The one site of this name at this place. There are as many as the source has calls, unless names are made at run
/// time and leaked, which is the caller's to bound.
fn site_at(name: &'static str, location: &'static Location<'static>) -> &'static Site {
    let known = known(name, location, Kind::Block);
    known.unwrap_or_else(|| make(name, location, Kind::Block))
}

/// The one site of tasks of this name that are spawned at this place. Names that are made at run time are kept, up to a
/// bound.
pub(crate) fn task_site_at(name: &str, location: &'static Location<'static>) -> &'static Site {
    if let Some(site) = known(name, location, Kind::Task) {
        return site;
    }
    let is_full = SITES.read().as_ref().is_some_and(|sites| sites.len() >= MAX_SITES);
    if is_full {
        return known("task", location, Kind::Task).unwrap_or_else(|| make("task", location, Kind::Task));
    }
    make(String::leak(name.to_owned()), location, Kind::Task)
}

/// The one site of calls of a synchronous function of a wrapper at this place.
#[cfg(feature = "tokio")]
pub(crate) fn call_site_at(name: &'static str, location: &'static Location<'static>) -> &'static Site {
    let known = known(name, location, Kind::Sync);
    known.unwrap_or_else(|| make(name, location, Kind::Sync))
}

/// So many sites are kept at least before names of tasks are given up.
const MAX_SITES: usize = 4_096;

fn known(name: &str, location: &'static Location<'static>, kind: Kind) -> Option<&'static Site> {
    let key = (name, location.file(), location.line(), location.column(), kind);
    SITES.read().as_ref()?.get(&key).copied()
}

fn make(name: &'static str, location: &'static Location<'static>, kind: Kind) -> &'static Site {
    let (file, line, column) = (location.file(), location.line(), location.column());
    let mut sites = SITES.write();
    sites
        .get_or_insert_default()
        .entry((name, file, line, column, kind))
        .or_insert_with(|| Box::leak(Box::new(Site::new(kind, name, "", file, line, column))))
}
