//! Methods, by receiver.

use std::pin::Pin;
use std::sync::Arc;

use diagnose::diagnose;

struct Store(u32);

impl Store {
    #[diagnose]
    async fn by_reference(&self) -> &u32 {
        &self.0
    }

    #[diagnose]
    async fn by_mutable_reference(&mut self) -> &mut u32 {
        &mut self.0
    }

    #[diagnose]
    async fn by_value(mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    #[diagnose]
    async fn by_arc(self: Arc<Self>) -> u32 {
        self.0
    }

    #[diagnose]
    async fn by_pin(self: Pin<&mut Self>) -> u32 {
        self.0
    }
}

#[test]
fn a_method_takes_any_receiver() {
    diagnose_macros_tests::run(async {
        let mut store = Store(1);
        *store.by_mutable_reference().await += *Store(1).by_reference().await;
        assert_eq!(Pin::new(&mut store).by_pin().await, 2);
        assert_eq!(store.by_value().await, 3);
        assert_eq!(Arc::new(Store(5)).by_arc().await, 5);
    });
}
