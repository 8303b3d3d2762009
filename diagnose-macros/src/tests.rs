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

fn expand(source: &str) -> TokenStream {
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

/// Returns what the expansion says about the guard of the only lock in this body.
fn guard_use(body: &str) -> &'static str {
    let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
    let is = |function: &str| expanded.contains(&format!("Site :: {function}"));
    assert!(is("at"), "{expanded}");
    if is("at_staying") {
        "stays"
    } else if is("at_calling") {
        "calls"
    } else if is("at_moving") {
        "moves"
    } else {
        "unknown"
    }
}

#[test]
fn a_guard_that_is_only_used_in_place_stays() {
    for body in [
        "let mut g = self.m.lock().await; g.push(1); other(&g, &mut g).await; drop(g); after().await;",
        "let g = m.lock().await; *g += 1; g.len = 2; g[0] = 1; g.0 = 3; work().await",
        "let _g: Guard<'_, u8> = map[&key].shard(1).m.write().await; g();",
        "let _ = m.lock().await;",
        "let g = m.lock().await; drop((other, g));",
        "let g = m.lock().await; mem::forget(g);",
        "mem::forget(m.lock().await);",
        "drop(permits.acquire().await.unwrap());",
        "m.lock().await;",
        "m.lock().await.push(1).unwrap();",
        "let g = m.lock().await; let n = g.iter().map(|it| it + 1).sum::<u64>(); g.get::<u8>();",
        "m.lock().await.list[0].len()",
        "*m.lock().await += 1;",
        "f(&m.lock().await, &mut *n).await",
        "let permit = permits.acquire_many(2).await.unwrap(); work(n).await; permit.forget();",
        "let Ok(permit) = permits.acquire().await else { return }; println!(\"{permit:?}\"); work().await;",
        "let p = permits.acquire().await?; spawn(async move { run(q).await }); p.num_permits()",
        "if let Ok(permit) = permits.acquire().await { permit.num_permits(); } else { other(permit) }",
        "match permits.acquire().await { Ok(p) => work(&p).await, Err(_) => {} }",
        "let g = m.lock().await; for x in g.iter() { send(x).await; }",
        "let g = m.lock().await; let f = move || other; g.send(f).await; h.g(1); S { g: 1 };",
        "let g = m.lock().await; select! { () = left => g.push(1), _ = right => drop(g) }",
        "let g = m.lock().await; let read = async { g.len() }; read.await",
        "while let Ok(p) = permits.acquire().await { p.num_permits(); }",
        "let g = { m.lock().await }; g.push(1)",
        "let g = if urgent { log(); m.lock().await } else { return }; g.push(1)",
        "let g = match kind { Kind::A => m.lock().await, Kind::B => return }; g.push(1); drop(g);",
        "let g = unsafe { m.lock().await }; std::mem::drop(g);",
        "let g = m.lock().await; info!(%id, \"{}\", g.len()); assert!(g.is_empty());",
    ] {
        assert_eq!(guard_use(body), "stays", "{body}");
    }
}

/// A method that had taken it would not leave it for the later statement.
#[test]
fn a_guard_that_is_used_after_an_unknown_method_stays() {
    for body in [
        "let mut g = m.lock().await; g.run(job).await; g.push(1);",
        "let mut g = m.lock().await; if urgent { g.run(job); g.len(); } other.g = 1; *g += 1;",
        "let g = m.lock().await; g.run(); work().await; drop(g);",
        "let g = m.lock().await; g.run(); for x in 0..9 { info!(\"{}\", g.len()); }",
    ] {
        assert_eq!(guard_use(body), "stays", "{body}");
    }
}

#[test]
fn a_guard_whose_last_method_is_unknown_is_called_upon() {
    for body in [
        "let g = m.lock().await; g.run(job).await;",
        "m.lock().await.run(job).await;",
        "m.lock().await.map(|it| it + 1);",
        "let g = m.lock().await; g.push(1); g.collect::<u8>();",
        "let mut g = m.lock().await; g.run(job); g = m.lock().await; g.push(1);",
        "let g = m.lock().await; g.run(job); let g = 1; g.push(1);",
        "let g = m.lock().await; g.run(job); other.g.push(1);",
        "let g = m.lock().await; if urgent { g.run(job); } else { g.push(1); }",
        "let g = m.lock().await; g.run(job); if let Some(&g) = other { g.push(1); }",
        "while let Ok(g) = timeout(d, m.lock()).await { g.run(job); }",
        "let g = lock_it(&m).await; g.run(job);",
        "match m.lock().await { g => g.run(job) }",
    ] {
        assert_eq!(guard_use(body), "calls", "{body}");
    }
}

#[test]
fn a_guard_that_may_be_handed_on_moves() {
    for body in [
        "let g = m.lock().await; tokio::spawn(async move { work().await; drop(g) });",
        "let g = m.lock().await; tokio::spawn(run(g));",
        "let g = m.lock().await; work().await; *SLOT.lock().unwrap() = Some(g);",
        "let g = m.lock().await; thread::spawn(move || println!(\"{g}\"));",
        "let g = m.lock().await; let h = g;",
        "let g = m.lock().await; return g;",
        "let g = m.lock().await; tx.send(g).await;",
        "let g = m.lock().await; Guard::map(g, |it| &mut it.x);",
        "let mut g = m.lock().await; let h = mem::replace(&mut g, other);",
        "let g = m.lock().await; match g { h => keep(h) }",
        "let g = m.lock().await; spawn!(g);",
        "let g = m.lock().await; vec![g];",
        "let g = m.lock().await; tokio::spawn(async { work().await; drop(g) });",
        "let g = m.lock().await; let f = || drop(g); keep(f);",
        "let g = m.lock().await; slot.drop(g);",
        "let p = permits.acquire().await.context(\"closed\")?; keep(p);",
        "let p = permits.acquire().await.unwrap_or_else(stop); keep(p);",
        "let p = permits.acquire().await; let q = p.context(\"closed\")?;",
        "let p = permits.acquire().await?; let half = p.split(1);",
        "let g = m.lock().await; select! { () = left => keep(g), _ = right => {} }",
        "let p = permits.acquire().await; p.map(|permit| keep(permit));",
        "let p = permits.acquire().await; let q = p.unwrap();",
        "if let Ok(p) = permits.acquire().await { keep(p); }",
        "match permits.acquire().await { Ok(p) => keep(p), Err(_) => {} }",
        "permits.acquire().await.map(keep);",
        "keep(m.lock().await);",
        "let pair = (m.lock().await, 1);",
        "let g; g = m.lock().await;",
        "self.guard = m.lock().await;",
        "let g = { m.lock().await }; keep(g);",
        "let g = if urgent { m.lock().await } else { return }; keep(g);",
        "let g = match kind { Kind::A => m.lock().await, Kind::B => return }; keep(g);",
        "let g = loop { break m.lock().await };",
        "let G = m.lock().await; keep(G);",
        "let g = m.write().await.downgrade(); keep(g);",
        "let g = m.write().await; let r = g.downgrade(); keep(r);",
        "let g = &mut m.lock().await; let h = mem::replace(g, other);",
        "let g = m.lock().await; background!({ work().await; drop(g); });",
        "let g = m.lock().await; background!(\"{g}\");",
        "let g = m.lock().await; background::drop(g);",
        "background::drop(m.lock().await);",
        "let Ok(g) = timeout(d, m.lock()).await else { return }; keep(g);",
        "let g = timeout(d, m.lock()).await.ok();",
        "let g = timeout(d, m.lock()).await?; keep(g);",
        "let g = m.lock().map(Some).await; keep(g);",
        "let g = locked!(m).await; keep(g);",
        "let f = async { m.lock().await };",
        "let g = wrap(m.acquire()).read().await; g.push(1);",
        "let g = retry!(m.lock().await);",
        "let g = lock_it(&m).await; keep(g);",
        "let Ok(g) = lock_it(&m).await else { return }; g.push(1);",
        "let g = m.lock().await; g.pipe(keep);",
        "let g = m.lock().await; g.run(); keep(g);",
        "m.lock().await.pipe(keep);",
        "let mut g = join_all([a.lock(), b.lock()]).await; held.append(&mut g);",
        "let mut g = join_all([a.lock(), b.lock()]).await; keep(g.pop());",
        "let mut g = timeout(d, m.lock()).await; keep(g.take()); g.run();",
        "let mut p = permits.acquire_many(2).await?; halve(&mut p);",
    ] {
        assert_eq!(guard_use(body), "moves", "{body}");
    }
}

#[test]
fn of_a_guard_that_is_returned_or_acquired_elsewhere_nothing_is_known() {
    for body in [
        "let g = m.lock().await; Holder { g }",
        "let g = m.lock().await; Holder { guard: g }",
        "let g = m.lock().await; (1, g)",
        "let g = m.lock().await; g",
        "m.lock().await",
        "return m.lock().await;",
        "if urgent { m.lock().await } else { return }",
        "match urgent { true => m.lock().await, false => return }",
        // The guard is not acquired by the await itself.
        "let g = lock_it(&m).await; g.push(1);",
        "let g = lock_it(&m).await?; g.push(1); drop(g);",
        "let mut open = open(&m).await; *open += 1;",
        "let g = wrap(m.lock()).read().await; g.push(1);",
        "let g = timeout(d, m.lock()).await; g.is_ok();",
        "let Ok(g) = timeout(d, m.lock()).await else { return }; g.push(1);",
        "let g = timeout(d, m.lock()).await?; g.push(1);",
    ] {
        assert_eq!(guard_use(body), "unknown", "{body}");
    }
}

/// The returned future may await the block, and move the guard that it returns.
#[test]
fn a_guard_of_a_block_beside_the_returned_future_moves() {
    let body = "let rows = async { m.lock().await }; async move { keep(rows.await) }";
    let expanded =
        expand(&format!("#[diagnose] fn f() -> impl Future<Output = ()> {{ {body} }}")).to_string();
    assert!(expanded.contains("at_moving (& __DIAGNOSE_BODY . site , \"m.lock().await\""), "{expanded}");
}

#[test]
fn an_arm_of_a_select_keeps_its_guard_if_the_handler_does() {
    let arms = |handler: &str| {
        let body = format!("tokio::select! {{ g = m.lock() => {handler} _ = other() => {{}} }}");
        expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string().matches(". staying ()").count()
    };
    assert_eq!(arms("{ g.push(1); work().await; }"), 1);
    assert_eq!(arms("{ tokio::spawn(run(g)); }"), 0);
    assert_eq!(arms("{ g.run(); }"), 0);
}

#[test]
fn what_becomes_of_the_values_of_a_join_is_known_of_its_arms() {
    let arms = |rest: &str| {
        let body = format!("let (a, b) = tokio::join!(m.lock(), timeout(d, n.lock())); {rest}");
        let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
        [". staying ()", ". moving ()"].map(|mark| expanded.matches(mark).count())
    };
    assert_eq!(arms("a.push(1);"), [1, 0], "a timeout may move its guard");
    assert_eq!(arms("keep(a);"), [0, 2]);
}

#[test]
fn an_arm_of_a_select_that_is_no_lock_itself_may_have_its_guard_moved() {
    let arms = |handler: &str| {
        let body = format!("tokio::select! {{ g = timeout(d, m.lock()) => {handler} _ = other() => {{}} }}");
        let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
        [". staying ()", ". moving ()"].map(|mark| expanded.matches(mark).count())
    };
    assert_eq!(arms("{ work().await }"), [0, 0]);
    assert_eq!(arms("{ keep(g) }"), [0, 1]);
}
