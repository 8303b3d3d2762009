#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

use std::borrow::Cow;

#[diagnose]
async fn of_nothing(text: impl Fn() -> &str) -> usize {
    text().len()
}

#[diagnose]
async fn in_a_bound<T: Into<Cow<'_, str>>>(text: T) -> usize {
    text.into().len()
}

fn main() {}
