mod support;
use diagnose_reports::*;
use support::*;
#[test]
fn look() {
    let mut s = tree("
main | busy=412_000_000 idle=1_500_000_000 self_idle=3_000_000 calls=1 polls=120 pending=1 max=9_000_000
  accept | busy=20_000_000 idle=300_000_000 self_idle=300_000_000 calls=40 polls=80 completed=40 max=900_000 polls@262144..524288=60 polls@524288..1048576=20
  handle | busy=350_000_000 idle=1_190_000_000 self_idle=90_000_000 calls=40 polls=400 cancelled=3 completed=37 max=9_000_000 label=user:7 polls@262144..524288=300 polls@524288..1048576=100
    read_request | busy=80_000_000 idle=400_000_000 self_idle=400_000_000 calls=40 polls=160 max=2_000_000
    Database<Postgres>::query | busy=120_000_000 idle=500_000_000 self_idle=20_000_000 calls=77 polls=154 max=4_000_000 panicked=1
      connect | busy=10_000_000 idle=80_000_000 self_idle=80_000_000 calls=7 polls=14
      {block} | busy=80_000_000 idle=400_000_000 self_idle=400_000_000 calls=77 polls=140
    fetch | busy=30_000_000 idle=100_000_000 self_idle=60_000_000 calls=3 polls=9
    fetch::retry | busy=12_000_000 idle=100_000_000 self_idle=100_000_000 calls=3 polls=9
worker 3 | busy=900_000_000 idle=200_000_000 self_idle=200_000_000 calls=2 polls=90 never_polled=2 max=50_000_000
  compress | busy=700_000_000 calls=88 polls=88 max=40_000_000
  other | busy=90_000_000 calls=12 polls=12
");
    s.dropped.over_depth = 12;
    let dir = std::path::Path::new("/tmp/demo/out");
    for n in ["a.svg", "a.busy.svg", "a.idle.svg", "a.txt", "a.json", "a.folded"] {
        let p = dir.join(n);
        write_file(&s, Report::try_from(&*p).unwrap(), &p).unwrap();
    }
    let mut off = empty();
    off.enabled = false;
    for n in ["off.svg", "off.txt", "off.folded"] {
        let p = dir.join(n);
        write_file(&off, Report::try_from(&*p).unwrap(), &p).unwrap();
    }
}
