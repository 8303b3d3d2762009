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
type Key = (&'static str, &'static str, u32, u32);

static SITES: RwLock<Option<HashMap<Key, &'static Site>>> = RwLock::new(None);

/// The one site of this name at this place. There are as many as the source has calls, unless names are made at run
/// time and leaked, which is the caller's to bound.
fn site_at(name: &'static str, location: &'static Location<'static>) -> &'static Site {
    let key = (name, location.file(), location.line(), location.column());
    let known = SITES.read().as_ref().and_then(|sites| sites.get(&key)).copied();
    known.unwrap_or_else(|| {
        let mut sites = SITES.write();
        sites.get_or_insert_default().entry(key).or_insert_with(|| {
            let (name, file, line, column) = key;
            Box::leak(Box::new(Site::new(Kind::Block, name, "", file, line, column)))
        })
    })
}
