#![allow(dead_code)]
#![warn(single_use_lifetimes, unused_lifetimes, mismatched_lifetime_syntaxes)]
#[allow(unused_imports)]
use diagnose::diagnose;

use std::borrow::Cow;
use std::fmt::Debug;

#[diagnose]
async fn accepted(text: impl Into<Cow<'_, str>>, value: &(impl Debug + '_)) -> String {
    format!("{}{value:?}", text.into())
}

const fn at(value: &usize) -> usize {
    *value
}

#[diagnose]
async fn constants(chunks: impl Iterator<Item = [u8; at(&const { let one: &usize = &1; *one })]>) -> usize {
    chunks.count()
}

struct Holder<'a>(&'a str);

impl<'a> Holder<'a> {
    #[diagnose]
    async fn hold(&mut self, mut parts: impl Iterator<Item = &str>) {
        self.0 = parts.next().unwrap_or("");
    }
}

fn main() {}
