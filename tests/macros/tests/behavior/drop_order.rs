//! Arguments are dropped at the moment when a bare `async fn` drops them, and in the same order:
//! the last one first.
//!
//! One difference is intended. A bare future that was never polled drops the first argument first;
//! its first poll stores the arguments again to reverse that order. An annotated future stores them
//! only once, and always drops them in one order.

use diagnose::diagnose;
use diagnose_macros_tests::{Noisy, drops, note, pause, poll};

/// Declares each function twice, with and without the attribute, in two modules.
macro_rules! twins {
    ($($function:item)*) => {
        mod bare {
            use super::*;
            $($function)*
        }
        mod timed {
            use super::*;
            $(#[diagnose] $function)*
        }
    };
}

twins! {
    pub(super) async fn used(a: Noisy, b: Noisy, c: Noisy) {
        pause().await;
        note("body");
        let _ = (&c, &a, &b);
    }
    pub(super) async fn unused(_a: Noisy, _b: Noisy, _c: Noisy) {
        pause().await;
        note("body");
    }
    pub(super) async fn wild(a: Noisy, _: Noisy, c: Noisy) {
        pause().await;
        note("body");
        let _ = (&c, &a);
    }
    pub(super) async fn moved(a: Noisy, b: Noisy, c: Noisy) {
        drop(b);
        pause().await;
        note("body");
        let _ = (&c, &a);
    }
    pub(super) async fn moved_into_locals(a: Noisy, b: Noisy, c: Noisy) {
        let first = a;
        let _second = c;
        pause().await;
        let _ = (&first, &b);
        note("body");
    }
    pub(super) async fn patterns((a, _): (Noisy, Noisy), [b, ..]: [Noisy; 2], c: Noisy) {
        pause().await;
        note("body");
        let _ = (&c, &a, &b);
    }
    pub(super) async fn wild_before_a_pattern(_: Noisy, b: Noisy, (c, _): (Noisy, Noisy)) {
        pause().await;
        note("body");
        let _ = (&c, &b);
    }
    pub(super) async fn closure(a: Noisy, b: Noisy, c: Noisy) {
        let closure = async |mut a: Noisy, _b: Noisy, (mut c, d): (Noisy, Noisy)| {
            pause().await;
            std::mem::swap(&mut a, &mut c);
            note("body");
            let _ = (&d, &c, &a);
        };
        closure(a, b, (c, Noisy("d"))).await;
    }
    pub(super) async fn closure_with_rest(a: Noisy, b: Noisy, c: Noisy) {
        let closure = async |(a, _): (Noisy, Noisy), b: Noisy, _: Noisy| {
            pause().await;
            note("body");
            let _ = (&b, &a);
        };
        closure((a, Noisy("a.1")), b, c).await;
    }
    pub(super) async fn mutable(mut a: Noisy, b: Noisy, mut c: Noisy) {
        pause().await;
        std::mem::swap(&mut a, &mut c);
        note("body");
        let _ = &b;
    }
    pub(super) async fn tail_temporary(a: Noisy, _b: Noisy) -> usize {
        pause().await;
        let _local = Noisy("local");
        Noisy("temporary").0.len() + a.0.len()
    }
    pub(super) async fn early(a: Noisy, b: Noisy) -> Result<(), ()> {
        let _local = Noisy("local");
        pause().await;
        let _ = (&a, &b);
        Err(())?;
        note("not reached");
        Ok(())
    }
    pub(super) async fn panics(a: Noisy, b: Noisy, (c, _): (Noisy, Noisy)) {
        let _local = Noisy("local");
        pause().await;
        let _ = (&b, &a, &c);
        assert!(!std::hint::black_box(true), "as it should");
    }
    #[must_use]
    pub(super) async fn kept_async(a: Noisy, (b, _): (Noisy, Noisy), _: Noisy) -> usize {
        pause().await;
        note("body");
        a.0.len() + b.0.len()
    }
    // It may be a macro that reads the arguments.
    #[cfg_attr(all(), must_use)]
    pub(super) async fn kept_patterns((a, _b): (Noisy, Noisy), [c]: [Noisy; 1], d: Noisy) -> usize {
        pause().await;
        note("body");
        a.0.len() + d.0.len() + c.0.len()
    }
}

/// The drops of a future that is polled `polls` times and then dropped.
fn drops_of<F: Future>(future: F, polls: usize) -> Vec<&'static str> {
    let mut future = Box::pin(future);
    for _ in 0..polls {
        let poll = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| poll(future.as_mut())));
        if poll.is_ok_and(|poll| poll.is_ready()) {
            note("ready");
        }
    }
    note("end");
    drop(future);
    drops()
}

macro_rules! same {
    ($($function:ident($($argument:expr),*);)*) => {
        for polls in 1..=2 {
            $(
                let bare = drops_of(bare::$function($($argument),*), polls);
                let timed = drops_of(timed::$function($($argument),*), polls);
                assert!(bare.len() > 2, "{}: nothing to compare", stringify!($function));
                assert_eq!(timed, bare, "{} after {polls} polls", stringify!($function));
            )*
        }
    };
}

#[test]
fn drops_are_those_of_the_bare_function_cancelled_and_completed() {
    let [a, b, c] = [|| Noisy("a"), || Noisy("b"), || Noisy("c")];
    same! {
        used(a(), b(), c());
        unused(a(), b(), c());
        wild(a(), b(), c());
        moved(a(), b(), c());
        moved_into_locals(a(), b(), c());
        patterns((a(), Noisy("a.1")), [b(), Noisy("b.1")], c());
        wild_before_a_pattern(a(), b(), (c(), Noisy("c.1")));
        closure(a(), b(), c());
        closure_with_rest(a(), b(), c());
        mutable(a(), b(), c());
        tail_temporary(a(), b());
        early(a(), b());
        panics(a(), b(), (c(), Noisy("c.1")));
        kept_async(a(), (b(), Noisy("b.1")), c());
        kept_patterns((a(), b()), [c()], Noisy("d"));
    }
}

#[test]
fn a_future_never_polled_drops_its_last_argument_first() {
    let [a, b, c] = [|| Noisy("a"), || Noisy("b"), || Noisy("c")];
    assert_eq!(drops_of(bare::used(a(), b(), c()), 0), ["end", "a", "b", "c"]);
    assert_eq!(drops_of(timed::used(a(), b(), c()), 0), ["end", "c", "b", "a"]);
    assert_eq!(drops_of(timed::unused(a(), b(), c()), 0), ["end", "c", "b", "a"]);
    let pairs = timed::patterns((a(), Noisy("a.1")), [b(), Noisy("b.1")], c());
    assert_eq!(drops_of(pairs, 0), ["end", "c", "b", "b.1", "a", "a.1"]);
}
