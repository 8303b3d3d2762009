//! Whether a place is in the program's own code.

use std::cell::Cell;
use std::panic::Location;
use std::ptr;

/// How many answers each thread keeps.
const KEPT: usize = 8;

thread_local! {
    /// Addresses of places, each plus one if it is not the program's own code. The place that is asked for next replaces the one
    /// with which it shares a cell.
    static ANSWERS: [Cell<usize>; KEPT] = const { [const { Cell::new(0) }; KEPT] };
}

/// The place of the caller, if that is the program's own code. A future that is polled by a library's, such as `join_all`,
/// waits where it was made, as far as is known.
///
/// A thread asks for the same few places again and again: those cost a comparison, any other several searches in a path.
#[inline]
pub(crate) fn own_code(
    caller: &'static Location<'static>,
    made_at: &'static Location<'static>,
) -> &'static Location<'static> {
    let address = ptr::from_ref(caller).addr();
    ANSWERS.with(|answers| {
        let answer = &answers[address / align_of::<Location<'static>>() % KEPT];
        if answer.get() & !1 != address {
            answer.set(address | usize::from(is_foreign(caller.file())));
        }
        if answer.get() & 1 == 0 { caller } else { made_at }
    })
}

/// Whether the file is a library's, or this crate's, which polls for a future that was named, for an arm, for a timeout.
#[cold]
fn is_foreign(file: &str) -> bool {
    let own_folder =
        file!().trim_end_matches("own_code.rs").trim_end_matches(['/', '\\']).trim_end_matches("waits");
    let libraries = ["/registry/src/", "/git/checkouts/", "/rustc/", "/rustlib/"];
    file.starts_with(own_folder) || libraries.iter().any(|part| file.contains(part))
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
    fn what_is_polled_by_this_crate_waits_where_it_was_made() {
        // More places than a thread keeps, each asked for twice.
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
