//! Functions that `macro_rules!` writes.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

macro_rules! getter {
    ($(#[$attribute:meta])* $visibility:vis $name:ident($argument:ident: $type:ty) -> $output:ty $body:block) => {
        $(#[$attribute])*
        #[diagnose]
        $visibility async fn $name($argument: $type, hidden: u32) -> $output {
            pause().await;
            let _ = hidden;
            $body
        }
    };
    ($name:ident = $value:expr) => {
        #[diagnose(name = "by expression")]
        async fn $name() -> u32 {
            $value
        }
    };
    (whole $name:ident -> $output:ty $body:block) => {
        #[diagnose]
        async fn $name() -> $output $body
    };
}

getter!(
    /// Documented by the caller.
    pub(crate) written(hidden: &str) -> usize { let length = hidden.len(); length + 1 }
);
getter!(by_expression = 1 + 1);
getter!(whole opaque -> impl std::fmt::Display { pause().await; 3 });
getter!(whole endless -> ! { pause().await; panic!("as it should") });

macro_rules! method {
    ($type:ident . $name:ident) => {
        impl $type {
            #[diagnose]
            async fn $name(&self, by: u32) -> u32 {
                pause().await;
                self.0 + by
            }
        }
    };
}

struct Number(u32);
method!(Number.plus);

#[test]
fn functions_written_by_macros_keep_their_hygiene() {
    assert_eq!(run(written("abc", 1)), 4);
    assert_eq!(run(by_expression()), 2);
    assert_eq!(run(opaque()).to_string(), "3");
    assert_eq!(run(Number(1).plus(2)), 3);
    assert!(std::panic::catch_unwind(|| run(endless())).is_err());
    assert_eq!(calls("written"), ["1 written"]);
    assert_eq!(calls("plus"), ["1 plus"]);
}
