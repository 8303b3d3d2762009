#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn some(Some(a): Option<u32>) -> u32 {
    a
}

fn main() {}
