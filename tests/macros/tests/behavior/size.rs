//! The future of an annotated function is at most 96 bytes larger than that of the bare one:
//! nothing is stored twice.

#![allow(clippy::large_types_passed_by_value)]

use diagnose::diagnose;
use diagnose_macros_tests::pause;

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

type Kilobyte = [u8; 1_024];

twins! {
    #[allow(clippy::unused_async)]
    pub(super) async fn nothing() {}
    pub(super) async fn one_await() {
        pause().await;
    }
    pub(super) async fn used_later(a: Kilobyte) -> u8 {
        pause().await;
        a[0]
    }
    pub(super) async fn unused(_a: Kilobyte) {
        pause().await;
    }
    pub(super) async fn two(a: Kilobyte, b: Kilobyte) -> u8 {
        pause().await;
        a[0] + b[0]
    }
    pub(super) async fn pattern((a, b): (Kilobyte, Kilobyte)) -> u8 {
        pause().await;
        a[0] + b[0]
    }
    pub(super) async fn wild(_: Kilobyte) {
        pause().await;
    }
    pub(super) async fn mutable(mut a: Kilobyte) -> u8 {
        a[0] = 1;
        pause().await;
        a[0]
    }
    pub(super) async fn local() -> u8 {
        let local: Kilobyte = std::hint::black_box([0; 1_024]);
        pause().await;
        local[0]
    }
    pub(super) async fn generic<T: AsRef<[u8]>>(a: T) -> usize {
        pause().await;
        a.as_ref().len()
    }
    pub(super) async fn nested(a: Kilobyte) -> u8 {
        used_later(a).await
    }
}

#[test]
fn growth_is_bounded() {
    let kilobyte: Kilobyte = [0; 1_024];
    macro_rules! grown {
        ($($function:ident($($argument:expr),*) by $layers:literal;)*) => {
            $(
                let bare = size_of_val(&bare::$function($($argument),*));
                let timed = size_of_val(&timed::$function($($argument),*));
                assert!(timed <= bare + 96 * $layers, "{}: {bare} became {timed}", stringify!($function));
            )*
        };
    }
    grown! {
        nothing() by 1;
        one_await() by 1;
        used_later(kilobyte) by 1;
        unused(kilobyte) by 1;
        two(kilobyte, kilobyte) by 1;
        pattern((kilobyte, kilobyte)) by 1;
        wild(kilobyte) by 1;
        mutable(kilobyte) by 1;
        local() by 1;
        generic(kilobyte) by 1;
        nested(kilobyte) by 2;
    }
}

#[test]
fn an_argument_used_after_an_await_is_stored_once() {
    let timed = size_of_val(&timed::used_later([0; 1_024]));
    assert!(timed < 1_024 + 128, "{timed}");
}
