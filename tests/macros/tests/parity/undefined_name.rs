#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn variable() -> u32 {
    missing
}

#[diagnose]
async fn function(a: u32) {
    missing(a).await
}

#[diagnose]
async fn unknown_type(_: Missing) -> Unknown {
    loop {}
}

#[diagnose]
fn frame() -> u32 {
    missing
}

fn main() {}
