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

fn main() {}
