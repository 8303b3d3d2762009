//! `#[diagnose]` on an impl block times its async methods, and with `all` the other ones too.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

struct Store {
    value: u32,
}

#[diagnose]
impl Store {
    const START: u32 = 1;

    fn new() -> Self {
        Self { value: Self::START }
    }

    async fn get(&self) -> u32 {
        pause().await;
        self.value
    }

    #[diagnose(name = "put", label = "value={value}")]
    async fn set(&mut self, value: u32) {
        self.value = value;
    }

    #[diagnose(skip)]
    async fn skipped(&self) {
        pause().await;
    }

    #[diagnose]
    fn checked(&self) -> bool {
        self.value > 0
    }

    const fn constant() -> u32 {
        7
    }
}

struct Everything<T>(T);

#[diagnose(all)]
impl<T: Copy> Everything<T> {
    fn plain(&self) -> T {
        self.0
    }

    async fn later(&self) -> T {
        self.plain()
    }

    const fn constant() -> u32 {
        7
    }
}

#[test]
fn async_methods_are_timed_under_the_type() {
    let mut store = Store::new();
    run(async {
        store.set(5).await;
        store.skipped().await;
        assert_eq!(store.get().await, 5);
    });
    assert!(store.checked());
    assert_eq!(calls("Store::get"), ["1 Store::get"]);
    assert_eq!(calls("put"), ["1 put{value=5}"]);
    assert_eq!(calls("Store::checked"), ["1 Store::checked"]);
    for left_out in ["Store::new", "Store::skipped", "Store::set", "Store::constant"] {
        assert!(calls(left_out).is_empty(), "{left_out}");
    }
    assert_eq!(Store::constant(), 7);
}

#[test]
fn all_includes_synchronous_methods() {
    assert_eq!(run(Everything(3).later()), 3);
    assert_eq!(calls("Everything::plain"), ["1 Everything::plain < Everything::later"]);
    assert_eq!(Everything::<u8>::constant(), 7);
}
