use std::future::Future;

use diagnose::diagnose;

#[diagnose]
fn get() -> impl Future<Output = u32> + Send + Clone {
    std::future::ready(1)
}

struct Store;

#[diagnose]
impl Store {
    fn left_alone() -> impl Future<Output = u32> + Clone {
        std::future::ready(1)
    }

    #[diagnose]
    fn asked() -> impl Future<Output = u32> + core::clone::Clone {
        Store::left_alone()
    }
}

fn main() {
    drop((get().clone(), Store::left_alone().clone(), Store::asked().clone()));
}
