//! Elided lifetimes inside `impl Trait` in arguments of trait methods.

// A trait and its impl agree, whichever of the two is annotated.
use std::borrow::Cow;
use std::fmt::Debug;

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

trait Bare {
    async fn get<'a: 'a>(
        &self,
        key: impl Into<Cow<'_, str>>,
        other: &'a str,
        parts: impl Iterator<Item = &str> + '_,
    ) -> &'a str;
}

#[diagnose]
trait Timed {
    async fn get<'a: 'a>(
        &self,
        key: impl Into<Cow<'_, str>>,
        other: &'a str,
        parts: impl Iterator<Item = &str> + '_,
    ) -> &'a str {
        pause().await;
        if key.into().len() == parts.count() { other } else { "" }
    }

    async fn show(&self, value: impl Debug + '_) -> String;
}

struct A;
struct B;

#[diagnose]
impl Bare for A {
    async fn get<'a: 'a>(
        &self,
        key: impl Into<Cow<'_, str>>,
        other: &'a str,
        parts: impl Iterator<Item = &str> + '_,
    ) -> &'a str {
        pause().await;
        if key.into().len() == parts.count() { other } else { "" }
    }
}

#[diagnose]
impl Timed for A {
    async fn show(&self, value: impl Debug + '_) -> String {
        pause().await;
        format!("{value:?}")
    }
}

impl Timed for B {
    async fn get<'a: 'a>(
        &self,
        _: impl Into<Cow<'_, str>>,
        other: &'a str,
        _: impl Iterator<Item = &str> + '_,
    ) -> &'a str {
        other
    }

    async fn show(&self, value: impl Debug + '_) -> String {
        format!("{value:?}!")
    }
}

#[test]
fn a_trait_method_may_elide_lifetimes_inside_impl_trait() {
    let text = String::from("ab");
    assert_eq!(run(Bare::get(&A, &text, "x", text.split('b'))), "x");
    assert_eq!(run(Timed::get(&A, &text, "x", text.split('b'))), "x");
    assert_eq!(run(A.show(&text)), "\"ab\"");
    assert_eq!(run(Timed::get(&B, &text, "x", text.split('b'))), "x");
    assert_eq!(run(B.show(&text)), "\"ab\"!");
}
