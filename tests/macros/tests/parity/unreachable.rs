#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn after_return() -> u32 {
    return 1;
    2
}

#[diagnose]
fn frame() -> u32 {
    return 1;
    2
}

#[diagnose]
async fn await_after_return() {
    return;
    std::future::ready(()).await;
}

#[diagnose]
async fn await_after_panic() {
    unimplemented!();
    std::future::ready(()).await;
}

fn main() {}
