//! Runs a service for so many seconds, or until so much is done, with the watchdog; see the library.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, thread};

use diagnose::tokio::runtime::Builder;
use diagnose_healthy_tests::{Load, SERVICES};

const USAGE: &str = "usage: diagnose-healthy-tests <server|actors|pipeline> <seconds|NUMBERx>   for so long, or so many times";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [name, end] = arguments.as_slice() else { return misused() };
    let Some((_, service)) = SERVICES.iter().find(|(own, _)| own == name) else { return misused() };
    let (number, is_count) = end.strip_suffix('x').map_or((end.as_str(), false), |number| (number, true));
    let Ok(number) = number.parse::<u64>() else { return misused() };

    diagnose::Builder::new().watchdog(Duration::from_millis(100)).signal(None).install();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let load = Arc::new(Load::default());
    let running = runtime.spawn(service(Arc::clone(&load)));
    let end = Instant::now() + Duration::from_secs(number);
    while if is_count { load.done() < number } else { Instant::now() < end } {
        thread::sleep(Duration::from_millis(10));
    }
    let done = load.done();
    load.end();
    runtime.block_on(running).expect("no panic");

    let alarms = diagnose::snapshot().alarms;
    println!("{done} done, {} alarms", alarms.len());
    for alarm in &alarms {
        println!("{alarm}");
    }
    if alarms.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
