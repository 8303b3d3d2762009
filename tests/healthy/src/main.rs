//! Runs a service for a time in seconds, or for an amount of work, with the watchdog and ten
//! snapshots a second; see the library.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{env, thread};

use diagnose::model::{Confidence, Verdict};
use diagnose::tokio::runtime::Builder;
use diagnose_healthy_tests::{Load, SERVICES};

const USAGE: &str = "\
usage: diagnose-healthy-tests <server|actors|pipeline|idioms|alone> <seconds|NUMBERx> [raw]
       the duration, or the number of rounds; raw: on a runtime, and in a task, that are not on record";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (name, end, is_raw) = match arguments.as_slice() {
        [name, end] => (name, end, false),
        [name, end, raw] if raw == "raw" => (name, end, true),
        _ => return misused(),
    };
    let Some((_, service)) = SERVICES.iter().find(|(own, _)| own == name) else { return misused() };
    let (number, is_count) = end.strip_suffix('x').map_or((end.as_str(), false), |number| (number, true));
    let Ok(number) = number.parse::<u64>() else { return misused() };

    diagnose::Builder::new().watchdog(Duration::from_millis(100)).signal(None).install();
    let load = Arc::new(Load::default());
    let drives = Arc::clone(&load);
    let ends = thread::spawn(move || {
        let end = Instant::now() + Duration::from_secs(number);
        let mut said = Vec::new();
        while if is_count { drives.done() < number } else { Instant::now() < end } {
            thread::sleep(Duration::from_millis(100));
            let verdicts = diagnose::snapshot().verdicts();
            let is_sure = |verdict: &&Verdict| verdict.confidence != Confidence::Suspect;
            said.extend(verdicts.iter().filter(is_sure).map(ToString::to_string));
        }
        drives.end();
        said
    });
    let running = service(Arc::clone(&load));
    if is_raw {
        let runtime = ::tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let runtime = runtime.expect("a runtime");
        runtime.block_on(runtime.spawn(running)).expect("no panic");
    } else {
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
        runtime.block_on(runtime.spawn(running)).expect("no panic");
    }
    let verdicts = ends.join().expect("no panic");
    let alarms: Vec<String> = diagnose::snapshot().alarms.into_iter().map(|alarm| alarm.text).collect();
    println!("{} done, {} alarms, {} verdicts", load.done(), alarms.len(), verdicts.len());
    for said in alarms.iter().chain(&verdicts) {
        println!("{said}");
    }
    if alarms.is_empty() && verdicts.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
