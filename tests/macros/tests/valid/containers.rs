//! Impl blocks, traits and modules.

use diagnose::diagnose;

struct Store;

#[diagnose(all)]
impl Store {
    const START: u32 = 1;

    async fn get(&self) -> u32 {
        self.start()
    }

    fn start(&self) -> u32 {
        Self::START
    }

    const fn constant() -> u32 {
        2
    }
}

#[diagnose]
trait Twice {
    async fn once(&self) -> u32;

    async fn twice(&self) -> u32 {
        self.once().await * 2
    }
}

#[diagnose]
impl Twice for Store {
    async fn once(&self) -> u32 {
        self.get().await
    }
}

#[diagnose]
mod inner {
    pub(super) async fn seven() -> u32 {
        7
    }
}

/// What is inside stays as it is, the attributes on blocks excepted.
#[diagnose(skip)]
mod skipped {
    use diagnose::diagnose;

    pub(super) struct Store;

    pub(super) trait Thrice {
        async fn thrice(&self) -> u32 {
            #[diagnose(name = "not timed")]
            async { 3 }.await
        }
    }

    impl Thrice for Store {}

    impl Store {
        pub(super) async fn get(&self) -> u32 {
            #[diagnose]
            async move { 4 }.await
        }

        #[diagnose]
        pub(super) async fn timed(&self) -> u32 {
            #[diagnose(name = "timed", label = "5")]
            async { 5 }.await
        }
    }
}

#[test]
fn a_skipped_container_may_have_annotated_blocks() {
    use skipped::Thrice as _;

    let sum =
        async { skipped::Store.thrice().await + skipped::Store.get().await + skipped::Store.timed().await };
    assert_eq!(diagnose_macros_tests::run(sum), 12);
}

#[test]
fn containers_hold_other_items_as_well() {
    assert_eq!(diagnose_macros_tests::run(Store.twice()), Store::constant());
    assert_eq!(diagnose_macros_tests::run(inner::seven()), 7);
}
