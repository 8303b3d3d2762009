//! Runs a service, and prints its findings: one line each, with severity and place first. For a
//! planted fault, the first screen of the text report follows.

mod client;
mod ended;
mod healthy;
mod planted;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use diagnose::{Format, tokio};
use tokio::net::TcpListener;

const USAGE: &str = "\
usage: diagnose-findings-tests <lock|rare|held|lost|channel|queue|permits|actor|sequential|hog|block|unrecorded|retries|leak|large|cycle|ended|all> <milliseconds at most>
       diagnose-findings-tests <migration|batches|turns> 0
       diagnose-findings-tests healthy <web|actors|pipeline|connections|compute|idle|idioms> <milliseconds>";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (name, time) = match arguments.as_slice() {
        ["healthy", name, time] | [name, time] => (*name, *time),
        _ => return misused(),
    };
    let Ok(time) = time.parse().map(Duration::from_millis) else { return misused() };
    diagnose::install();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let ends = ["ended", "migration", "batches", "turns"].contains(&name);
    match name {
        "ended" => runtime.block_on(ended::run()),
        "migration" => runtime.block_on(ended::migration()),
        "batches" => runtime.block_on(ended::batches()),
        "turns" => runtime.block_on(ended::turns()),
        _ => {}
    }
    if ends {
        let snapshot = diagnose::snapshot();
        assert_eq!(snapshot.past_resources.len(), 1, "its lock is gone, and calls have waited for it");
        say(&snapshot.findings());
        say_first_screen(&snapshot);
    } else if arguments[0] == "healthy" {
        let Some((_, service)) = healthy::SERVICES.iter().find(|(own, _)| *own == name) else {
            return misused();
        };
        runtime.spawn(service());
        watch(time);
    } else {
        let paths: &[&str] = match name {
            "lock" => &["/orders"],
            "rare" => &["/prices"],
            "held" => &["/settle"],
            "lost" => &["/parcels"],
            "channel" => &["/audit"],
            "queue" => &["/mails"],
            "permits" => &["/imports"],
            "actor" => &["/rates"],
            "sequential" => &["/lists"],
            "hog" => &["/receipts"],
            "block" => &["/invoices"],
            "unrecorded" => &["/badges"],
            "retries" => &["/push"],
            "leak" => &["/notify"],
            "large" => &["/subscribe"],
            "cycle" => &["/reserve", "/refund"],
            "all" => &["/orders", "/receipts", "/notify", "/reserve", "/refund"],
            _ => return misused(),
        };
        runtime.spawn(serve(paths));
        wait_for(name, time);
    }
    if let Some(path) = std::env::var_os("FINDINGS_DUMP") {
        diagnose::dump(path).expect("it can be written");
    }
    // The runtime is not shut down: its tasks may be stuck.
    std::mem::forget(runtime);
    ExitCode::SUCCESS
}

fn say(findings: &[diagnose::model::Finding]) {
    for finding in findings {
        let place = finding.place.as_ref().map_or_else(String::new, ToString::to_string);
        println!("{} {place} {finding}", finding.severity);
    }
}

/// Prints the first 25 lines of the text report, each after a `|`.
fn say_first_screen(snapshot: &diagnose::Snapshot) {
    let mut page = Vec::new();
    diagnose_reports::write(snapshot, Format::Text.into(), &mut page).expect("memory takes all");
    let page = String::from_utf8(page).expect("it is text");
    page.lines().take(25).for_each(|line| println!("| {line}"));
}

/// The faults that are not in `all`.
const ALONE: [&str; 12] = [
    "rare",
    "held",
    "lost",
    "channel",
    "queue",
    "permits",
    "actor",
    "sequential",
    "block",
    "unrecorded",
    "retries",
    "large",
];

/// Takes snapshots until the planted faults are found or `time` is over, and prints the last
/// findings.
fn wait_for(name: &str, time: Duration) {
    let rules = [
        ("lock", "contended"),
        ("rare", "contended"),
        ("held", "held"),
        ("lost", "stopped"),
        ("channel", "full_channel"),
        ("queue", "full_channel"),
        ("permits", "held"),
        ("actor", "bottleneck"),
        ("sequential", "sequential"),
        ("hog", "hog"),
        ("block", "blocking"),
        ("unrecorded", "unrecorded"),
        ("retries", "retries"),
        ("leak", "growing"),
        ("large", "large_future"),
        ("cycle", "stuck.cycle"),
    ];
    let wanted = rules.iter().filter(|(fault, _)| *fault == name || name == "all" && !ALONE.contains(fault));
    let wanted: Vec<&str> = wanted.map(|(_, rule)| *rule).collect();
    let began = Instant::now();
    loop {
        std::thread::sleep(Duration::from_millis(250));
        let snapshot = diagnose::snapshot();
        let findings = snapshot.findings();
        let is_found = |rule: &&str| findings.iter().any(|finding| finding.rule.to_string() == **rule);
        if began.elapsed() >= time || wanted.iter().all(is_found) {
            say(&findings);
            return say_first_screen(&snapshot);
        }
    }
}

/// Prints the findings of snapshots of the service from its start on, and those since the snapshot
/// before.
fn watch(time: Duration) {
    let (began, mut last) = (Instant::now(), None);
    let mut pause = Duration::from_millis(20);
    while began.elapsed() < time {
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_secs(1));
        let snapshot = diagnose::snapshot();
        say(&snapshot.findings());
        if let Some(last) = last.replace(snapshot) {
            say(&diagnose::snapshot().findings_since(&last));
        }
    }
}

async fn serve(paths: &'static [&'static str]) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    for path in paths {
        // A request that retries without a pause keeps a CPU busy.
        let clients = if *path == "/push" { 1 } else { 8_u64 };
        for number in 0..clients {
            start(address, (0..1_000).map(|id| format!("{path}/{}", id * 8 + number)).collect(), 20 + number);
        }
    }
    for _ in 0..4 {
        start(address, vec!["/health".to_owned()], 10);
    }
    axum::serve(listener, planted::router()).await.expect("a server");
}

fn start(address: SocketAddr, paths: Vec<String>, pause: u64) {
    tokio::spawn(client::client(address, paths, Duration::from_millis(pause), usize::MAX));
}

fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
