//! Tests of the macro's output, as source text.
//!
//! Each `tests/*.rs` is a function with its attribute; `tests/*.expanded.rs` is its expansion. A
//! missing expansion is written, and the test fails. After an intended change, delete the old ones,
//! run each test, and read them.

use std::path::{Path, PathBuf};
use std::{fs, iter};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::item::diagnose;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tests")
}

pub(crate) fn expand(source: &str) -> TokenStream {
    let mut tokens = source.parse::<TokenStream>().unwrap().into_iter().skip(1);
    let Some(TokenTree::Group(attribute)) = tokens.next() else { panic!("no attribute: {source}") };
    let arguments = attribute.stream().into_iter().find_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => Some(group.stream()),
        _ => None,
    });
    diagnose(arguments.unwrap_or_default(), tokens.collect())
}

#[test]
fn expansions_match_the_expanded_files() {
    let mut sources: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| !path.to_str().unwrap().ends_with(".expanded.rs"));
    sources.sort();
    assert!(!sources.is_empty());
    for source in sources {
        let expanded = expand(&fs::read_to_string(&source).unwrap());
        let text = prettyplease::unparse(&syn::parse2(expanded).unwrap());
        let golden = source.with_extension("expanded.rs");
        match fs::read_to_string(&golden) {
            Ok(expected) => assert_eq!(text, expected, "{}", source.display()),
            Err(_) => {
                fs::write(&golden, text).unwrap();
                panic!("{} was missing and is written now, read it", golden.display());
            }
        }
    }
}

#[test]
fn the_body_is_expanded_once() {
    let expanded =
        expand("#[diagnose] async fn f(a: u32, (b, c): (u32, u32)) -> u32 { marker(a + b + c) }").to_string();
    assert_eq!(expanded.matches("marker").count(), 1, "{expanded}");
}

/// Returns the text that is shown for an expression.
fn text(source: &str) -> String {
    let tokens = source.parse::<TokenStream>().unwrap();
    crate::text::of(crate::text::without_attributes(tokens.into_iter()).collect())
}

#[test]
fn the_text_of_an_await_is_one_short_line() {
    assert_eq!(text("store.get( key )?.await"), "store.get( key )?.await");
    assert_eq!(text("store\n    .get(key)\n    ?\n    .await"), "store.get(key)?.await");
    assert_eq!(text("get(\n    a,\n    b,\n).await"), "get(a, b).await");
    assert_eq!(text("with(|a| { a }, |a| {\n    a\n}).await"), "with(|a| { a }, |a| {…}).await");
    assert_eq!(text("get(\"a\nb\").await"), "get(\"…\").await");
    assert_eq!(text("#[cfg(a)] get(c).await"), "get(c).await");
    let long = format!("store.get({}).await", "key, ".repeat(40));
    let cut = text(&long);
    assert_eq!(cut.chars().count(), 80);
    assert!(
        cut.starts_with("store.get(key, ") && cut.contains('…') && cut.ends_with("key, ).await"),
        "{cut}"
    );
}

/// Returns all tokens before the braces of a function's body, as text.
fn head(tokens: TokenStream) -> String {
    let is_body =
        |token: &TokenTree| matches!(token, TokenTree::Group(it) if it.delimiter() == Delimiter::Brace);
    tokens.into_iter().take_while(|token| !is_body(token)).collect::<TokenStream>().to_string()
}

/// An editor asks for completions in unfinished bodies. The function must still be emitted for
/// that.
#[test]
fn a_half_written_function_survives_as_it_is() {
    for body in [
        "key.",
        "if 1",
        "let x =",
        "match key { 1 => }",
        "key.await.",
        "#[diagnose] async",
        "f(key,, 1)",
        "&",
    ] {
        let source = format!("async fn f(key: u32) -> u32 {{ {body} }}");
        let expanded = expand(&format!("#[diagnose(name = \"a\")] {source}"));
        assert_eq!(expanded.to_string(), source.parse::<TokenStream>().unwrap().to_string());
    }
}

#[test]
fn an_item_survives_half_written_arguments() {
    for arguments in ["name", "name =", "name = \"a\" la", "label = \"{a", "nam", "crate = my::", "="] {
        let Ok(_) = arguments.parse::<TokenStream>() else { continue };
        let source = format!("#[diagnose({arguments})] pub async fn f(key: u32) -> u32 {{ key }}");
        let expanded = expand(&source);
        assert_eq!(head(expanded.clone()), head("pub async fn f(key: u32) -> u32 {}".parse().unwrap()));
        assert_eq!(expanded.to_string().matches("compile_error").count(), 1, "{arguments}");
    }
}

#[test]
fn a_refused_item_comes_back_with_one_error_and_without_attributes_inside() {
    for source in [
        "#[diagnose(wrong)] async fn f() { #[diagnose] async {}.await; join!(#[diagnose] async {}) }",
        "#[diagnose] const fn f() { #[diagnose] let a = 1; }",
        "#[diagnose] async fn f() { #[diagnose] (async {}).await }",
        "#[diagnose] async fn f() { #[diagnose] 1 + 2; }",
        "#[diagnose] async fn f() { match 1 { #[diagnose] _ => {} } }",
        "#[diagnose] async fn f() { #[diagnose] println!(); }",
        "#[diagnose] async fn f() { #[diagnose] for _ in [1] {} }",
        "#[diagnose] async fn f() { let a = A { #[diagnose] b: 1 }; }",
    ] {
        let expanded = expand(source).to_string();
        assert_eq!(expanded.matches("compile_error").count(), 1, "{expanded}");
        assert!(!expanded.contains("# [diagnose"), "{expanded}");
    }
}

#[test]
fn a_skipped_item_comes_back_without_attributes_inside() {
    let expanded =
        expand("#[diagnose(skip)] async fn f() { let a = #[diagnose(all wrong)] async {}; a.await }");
    let bare = "async fn f() { let a = async {}; a.await }".parse::<TokenStream>().unwrap();
    assert_eq!(expanded.to_string(), bare.to_string());
}

#[test]
fn attributes_of_items_in_the_body_stay() {
    let expanded = expand("#[diagnose] async fn f() { #[diagnose] async fn g() {} g().await }").to_string();
    assert!(expanded.contains("# [diagnose] async fn g"), "{expanded}");
}

#[test]
fn attributes_that_may_look_for_async_find_it() {
    for attribute in
        ["tokio::main", "must_use", "cfg_attr(test, tokio::test)", "instrument", "cfg_attr(a, inline, b)"]
    {
        let expanded = expand(&format!("#[diagnose] #[{attribute}] async fn f() {{}}")).to_string();
        assert!(expanded.contains("async fn f ()"), "{expanded}");
    }
    let harmless =
        ["doc = \"a\"", "allow(unused)", "cfg_attr(docsrs, doc(cfg(a)), inline)", "cfg(all())", "inline"];
    for attribute in harmless.into_iter().chain(iter::once("clippy::msrv = \"1\"")) {
        let expanded = expand(&format!("#[diagnose] #[{attribute}] async fn f() {{}}")).to_string();
        assert!(!expanded.contains("async fn"), "{expanded}");
    }
}

#[test]
fn what_becomes_of_the_values_of_a_join_is_known_of_its_arms() {
    let arms = |rest: &str| {
        let body = format!("let (a, b) = tokio::join!(m.lock(), timeout(d, n.lock())); {rest}");
        let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
        [". used (b's'", "b'm')"].map(|mark| expanded.matches(mark).count())
    };
    assert_eq!(arms("a.push(1);"), [1, 0], "a timeout may move its guard");
    assert_eq!(arms("keep(a);"), [0, 2]);
}

#[test]
fn an_arm_of_a_select_that_is_no_lock_itself_may_have_its_guard_moved() {
    let arms = |handler: &str| {
        let body = format!("tokio::select! {{ g = timeout(d, m.lock()) => {handler} _ = other() => {{}} }}");
        let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
        [". used (b's'", "b'm')"].map(|mark| expanded.matches(mark).count())
    };
    assert_eq!(arms("{ work() }"), [0, 0]);
    assert_eq!(arms("{ keep(g) }"), [0, 1]);
}

#[test]
fn only_the_block_that_is_driven_is_the_functions_own() {
    let n_blocks = |body: &str| {
        expand(&format!("#[diagnose] fn f() {{ {body} }}")).to_string().matches("SiteKind :: Block").count()
    };
    for own in [
        "rt.block_on(async { g().await })",
        "let a = async { g().await }; let a = a; tokio::pin!(a); let a: Pin<&mut F> = a; { return rt.block_on(a) }",
        "let a = async { g().await }; println!(); if let Err(error) = block_on(a) { eprintln!(); }",
    ] {
        assert_eq!(n_blocks(own), 0, "{own}");
    }
    for other in [
        "rt.block_on(wrap(async { g().await }))",
        "let a = async { g().await }; let a = wrap(a); rt.block_on(a)",
        "let a = async { g().await }; let (a, b) = wrap(a); rt.block_on(a)",
        "let a = async { g().await }; let a = { let a = wrap(a); a }; rt.block_on(a)",
        "let a = async { g().await }; { let a = wrap(a); rt.block_on(a) }",
        "let a = async { g().await }; rt.block_on(b)",
        "let a = #[diagnose] async { g().await }; rt.block_on(a)",
    ] {
        assert_eq!(n_blocks(other), 1, "{other}");
    }
}
