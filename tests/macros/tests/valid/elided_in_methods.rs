//! Elided lifetimes inside `impl Trait` in arguments of methods.

use std::borrow::Cow;
use std::fmt::Debug;
use std::pin::Pin;

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

struct Store<'a>(&'a str);

#[diagnose]
impl<'a> Store<'a> {
    async fn with(text: impl Into<Cow<'_, str>>) -> usize {
        pause().await;
        text.into().len()
    }

    // What is elided in the result is that of `self`, or of the one reference outside of
    // `impl Trait`.
    async fn get(&self, key: impl Into<Cow<'_, str>>) -> &str {
        pause().await;
        if key.into().len() == 1 { self.0 } else { "" }
    }

    async fn longer(text: &str, parts: impl Iterator<Item = &str>) -> &str {
        pause().await;
        if text.len() > parts.count() { text } else { "" }
    }

    async fn set(&mut self, text: &'a str, log: impl Debug + '_) -> String {
        pause().await;
        self.0 = text;
        format!("{log:?}")
    }

    async fn into(self, parts: impl Iterator<Item = &str>) -> String {
        pause().await;
        parts.collect::<String>() + self.0
    }

    async fn pinned(self: Pin<&mut Self>, key: impl Into<Cow<'_, str>>) -> usize {
        pause().await;
        self.0.len() + key.into().len()
    }
}

struct Plain;

impl Plain {
    #[diagnose]
    async fn join<'b>(&self, first: &'b str, rest: impl Iterator<Item = &str>) -> (&'b str, usize) {
        pause().await;
        (first, rest.count())
    }
}

#[test]
fn a_method_may_elide_lifetimes_inside_impl_trait() {
    let text = String::from("ab");
    let mut store = Store(&text);
    assert_eq!(run(Store::with(&text)), 2);
    assert_eq!(run(store.get("a")), "ab");
    assert_eq!(run(Store::longer(&text, "a b".split('x'))), "ab");
    assert_eq!(run(store.set("abc", &text)), "\"ab\"");
    assert_eq!(run(Pin::new(&mut store).pinned(&text)), 5);
    assert_eq!(run(store.into(text.split('b'))), "aabc");
    assert_eq!(run(Plain.join("x", text.split('b'))), ("x", 2));
}
