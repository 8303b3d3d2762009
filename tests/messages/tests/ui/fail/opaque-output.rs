//! An output that lacks what its `impl Trait` promises.

use diagnose::diagnose;

#[diagnose]
async fn wrong_item() -> impl Iterator<Item = u8> {
    vec![1_u16].into_iter()
}

#[diagnose]
async fn no_iterator() -> impl Iterator<Item = u8> {
    7
}

#[diagnose]
async fn inside() -> Result<impl Iterator<Item = u8>, ()> {
    Ok([1_u16].into_iter())
}

fn main() {}
