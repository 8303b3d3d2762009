#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn number() -> u32 {
    "text"
}

#[diagnose]
async fn with_arguments(a: u32, (_b, _c): (u32, u32)) -> String {
    let _ = a;
    1
}

#[diagnose]
async fn nothing(a: u32) {
    a
}

#[diagnose]
async fn missing() -> u32 {
}

#[diagnose]
async fn semicolon() -> u32 {
    1;
}

#[diagnose]
fn frame() -> u32 {
    "text"
}

fn main() {}
