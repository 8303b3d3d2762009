//! `.diagnose("name")`: any future as a span.

use std::any;
use std::cell::Cell;
use std::collections::HashMap;
use std::future::Future;
use std::panic::Location;
use std::ptr;

use crate::label::Label;
use crate::recorder::Span;
use crate::site::{Site, SiteKind};
use crate::sync::RwLock;
use crate::text_limit;
use crate::timed::Timed;

/// Names any future: a library's future, a combinator, a hand-written one.
pub trait FutureExt: Future + Sized {
    /// Times this future under `name`, at the place of this call. A task that is spawned with it is
    /// listed under that name from its first poll on.
    ///
    /// Creating it costs a lookup in a table of all such calls. Each thread caches its recent
    /// lookups. Its polls cost as much as those of `#[diagnose]`. Each name at each place is kept
    /// until the program ends, without a limit.
    ///
    /// # Examples
    /// ```
    /// use diagnose::FutureExt as _;
    ///
    /// # futures::executor::block_on(async {
    /// let answer = std::future::ready(42).diagnose("answer").await;
    /// assert_eq!(answer, 42);
    /// # });
    /// ```
    #[track_caller]
    fn diagnose(self, name: &'static str) -> Timed<Self> {
        let site = site_at(name, Location::caller(), is_hand_written(any::type_name::<Self>()));
        Timed::new(Span::new(site, Label::NONE), self)
    }
}

impl<F: Future> FutureExt for F {}

/// A call site by content, because two copies of one location may have different addresses.
type NamedKey = (&'static str, &'static str, u32, u32, SiteKind);

static SITES: RwLock<Option<HashMap<NamedKey, &'static Site>>> = RwLock::new(None);

/// Returns the site of this name at this place. There is one for each call in the source. If names
/// are created at run time and leaked, the caller must limit their number.
fn site_at(name: &'static str, location: &'static Location<'static>, is_hand_written: bool) -> &'static Site {
    let name = text_limit::cut(name);
    let known = known(name, location, SiteKind::Block);
    known.unwrap_or_else(|| {
        make(name, location, SiteKind::Block, |site| site.is_hand_written = is_hand_written)
    })
}

/// Returns whether the program itself implements `poll` for this type. That is a `PollFn`, or a
/// type that neither the compiler nor a library of futures makes. Pointers around it are ignored.
fn is_hand_written(mut name: &str) -> bool {
    let pointers = ["core::pin::Pin<", "alloc::boxed::Box<", "&mut "];
    while let Some(inside) = pointers.iter().find_map(|pointer| name.strip_prefix(pointer)) {
        name = inside;
    }
    let libraries = ["core", "alloc", "std", "tokio", "futures", "async", "smol", "diagnose::", "dyn "];
    let own = name.split(['<', '>', ',']).next().unwrap_or(name);
    own.ends_with("::PollFn")
        || !own.ends_with("}}") && !libraries.iter().any(|library| own.starts_with(library))
}

/// The one site of tasks with this name spawned at this place. Names created at run time are kept,
/// up to a limit.
pub(crate) fn task_site_at(
    name: &str,
    location: &'static Location<'static>,
    is_blocking: bool,
) -> &'static Site {
    let name = text_limit::cut(name);
    if let Some(site) = known(name, location, SiteKind::Task) {
        return site;
    }
    let is_full = SITES.read().as_ref().is_some_and(|sites| sites.len() >= MAX_SITES);
    if is_full {
        return known("task", location, SiteKind::Task).unwrap_or_else(|| {
            make("task", location, SiteKind::Task, |site| site.is_blocking = is_blocking)
        });
    }
    make(String::leak(name.to_owned()), location, SiteKind::Task, |site| site.is_blocking = is_blocking)
}

/// The one site of tasks spawned at this place with a future of type `type_name`; `name` makes its
/// name. Each thread caches the last ones by address.
pub(crate) fn spawn_site(
    type_name: &'static str,
    location: &'static Location<'static>,
    is_blocking: bool,
    name: impl FnOnce() -> String,
) -> &'static Site {
    let place = ptr::from_ref(location).addr();
    let slot = (place >> 3 ^ type_name.as_ptr().addr()) % RECENT;
    RECENTLY.with(|recently| {
        if let Some(recent) = recently[slot].get() {
            if recent.location == place && ptr::eq(recent.type_name, type_name) {
                return recent.site;
            }
        }
        let site = task_site_at(&name(), location, is_blocking);
        recently[slot].set(Some(Recent { type_name, location: place, site }));
        site
    })
}

/// Number of sites that a thread caches.
const RECENT: usize = 32;

/// A cached site with its key: two addresses.
#[derive(Debug, Clone, Copy)]
struct Recent {
    type_name: &'static str,
    location: usize,
    site: &'static Site,
}

thread_local! {
    static RECENTLY: [Cell<Option<Recent>>; RECENT] = const { [const { Cell::new(None) }; RECENT] };
    /// Sites with the addresses of their places.
    static KNOWN: [Cell<Option<(usize, &'static Site)>>; RECENT] =
        const { [const { Cell::new(None) }; RECENT] };
}

/// The one site of calls, at this place, of a wrapper's synchronous function that may block.
#[cfg(feature = "tokio")]
pub(crate) fn call_site_at(name: &'static str, location: &'static Location<'static>) -> &'static Site {
    let known = known(name, location, SiteKind::Sync);
    known.unwrap_or_else(|| make(name, location, SiteKind::Sync, |site| site.is_blocking = true))
}

/// Number of sites past which new tasks lose their names.
const MAX_SITES: usize = 4_096;

/// Returns the site if it is in the table. Each thread caches the last ones by address and name.
fn known(name: &str, location: &'static Location<'static>, kind: SiteKind) -> Option<&'static Site> {
    let place = ptr::from_ref(location).addr();
    KNOWN.with(|known| {
        let slot = &known[(place >> 3 ^ kind as usize ^ name.len()) % RECENT];
        if let Some((at, site)) = slot.get() {
            if at == place && site.kind == kind && site.name == name {
                return Some(site);
            }
        }
        let key = (name, location.file(), location.line(), location.column(), kind);
        let site = SITES.read().as_ref()?.get(&key).copied()?;
        slot.set(Some((place, site)));
        Some(site)
    })
}

fn make(
    name: &'static str,
    location: &'static Location<'static>,
    kind: SiteKind,
    set: impl FnOnce(&mut Site),
) -> &'static Site {
    let key = (name, location.file(), location.line(), location.column(), kind);
    let mut sites = SITES.write();
    sites.get_or_insert_default().entry(key).or_insert_with(|| {
        let mut site = Site::placed(kind, name, location);
        set(&mut site);
        Box::leak(Box::new(site))
    })
}

#[cfg(test)]
mod tests {
    use std::any::type_name_of_val;
    use std::future::{Future, Ready};
    use std::panic::Location;
    use std::pin::Pin;
    use std::ptr;
    use std::task::{Context, Poll};

    use super::{SiteKind, is_hand_written, task_site_at};

    struct Own;

    impl Future for Own {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            Poll::Pending
        }
    }

    #[test]
    fn only_a_future_with_a_poll_of_its_own_is_hand_written() {
        #[allow(clippy::unused_async)] // Its type is inspected.
        async fn function() {}
        let boxed: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async {});
        assert!(!is_hand_written(type_name_of_val(&async {})));
        assert!(!is_hand_written(type_name_of_val(&function())));
        assert!(!is_hand_written(type_name_of_val(&boxed)));
        assert!(!is_hand_written(std::any::type_name::<Ready<Own>>()));
        assert!(is_hand_written(type_name_of_val(&std::future::poll_fn(|_| Poll::<()>::Pending))));
        // Types of this crate do not count as the program's.
        let [own, boxed] = [type_name_of_val(&Own), type_name_of_val(&Box::pin(Own))];
        assert!(is_hand_written(&own.replace("diagnose::", "program::")));
        assert!(is_hand_written(&boxed.replace("diagnose::", "program::")));
    }

    #[test]
    fn names_of_one_length_at_one_place_have_sites_of_their_own() {
        let here = Location::caller();
        let sites = ["one", "two"].map(|name| task_site_at(name, here, false));
        for _ in 0..2 {
            for (name, site) in ["one", "two"].into_iter().zip(sites) {
                assert_eq!((site.name, site.kind), (name, SiteKind::Task));
                let copy = String::from(name);
                assert!(ptr::eq(site, task_site_at(&copy, here, true)));
            }
        }
    }
}
