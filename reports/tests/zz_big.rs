//! x
mod support;
use diagnose_reports::*;
use support::*;
#[test]
fn look() {
    // A tall, wide tree: 60k nodes, 40 levels.
    let mut s = empty();
    for i in 0..300u32 {
        s.sites.push(site(&format!("service::Handler{}::step_{}", i % 37, i), "app", "src/lib.rs", i + 1, 1));
    }
    let mut x: u64 = 7;
    let mut depth = vec![0u32];
    s.nodes.push(node(0, None));
    for i in 1..60_000usize {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let lo = i.saturating_sub(200);
        let p = lo + ((x >> 33) as usize % (i - lo));
        let p = if depth[p] > 38 { 0 } else { p };
        s.nodes.push(node((x >> 40) as usize % 300, Some(p)));
        depth.push(depth[p] + 1);
        s.nodes[i].busy_ns = (x >> 45) % 100_000;
        s.nodes[i].self_idle_ns = (x >> 50) * 100;
        s.nodes[i].polls = 3;
        s.nodes[i].calls = 1;
    }
    for i in (1..60_000usize).rev() {
        let p = s.nodes[i].parent.unwrap();
        s.nodes[p].busy_ns += s.nodes[i].busy_ns;
    }
    s.nodes[0].busy_ns += 5;
    let dir = std::path::Path::new("/tmp/demo/out");
    for n in ["big.svg", "big.txt", "big.json", "big.folded"] {
        let p = dir.join(n);
        let t = std::time::Instant::now();
        write_file(&s, Report::try_from(&*p).unwrap(), &p).unwrap();
        println!("{n} {:?} {}", t.elapsed(), std::fs::metadata(&p).unwrap().len());
    }
    let t = std::time::Instant::now();
    Snapshot::read_json(std::fs::File::open(dir.join("big.json")).unwrap()).unwrap();
    println!("read {:?}", t.elapsed());
}
