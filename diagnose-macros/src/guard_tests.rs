//! What the expansion says about the use of guards.

use crate::tests::expand;

/// Returns what the expansion says about the only lock in this body: if the guard is the value of
/// the await, and if it is inside of that.
fn value_use(body: &str) -> (&'static str, &'static str) {
    let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
    assert!(expanded.contains("Site :: at"), "{expanded}");
    let letters: Vec<_> = expanded.split(". used (b'").skip(1).map(|rest| &rest[..8]).collect();
    let use_of = |letter| match letter {
        "r" => "returned",
        "s" => "stays",
        "c" => "calls",
        "m" => "moves",
        _ => "unknown",
    };
    let said = letters.iter().find(|said| !said.starts_with("m' , b'm")).or(letters.first());
    said.map_or(("unknown", "unknown"), |said| (use_of(&said[..1]), use_of(&said[7..])))
}

/// Returns what it says about a guard that the await itself acquires, or else about one inside.
fn guard_use(body: &str) -> &'static str {
    match value_use(body) {
        ("unknown", inside) => inside,
        (itself, _) => itself,
    }
}

#[test]
fn a_guard_that_is_only_used_in_place_stays() {
    for body in [
        "let mut g = self.m.lock().await; g.push(1); other(&g, &mut *g).await; drop(g); after().await;",
        "let g = m.lock().await; *g += 1; g.len = 2; g[0] = 1; g.0 = 3; work().await",
        "let _g: Guard<'_, u8> = map[&key].shard(1).m.write().await; g();",
        "let _ = m.lock().await;",
        "let g = m.lock().await; drop((other, g));",
        "let g = m.lock().await; drop(Some(g));",
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
        "let g = m.lock().await; if n * *g > 1 { stop() } *g += n & g.len(); if *g > n { return *g; }",
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
        "match m.lock().await { g => g.run(job) }",
        "let mut p = permits.acquire_many(2).await?; halve(&mut p);",
        "let mut g = m.lock().await; other(&mut g).await; drop(g);",
        "let mut g = m.lock().await; other(g.borrow_mut()).await; drop(g);",
    ] {
        assert_eq!(guard_use(body), "calls", "{body}");
    }
}

#[test]
fn a_guard_that_may_be_handed_on_moves() {
    for body in [
        "let g = m.lock().await; tokio::spawn(async move { work().await; drop(g) });",
        "let g = m.lock().await; tokio::spawn(run(g));",
        "let g = m.lock().await; drop(spawn(run(g)));",
        "let g = m.lock().await; drop((keep(g), 1));",
        "let g = m.lock().await; work().await; *SLOT.lock().unwrap() = Some(g);",
        "let g = m.lock().await; thread::spawn(move || println!(\"{g}\"));",
        "let g = m.lock().await; let h = g;",
        "let g = m.lock().await; return g;",
        "let g = m.lock().await; tx.send(g).await;",
        "let g = m.lock().await; Guard::map(g, |it| &mut it.x);",
        "let mut g = m.lock().await; let h = mem::replace(&mut g, other);",
        "let mut g = m.lock().await; let r: &mut Guard = g.borrow_mut(); swap(r); drop(g);",
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
        "let G: Guard<'static, u8> = m.lock().await; keep(G);",
        "match m.lock().await { G @ _ => keep(G) }",
        "let g = m.write().await.downgrade(); keep(g);",
        "let g = m.write().await; let r = g.downgrade(); keep(r);",
        "let g = &mut m.lock().await; let h = mem::replace(g, other);",
        "let g = m.lock().await; background!({ work().await; drop(g); });",
        "let g = m.lock().await; background!(\"{g}\");",
        "let g = m.lock().await; background::drop(g);",
        "let g = m.lock().await; slot * g;",
        "let g = m.lock().await; work().await; keep(self.slots[0] & g);",
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
        "let t = { let g = m.lock().await; Tx { g, n: 1 } }; keep(t.g);",
        "let mut o = if need { let g = m.lock().await; Some(g) } else { None }; keep(o.take());",
        "let r#guard = m.lock().await; keep(guard);",
        "let (G, n) = timeout(d, m.lock()).await.unwrap(); keep(G);",
        "let g = m.lock().await; forget(g);",
        "let o = lock_it(&m).await; keep(o.unwrap());",
        "let g = m.lock().await; g.pipe(keep);",
        "let t = begin(&m).await?; keep(t.clone());",
        "let t = begin(&m).await?; keep(t.into_guard());",
        "let mut t = begin(&m).await?; keep(t[0].take());",
        "let mut t = begin(&m).await?; keep(t.rows[0][1].take());",
        "keep(begin(&m).await.guard);",
        "keep(begin(&m).await[0].take());",
        "let g = m.lock().await; g.run(); keep(g);",
        "m.lock().await.pipe(keep);",
        "let mut g = join_all([a.lock(), b.lock()]).await; keep(g.pop());",
        "let mut g = timeout(d, m.lock()).await; keep(g.take()); g.run();",
    ] {
        assert_eq!(guard_use(body), "moves", "{body}");
    }
}

#[test]
fn a_guard_that_is_the_value_of_the_body_is_returned() {
    for body in [
        "let g = m.lock().await; Holder { g }",
        "let g = m.lock().await; Holder { guard: g }",
        "let g = m.lock().await; (1, g)",
        "let g = m.lock().await; g",
        "m.lock().await",
        "return m.lock().await;",
        "if urgent { m.lock().await } else { return }",
        "match urgent { true => m.lock().await, false => return }",
    ] {
        assert_eq!(value_use(body).1, "returned", "{body}");
    }
}

#[test]
fn of_a_guard_that_is_acquired_elsewhere_nothing_is_known() {
    for body in [
        "let g = lock_it(&m).await; g.push(1);",
        "let g = lock_it(&m).await?; g.push(1); drop(g);",
        "let mut open = open(&m).await; *open += 1;",
        "let g = wrap(m.lock()).read().await; g.push(1);",
        "let g = timeout(d, m.lock()).await; g.is_ok();",
        "let Ok(g) = timeout(d, m.lock()).await else { return }; g.push(1);",
        "let g = timeout(d, m.lock()).await?; g.push(1);",
        "while let Ok(g) = timeout(d, m.lock()).await { g.run(job); }",
        "let g = lock_it(&m).await; g.run(job);",
        "let t = begin(&m).await?; let number = t.inner.number; save(number).await;",
        "let t = begin(&m).await?; save(&t.slot);",
        "let t: Tx<'_> = begin(&m).await; t.close();",
        "let t = begin(&m).await?; t.close();",
        "let t = begin(&m).await?; t.rows[0].as_mut().unwrap().run();",
        "save(&begin(&m).await);",
        "*begin(&m).await += 1;",
        "let mut g = join_all([a.lock(), b.lock()]).await; held.append(&mut g);",
    ] {
        assert_eq!(guard_use(body), "unknown", "{body}");
    }
}

#[test]
fn a_guard_inside_a_value_moves_with_a_field_or_a_closure() {
    for body in [
        "let t = begin(&m).await; spawn(run(t.guard));",
        "let t = begin(&m).await?; let f = || t.inner.guard; spawn(run(f));",
        "let t = begin(&m).await?; match n { 0 => t.guard, _ => other }",
        "let t = begin(&m).await; spawn(run(t.0, 1));",
        "let t = begin(&m).await; match t.guard { g => spawn(run(g)) };",
        "let t = begin(&m).await; spawn(run(Held { id: 2, ..t }));",
        "let release = begin(&m).await; release();",
        "let release = begin(&m).await; spawn(release(1));",
        "let mut g = m.lock().await; let r = &mut g; spawn(run(mem::replace(r, other)));",
    ] {
        assert_eq!(guard_use(body), "moves", "{body}");
    }
    for body in [
        "let mut t = begin(&m).await; t.count += 1; t.rows[0] = t.count + 1; let n = t.count as u64;",
        "let mut t = begin(&m).await; t.guard.push(1); *t.guard += 1; info!(\"{}\", t.id); drop(t);",
        "let t = begin(&m).await; if t.is_new { save().await; }",
        "let commit = begin(&m).await; commit().await;",
        "let t = begin(&m).await; total += t.count; if total > t.limit { total = 1 - t.count; }",
    ] {
        assert_eq!(guard_use(body), "unknown", "{body}");
    }
    let body = "let mut g = m.lock().await; let rows = &mut *g; save(g.id, &g);";
    assert_eq!(guard_use(body), "stays", "{body}");
}

#[test]
fn a_guard_that_a_combinator_hands_to_a_function_moves() {
    for body in [
        "m.lock().map(|g| keep(g)).await;",
        "(m.lock().then(keep)).await;",
        "permits.acquire().map_err(|e| log(e)).await;",
        "self.m.lock().boxed().then(|mut g| async move { keep(g) }).named(\"x\").await;",
        "stream::iter(all).then(|m| m.lock()).for_each(|g| async { keep(g) }).await;",
    ] {
        assert_eq!(value_use(body), ("unknown", "moves"), "{body}");
    }
    for body in [
        "m.lock().map(|_| ()).await;",
        "m.lock().named(name).await;",
        "join_all(all.iter().map(|m| m.lock())).await;",
        "select(m.lock(), n.iter().map(|it| it + 1)).await;",
    ] {
        assert_ne!(value_use(body).1, "moves", "{body}");
    }
}

/// The returned future may await the block, and move the guard that it returns.
#[test]
fn a_guard_of_a_block_beside_the_returned_future_moves() {
    let body = "let rows = async { m.lock().await }; async move { keep(rows.await) }";
    let expanded =
        expand(&format!("#[diagnose] fn f() -> impl Future<Output = ()> {{ {body} }}")).to_string();
    let (_, rest) = expanded.split_once("\"m.lock().await\"").unwrap();
    assert!(rest.split_once(')').unwrap().1.starts_with(" . used (b'm' , b'm')"), "{expanded}");
}

#[test]
fn an_arm_of_a_select_keeps_its_guard_if_the_handler_does() {
    let arms = |handler: &str| {
        let body = format!("tokio::select! {{ g = m.lock() => {handler} _ = other() => {{}} }}");
        expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string().matches(". used (b's'").count()
    };
    assert_eq!(arms("{ g.push(1); work().await; }"), 1);
    assert_eq!(arms("{ tokio::spawn(run(g)); }"), 0);
    assert_eq!(arms("{ g.run(); }"), 0);
}

/// A type of the program may have a method of any name, an operator and a destructor.
#[test]
fn a_guard_in_the_value_of_a_block_is_at_most_called_upon() {
    for body in [
        "let t = { let g = m.lock().await; Tx { g, n: 1 } }; let g = t.g; keep(g);",
        "let t = { let g = m.lock().await; (g, 1) }; let g = t.0; keep(g);",
        "let t = { let g = m.lock().await; Tx { g } }; t.close();",
        "{ let g = m.lock().await; Tx { g } }.close();",
        "let t = { let g = m.lock().await; Tx { g } }; all += t.g;",
        "let t = { let g = m.lock().await; Tx { g } }; drop(t);",
        "let mut o = { let g = m.lock().await; Some(g) }; refill(o.as_mut());",
        "let g = { let mut g = m.lock().await; refill(&mut g); g }; g.push(1);",
    ] {
        assert_eq!(value_use(body).0, "calls", "{body}");
    }
    for body in [
        "let t = { let g = m.lock().await; Tx { n: 1, ..begin(g) } }; info!(\"{}\", t.n);",
        "let t = { let g = m.lock().await; Tx { g } }; keep(t);",
        "let mut p = { let p = s.acquire_many(2).await.unwrap(); p }; let half = p.split(1); keep(half); drop(p);",
        "let mut p = { let p = s.acquire_many(2).await; p }.unwrap(); let half = p.split(1); keep(half); drop(p);",
        "let mut p = if a { p } else { s.acquire_many(2).await? }; let half = p.split(1); keep(half); drop(p);",
        "let mut p = match a { 0 => { p } _ => s.acquire_many(2).await? }; let half = p.split(1); keep(half); drop(p);",
    ] {
        assert_eq!(value_use(body).0, "moves", "{body}");
    }
    let body = "let g = { let g = m.lock().await; g.push(1); g }; g.push(2);";
    assert_eq!(value_use(body).0, "stays", "{body}");
}

#[test]
fn a_use_that_is_not_compiled_or_not_reached_does_not_count() {
    for later in [
        "#[cfg(miri)] drop(g);",
        "#[cfg_attr(miri, cfg(test))] g.push(1);",
        "#[cfg(miri)] { g.push(1); }",
        "{ #![cfg(miri)] g.push(1); }",
        "if old { #[cfg(miri)] drop(g); }",
        "return; drop(g);",
        "work().await; loop { work().await; } drop(g);",
        "panic!(\"closed\"); drop(g);",
        "{ continue; drop(g); }",
        "config::g.push(1);",
        "info!(g.count = 3, \"committed\");",
    ] {
        let body = format!("let g = m.lock().await; g.run(); {later}");
        assert_eq!(value_use(&body).0, "calls", "{body}");
    }
    for unknown in ["macro_rules! last { () => { g.push(1) } }", "cfg_if! { if #[cfg(miri)] { g.push(1); } }"]
    {
        let body = format!("let g = m.lock().await; g.run(); {unknown}");
        assert_eq!(value_use(&body).0, "moves", "{body}");
    }
    let body = "let g = m.lock().await; return g.run(); drop(g);";
    assert_eq!(value_use(body).0, "calls", "{body}");
    for later in [
        "#[allow(unused)] drop(g);",
        "info!(n = g.len());",
        "if old { return; } g.len();",
        "loop { break; } drop(g);",
    ] {
        let body = format!("let g = m.lock().await; g.run(); {later}");
        assert_eq!(value_use(&body).0, "stays", "{body}");
    }
}

#[test]
fn a_value_may_be_that_of_a_block_in_some_configurations() {
    let body = "let g = { #[cfg(unix)] { m.lock().await } #[cfg(not(unix))] { n.lock().await } }; keep(g);";
    assert_eq!(value_use(body).0, "moves", "{body}");
}

#[test]
fn a_guard_that_a_pattern_borrows_mutably_moves() {
    for body in [
        "let ref mut g = m.lock().await; refill(&mut *g);",
        "if let ref mut g = m.lock().await { refill(&mut *g); }",
        "match m.lock().await { ref mut g => refill(&mut *g) }",
        "if let Ok(ref mut p) = s.acquire_many(2).await { halve(&mut *p); }",
        "match *&mut m.lock().await { ref mut g => refill(g) }",
    ] {
        assert_eq!(value_use(body).0, "moves", "{body}");
    }
}
