//! Nested annotated functions compile within the compiler's default recursion limit of 128. A bare
//! function takes four steps: its future, and three types around it in the future that awaits it.
//! The timed future takes a fifth step. In the second test, the innermost function is first in the
//! file. The compiler then knows the inner futures before the outer ones, and only its check for
//! `Send` counts: three steps for a bare function, and four for an annotated one.
//!
//! ```text
//!                                       bare   annotated
//! outermost first                         32          25
//! innermost first, for `Send`             42          31
//! innermost first                      > 100       > 100
//! ```

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

fn is_send<T: Send + Sync>(value: T) -> T {
    value
}

macro_rules! outermost_first {
    ($outer:ident $inner:ident $($rest:ident)*) => {
        #[diagnose]
        async fn $outer(argument: u32) -> u32 {
            pause().await;
            $inner(argument).await + 1
        }
        outermost_first!($inner $($rest)*);
    };
    ($last:ident) => {
        #[diagnose]
        async fn $last(argument: u32) -> u32 {
            pause().await;
            argument
        }
    };
}

outermost_first! {
    f00 f01 f02 f03 f04 f05 f06 f07 f08 f09
    f10 f11 f12 f13 f14 f15 f16 f17 f18 f19
    f20 f21 f22 f23
}

#[test]
fn twenty_four_levels_compile_with_the_outermost_first() {
    assert_eq!(run(is_send(f00(2))), 25);
}

macro_rules! innermost_first {
    ($outer:ident $inner:ident $($rest:ident)*) => {
        innermost_first!($inner $($rest)*);
        #[diagnose]
        async fn $outer(argument: u32) -> u32 {
            pause().await;
            $inner(argument).await + 1
        }
    };
    ($last:ident) => {
        #[diagnose]
        async fn $last(argument: u32) -> u32 {
            pause().await;
            argument
        }
    };
}

innermost_first! {
    g00 g01 g02 g03 g04 g05 g06 g07 g08 g09
    g10 g11 g12 g13 g14 g15 g16 g17 g18 g19
    g20 g21 g22 g23 g24 g25 g26 g27 g28 g29
    g30 g31 g32 g33 g34 g35 g36 g37 g38 g39
}

#[test]
fn forty_levels_compile_with_the_innermost_first() {
    assert_eq!(run(g00(2)), 41);
}

#[test]
fn thirty_levels_are_send() {
    assert_eq!(run(is_send(g10(2))), 31);
}
