//! Decides whether a place is in the program's own code.

use std::cell::Cell;
use std::panic::Location;
use std::ptr;

/// Parts of the paths of the standard library.
const STD: [&str; 2] = ["/rustc/", "/rustlib/"];
/// Number of answers that each thread caches.
const CACHED: usize = 8;

thread_local! {
    /// Cached addresses, each plus one if it is not in the program's own code. A new address
    /// replaces the one that shares its cell.
    static ANSWERS: [Cell<usize>; CACHED] = const { [const { Cell::new(0) }; CACHED] };
}

/// Returns `caller` if it is in the program's own code, otherwise `made_at`. A future that a
/// library polls, such as one in `join_all`, is shown as waiting where it was made.
///
/// A thread asks for the same few places repeatedly. A cached answer costs one comparison, any
/// other answer several searches in a path.
#[inline]
pub(crate) fn own_code(
    caller: &'static Location<'static>,
    made_at: &'static Location<'static>,
) -> &'static Location<'static> {
    let address = ptr::from_ref(caller).addr();
    ANSWERS.with(|answers| {
        let answer = &answers[address / align_of::<Location<'static>>() % CACHED];
        if answer.get() & !1 != address {
            answer.set(address | usize::from(is_foreign(caller.file())));
        }
        if answer.get() & 1 == 0 { caller } else { made_at }
    })
}

/// Returns whether the place is in the standard library. `Arc::<Mutex<_>>::default()` creates a
/// mutex there, and `Option::<Sender<_>>::clone` a sender.
pub(crate) fn is_in_std(place: &Location<'_>) -> bool {
    STD.iter().any(|part| place.file().contains(part))
}

/// Returns whether the file belongs to a library or to this crate. Code of this crate polls the
/// futures inside named futures, arms and timeouts.
#[cold]
fn is_foreign(file: &str) -> bool {
    let own_folder =
        file!().trim_end_matches("own_code.rs").trim_end_matches(['/', '\\']).trim_end_matches("waits");
    let mut libraries = ["/registry/src/", "/git/checkouts/"].iter().chain(&STD);
    file.starts_with(own_folder) || libraries.any(|part| file.contains(part))
}

#[cfg(test)]
mod tests {
    use std::panic::Location;
    use std::ptr;

    use super::{is_foreign, own_code};

    #[test]
    fn this_crate_and_libraries_are_not_the_programs_own_code() {
        assert!(is_foreign(file!()));
        assert!(is_foreign("/home/u/.cargo/registry/src/index/futures-util-0.3/src/future/join_all.rs"));
        assert!(!is_foreign("src/main.rs"));
    }

    #[test]
    fn a_future_polled_by_this_crate_waits_where_it_was_made() {
        // More places than a thread caches, each looked up twice.
        let places = [here(), here(), here(), here(), here(), here(), here(), here(), here(), here()];
        for place in places.into_iter().chain(places) {
            assert!(ptr::eq(own_code(place, places[0]), places[0]));
        }
    }

    #[track_caller]
    fn here() -> &'static Location<'static> {
        Location::caller()
    }
}
