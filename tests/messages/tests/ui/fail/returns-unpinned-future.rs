use std::future::Future;

use diagnose::diagnose;

#[diagnose]
fn get() -> Box<dyn Future<Output = u32> + Unpin> {
    Box::new(std::future::ready(1))
}

fn main() {
    drop(get());
}
