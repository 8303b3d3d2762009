//! What the expansion says about the guards of a `join!`.

use crate::tests::expand;

/// Returns what the expansion says about each arm of a `join!` that is the guard, by the letters of
/// the calls.
fn arms_of(body: &str) -> String {
    let expanded = expand(&format!("#[diagnose] async fn f() {{ {body} }}")).to_string();
    let arms = expanded.split("Arm :: new").skip(1);
    arms.map(|arm| arm.split_once(". used (b'").filter(|(before, _)| !before.contains('{')))
        .map(|used| used.map_or("u", |(_, used)| &used[..1]))
        .collect()
}

#[test]
fn a_guard_of_an_arm_is_in_its_element_of_the_tuple() {
    for (arms, body) in [
        ("ms", "let g = join!(a.lock(), b.lock()).0; keep(g);"),
        ("sm", "let g = join!(a.lock(), b.lock()).1; keep(g);"),
        ("ms", "keep(tokio::join!(biased; a.lock(), b.lock()).0);"),
        ("ss", "let g = join!(a.lock(), b.lock()).0; g.push(1);"),
        ("ss", "join!(a.lock(), b.lock()).0.push(1);"),
        ("cs", "join!(a.lock(), b.lock()).0.run(1);"),
        ("ms", "let g = &mut join!(a.lock(), b.lock()).0; refill(g);"),
        ("ms", "let p = try_join!(a.acquire(), b.acquire())?.0; keep(p);"),
        ("ms", "let p = (try_join!(a.acquire(), b.acquire()).unwrap()).0; keep(p.split(1));"),
        ("ms", "let both = join!(a.lock(), b.lock()); let g = both.0; keep(g);"),
        ("sm", "let both = join!(a.lock(), b.lock()); keep(both.1);"),
        ("ss", "let both = join!(a.lock(), b.lock()); both.0.push(1); *both.1 += both.0.len; drop(both);"),
        ("ss", "let both = join!(a.lock(), b.lock()); let n = both.0.count + both.1.0; let m = both.0.1;"),
        ("su", "let both = join!(a.lock(), work()); both.0.push(both.1); let n = both.1; keep(both.1);"),
        ("mm", "let both = join!(a.lock(), b.lock()); keep(both);"),
        ("cc", "let both = join!(a.lock(), b.lock()); both.close();"),
        ("cs", "let both = join!(a.lock(), b.lock()); both.0.commit(); both.1.push(1);"),
        ("sc", "let mut both = join!(a.lock(), b.lock()); refill(&mut both.1);"),
        ("ms", "let mut both = join!(a.lock(), b.lock()); let g = &mut both.0; refill(g);"),
        ("mm", "let both = join!(a.lock(), b.lock()); spawn(async move { both.1.push(1) });"),
        ("mm", "let p = try_join!(a.acquire(), b.acquire())?; keep(p.0); let q = p.1;"),
        ("ms", "let Ok(p) = try_join!(a.acquire(), b.acquire()) else { return }; keep(p.0);"),
        ("sm", "let (g, h) = join!(a.lock(), b.lock()); let n = g.count; g.push(1); keep(h);"),
        ("sm", "let (_, h) = join!(a.lock(), b.lock()); keep(h);"),
        ("mm", "let (g, ..) = join!(a.lock(), b.lock()); keep(g);"),
        ("ss", "let _ = join!(a.lock(), b.lock());"),
        ("mm", "match join!(a.lock(), b.lock()) { (g, h) => keep(g) }"),
        ("cc", "match join!(a.lock(), b.lock()) { both => { let g = both.0; keep(g) } }"),
        ("mm", "let t = if old { t } else { join!(a.lock(), b.lock()) }; keep(t.0);"),
        ("cc", "let t = match n { 0 => join!(a.lock(), b.lock()), _ => return }; let g = t.0; keep(g);"),
        ("cc", "let t = { log(); join!(a.lock(), b.lock()) }; let g = t.0; keep(g);"),
        ("ms", "let g = { let both = join!(a.lock(), b.lock()); both.0 }; g.push(1);"),
        ("cc", "let t = { let both = join!(a.lock(), b.lock()); both }; let g = t.0; keep(g);"),
        ("ss", "let g = { let (g, h) = join!(a.lock(), b.lock()); g }; g.push(1);"),
        ("ms", "let g = { let (g, h) = join!(a.lock(), b.lock()); g }; keep(g);"),
    ] {
        assert_eq!(arms_of(body), arms, "{body}");
    }
}
