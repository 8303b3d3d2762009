#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn fallible() -> Result<(), ()> {
    Ok(())
}

#[must_use]
#[diagnose]
async fn above() -> u32 {
    1
}

#[diagnose]
#[must_use]
async fn below() -> u32 {
    1
}

async fn caller() {
    fallible();
    fallible().await;
    above();
    above().await;
    below();
    below().await;
}

fn main() {}
