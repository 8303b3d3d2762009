//! Runs a service under load for a time, and prints its findings.

mod client;
mod planted;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use diagnose::tokio;
use tokio::net::TcpListener;

const USAGE: &str = "usage: diagnose-findings-tests <lock|hog|leak|cycle|all> <milliseconds>";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, time] = arguments.as_slice() else { return misused() };
    let Ok(time) = time.parse().map(Duration::from_millis) else { return misused() };
    diagnose::install();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let paths: &[&str] = match name.as_str() {
        "lock" => &["/orders"],
        "hog" => &["/receipts"],
        "leak" => &["/notify"],
        "cycle" => &["/reserve", "/refund"],
        "all" => &["/orders", "/receipts", "/notify", "/reserve", "/refund"],
        _ => return misused(),
    };
    runtime.block_on(run(paths, time));
    let snapshot = diagnose::snapshot();
    for finding in snapshot.findings() {
        println!("{} {finding}", finding.severity);
    }
    if let Some(path) = std::env::var_os("FINDINGS_DUMP") {
        diagnose::dump(path).expect("it can be written");
    }
    // The runtime is not shut down: its tasks are stuck.
    std::mem::forget(runtime);
    ExitCode::SUCCESS
}

async fn run(paths: &[&str], time: Duration) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move { axum::serve(listener, planted::router()).await });
    for path in paths {
        for number in 0..8_u64 {
            start(address, (0..1_000).map(|id| format!("{path}/{}", id * 8 + number)).collect(), 20 + number);
        }
    }
    for _ in 0..4 {
        start(address, vec!["/health".to_owned()], 10);
    }
    tokio::time::sleep(time).await;
}

fn start(address: SocketAddr, paths: Vec<String>, pause: u64) {
    tokio::spawn(client::client(address, paths, Duration::from_millis(pause), usize::MAX));
}

fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
