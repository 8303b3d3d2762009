//! Elided lifetimes inside `impl Trait` in arguments of functions.

use std::borrow::Cow;
use std::fmt::Debug;

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

#[diagnose]
async fn in_a_path(text: impl Into<Cow<'_, str>>) -> usize {
    pause().await;
    text.into().len()
}

#[diagnose]
async fn a_reference(parts: impl Iterator<Item = &str>) -> String {
    pause().await;
    parts.collect()
}

#[diagnose]
async fn a_mutable_reference(parts: impl IntoIterator<Item = &mut u32>) {
    pause().await;
    parts.into_iter().for_each(|part| *part += 1);
}

#[diagnose]
async fn a_bound(value: impl Debug + '_) -> String {
    pause().await;
    format!("{value:?}")
}

#[diagnose]
async fn behind_a_reference(value: &(impl Debug + '_), values: &[impl AsRef<[&str]>]) -> String {
    pause().await;
    format!("{value:?} {}", values.iter().map(|it| it.as_ref().concat()).collect::<String>())
}

#[diagnose]
async fn in_another_type(parts: Option<impl Iterator<Item = &str>>) -> usize {
    pause().await;
    parts.map_or(0, Iterator::count)
}

#[diagnose]
async fn nested(parts: impl Iterator<Item = impl Into<Cow<'_, str>>>) -> String {
    pause().await;
    parts.map(Into::into).collect::<Vec<Cow<'_, str>>>().concat()
}

#[diagnose]
async fn in_a_trait_object(value: impl Into<Box<dyn Debug + '_>>) -> String {
    pause().await;
    format!("{:?}", value.into())
}

#[diagnose]
async fn of_a_function(
    f: impl Fn(&str) -> &str + '_,
    g: impl for<'a> Fn(&'a str, fn(&str) -> &str) -> &'a str,
) -> usize {
    pause().await;
    f("a ").len() + g(" b", str::trim).len()
}

#[diagnose]
async fn several(
    (a, b): (impl Iterator<Item = (&str, Cow<'_, str>)>, impl Debug + '_),
    other: &str,
) -> String {
    pause().await;
    a.map(|(x, y)| format!("{x}{y}")).collect::<String>() + &format!("{b:?}{other}")
}

#[diagnose]
async fn beside_parameters<'a: 'a, T: Debug, const N: usize>(
    first: &'a str,
    values: [T; N],
    text: impl Into<Cow<'_, str>>,
) -> &'a str {
    pause().await;
    if values.len() == text.into().len() { first } else { "" }
}

macro_rules! cow {
    () => { Cow<'_, str> };
}

#[diagnose]
async fn in_a_macro(text: impl Into<cow!()>) -> usize {
    pause().await;
    text.into().len()
}

macro_rules! with_type {
    ($name:ident, $type:ty) => {
        #[diagnose]
        async fn $name(text: impl Into<$type>) -> usize {
            pause().await;
            text.into().len()
        }
    };
}
with_type!(from_a_macro, Cow<'_, str>);

#[test]
fn a_function_may_elide_lifetimes_inside_impl_trait() {
    let text = String::from("ab");
    let mut numbers = [1, 2];
    assert_eq!(run(in_a_path(&text)), 2);
    assert_eq!(run(a_reference(text.split('a'))), "b");
    run(a_mutable_reference(&mut numbers));
    assert_eq!(numbers, [2, 3]);
    assert_eq!(run(a_bound(&text)), "\"ab\"");
    assert_eq!(run(behind_a_reference(&text, &[[text.as_str()]])), "\"ab\" ab");
    assert_eq!(run(in_another_type(Some(text.split('a')))), 2);
    assert_eq!(run(nested([text.as_str()].into_iter())), "ab");
    assert_eq!(run(in_a_trait_object(Box::new(&text) as Box<dyn Debug + '_>)), "\"ab\"");
    assert_eq!(run(of_a_function(str::trim, |text, f| f(text))), 2);
    assert_eq!(run(several(([(&*text, Cow::from(&*text))].into_iter(), &text), "c")), "abab\"ab\"c");
    assert_eq!(run(beside_parameters("x", [1, 2], &text)), "x");
    assert_eq!(run(beside_parameters::<'_, '_, u8, 2>("x", [1, 2], "")), "");
    assert_eq!(run(in_a_macro(&text)), 2);
    assert_eq!(run(from_a_macro(&text)), 2);
}
