//! The compiler's default limit of recursion allows 33 bare functions around each other; an annotated one is one layer
//! more, its await point is another, and 20 of them are within the limit.

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

macro_rules! nested {
    ($outer:ident $inner:ident $($rest:ident)*) => {
        #[diagnose]
        async fn $outer(argument: u32) -> u32 {
            pause().await;
            $inner(argument).await + 1
        }
        nested!($inner $($rest)*);
    };
    ($last:ident) => {
        #[diagnose]
        async fn $last(argument: u32) -> u32 {
            pause().await;
            argument
        }
    };
}

nested! {
    f00 f01 f02 f03 f04 f05 f06 f07 f08 f09 f10 f11
    f12 f13 f14 f15 f16 f17 f18 f19
}

#[test]
fn twenty_layers_compile_and_are_send_and_sync() {
    fn is_send<T: Send + Sync>(value: T) -> T {
        value
    }
    assert_eq!(run(is_send(f00(2))), 21);
}
