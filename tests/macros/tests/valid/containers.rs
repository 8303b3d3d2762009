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

#[test]
fn containers_hold_other_items_as_well() {
    assert_eq!(diagnose_macros_tests::run(Store.twice()), Store::constant());
    assert_eq!(diagnose_macros_tests::run(inner::seven()), 7);
}
