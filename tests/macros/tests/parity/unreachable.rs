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

#[diagnose]
async fn await_after_loop() {
    loop {
        std::future::ready(()).await;
    }
    std::future::ready(()).await;
}

#[diagnose]
async fn await_after_exit() {
    std::process::exit(1);
    std::future::ready(()).await;
}

#[diagnose]
async fn await_after_choice(early: bool) -> u32 {
    if early {
        return 1;
    } else {
        return 2;
    }
    std::future::ready(3).await
}

fn main() {}
