//! Alarms are raised while a program hangs: it continues only after its alarm.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use diagnose::model::Alarm;
use diagnose::{diagnose, tokio};
use diagnose_process_tests::child::Program;

/// Runs the program until an alarm contains `words`. Returns its alarms and its report.
fn run(what: &str, words: &str) -> (Vec<String>, String) {
    run_at("100ms", what, words)
}

/// Like [`run`], with a threshold of the watchdog.
fn run_at(threshold: &str, what: &str, words: &str) -> (Vec<String>, String) {
    let variables = [("DIAGNOSE_WATCHDOG", threshold), ("DIAGNOSE_LONG_POLLS", "1ms")];
    let mut program = Program::start(env!("CARGO_BIN_EXE_alarms"), &[what, words], &variables);
    let mut report = String::new();
    loop {
        let line = program.hear();
        report.push_str(&line);
        report.push('\n');
        if line.starts_with("diagnose 0.") || report.ends_with("\n\n\n\n") {
            break;
        }
    }
    let ended = program.end();
    println!("{report}\n{}", ended.stderr);
    assert!(ended.success);
    // Lines about ended alarms may follow.
    let own = |alarm: &str| alarm.split("\ndiagnose: ").next().unwrap_or(alarm).trim_end().to_owned();
    let alarms: Vec<String> = ended.stderr.split("diagnose: ALARM ").skip(1).map(own).collect();
    let over = ended.stderr.matches("diagnose: over after ").count();
    assert_eq!(over, alarms.len(), "each is over in the end");
    assert!(!ended.stderr.contains("over after at least 1844"), "a poll has no wait to tell its age from");
    (alarms, report)
}

/// The only alarm that contains `words`.
fn only<'a>(alarms: &'a [String], words: &str) -> &'a str {
    let with: Vec<&String> = alarms.iter().filter(|alarm| alarm.contains(words)).collect();
    assert_eq!(with.len(), 1, "{words}: {alarms:#?}");
    with[0]
}

#[test]
fn an_alarm_is_raised_if_all_workers_of_a_runtime_are_blocked() {
    diagnose_isolation::isolated!();
    let (alarms, report) = run("blocked", "all 2 workers");
    let alarm = only(&alarms, "all 2 workers of runtime 1 have been in one poll each for at least ");
    assert!(alarm.contains(" ms; 2 tasks are queued, the oldest is task "), "{alarm}");
    let polls: Vec<&str> = alarm.lines().skip(1).collect();
    assert_eq!(polls.len(), 2, "{alarm}");
    for poll in polls {
        assert!(poll.contains(" `blocks` for ") && poll.contains(" ms on thread worker"), "{alarm}");
        assert!(!cfg!(target_os = "linux") || poll.contains(", blocked, using "), "{alarm}");
    }
    assert!(!alarms.iter().any(|alarm| alarm.contains(" was woken ")), "why they wait is said: {alarms:#?}");
    assert!(report.contains(": all 2 workers of runtime 1 "), "{report}");
    assert!(report.contains("\nruntimes: 1 (tokio, 2 workers, 2 threads)\nworkers: 2, "), "{report}");
}

#[test]
fn an_alarm_names_a_task_queued_behind_a_blocked_worker() {
    diagnose_isolation::isolated!();
    // On a busy machine, the other worker may take longer than 100 ms to park.
    let (alarms, _) = run_at("1s", "uneven", " idle; ");
    let alarm = only(&alarms, " although 1 of the 2 workers of runtime 1 is idle; task ");
    assert!(
        alarm.contains(" `waits` was woken ") && alarm.contains(" ms ago and has not been polled since, "),
        "{alarm}"
    );
    assert!(alarm.contains(" `wakes` woke that task and has been in one poll for "), "{alarm}");
    assert!(!alarms.iter().any(|alarm| alarm.contains("; running: ")), "said once: {alarms:#?}");
}

#[test]
fn a_poll_that_spins_is_reported_and_listed_in_the_table() {
    diagnose_isolation::isolated!();
    let (alarms, report) = run("spins", "has been in one poll for");
    let alarm = only(&alarms, " `main` has been in one poll for ");
    assert!(
        !cfg!(target_os = "linux") || alarm.contains(", using ") && alarm.contains("\n  spins ("),
        "{alarm}"
    );
    assert!(alarm.contains(")  ◀ running"), "{alarm}");
    let table = report.split("\nLONG POLLS, ").nth(1).expect("there is one");
    let row = table.lines().nth(2).expect("there is a row");
    assert!(row.trim_start().starts_with("1  ") && row.ends_with(" spins"), "{table}");
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn the_native_stack_of_a_poll_that_spins_names_the_function() {
    diagnose_isolation::isolated!();
    let (alarms, _) = run("spins", "native stack");
    let alarm = only(&alarms, " `main` has been in one poll for ");
    let stack: Vec<&str> =
        alarm.split("native stack, innermost first:\n").nth(1).expect("it is there").lines().collect();
    let of = |function: &str| stack.iter().position(|line| line.contains(function));
    let (inside, outside) = (of("alarms::digests ("), of("alarms::spins"));
    assert!(inside.expect("named, with its place") < outside.expect("named"), "{alarm}");
    assert!(stack.last().expect("there are lines").contains("alarms::main ("), "{alarm}");
    assert!(!alarm.contains("tokio::") && !alarm.contains("    <diagnose::"), "{alarm}");
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
#[test]
fn reading_the_stack_of_a_blocked_thread_leaves_it_blocked() {
    diagnose_isolation::isolated!();
    let (alarms, _) = run("blocked", "native stack");
    let blocked: Vec<&String> = alarms.iter().filter(|alarm| alarm.contains(" `blocks` has been ")).collect();
    assert!(!blocked.is_empty(), "{alarms:#?}");
    assert!(blocked.iter().any(|alarm| alarm.contains("\n    alarms::receives (")), "{alarms:#?}");
}

/// It runs on a thread of diagnose, but is code of the program's own.
#[test]
fn nothing_that_the_function_of_on_alarm_may_release_is_proven_stuck() {
    diagnose_isolation::isolated!();
    let (alarms, _) = run("released", "self_wait");
    let alarm = only(&alarms, "self_wait");
    assert!(alarm.starts_with("likely self_wait: task "), "{alarm}");
}

#[diagnose]
async fn in_place() {
    tokio::task::block_in_place(|| thread::sleep(Duration::from_millis(400)));
}

/// Blocks its worker until there is an alarm. Returns the alarm.
#[diagnose]
async fn hogs(told: mpsc::Receiver<String>) -> String {
    told.recv_timeout(Duration::from_secs(60)).expect("an alarm")
}

/// The text of the first alarm about a task in `block_in_place`, and then one that blocks a worker.
fn first(builder: diagnose::Builder) -> String {
    let (tell, told) = mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let on_alarm = move |alarm: &Alarm| drop(tell.lock().expect("no panic").send(alarm.text.clone()));
    builder.watchdog(Duration::from_millis(50)).signal(None).on_alarm(on_alarm).install();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    runtime.block_on(runtime.spawn(in_place())).expect("it ends");
    runtime.block_on(runtime.spawn(hogs(told))).expect("it ends")
}

#[test]
fn block_in_place_raises_no_alarm_if_only_tasks_are_recorded() {
    diagnose_isolation::isolated!();
    let text = first(diagnose::Builder::new().tasks_only(true));
    assert!(text.contains("hogs"), "{text}");
}

#[test]
fn block_in_place_raises_no_alarm_if_only_some_functions_are_recorded() {
    diagnose_isolation::isolated!();
    let text = first(diagnose::Builder::new().only("*::in_place,*::hogs"));
    assert!(text.contains("hogs"), "{text}");
}

/// A synchronous client: it drives its runtime now and then.
#[test]
fn a_task_between_two_block_ons_raises_no_alarm() {
    diagnose_isolation::isolated!();
    let (tell, told) = mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let on_alarm = move |alarm: &Alarm| drop(tell.lock().expect("no panic").send(alarm.text.clone()));
    diagnose::Builder::new().watchdog(Duration::from_millis(50)).signal(None).on_alarm(on_alarm).install();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let (sender, mut receiver) = tokio::sync::mpsc::channel::<u32>(8);
    runtime.spawn(async move { while receiver.recv().await.is_some() {} });
    runtime.block_on(tokio::task::yield_now());
    sender.try_send(1).expect("there is room");
    thread::sleep(Duration::from_millis(400));
    runtime.block_on(tokio::task::yield_now());
    let text = runtime.block_on(runtime.spawn(hogs(told))).expect("it ends");
    assert!(text.contains("hogs"), "{text}");
}

#[test]
fn an_alarm_ends_with_the_watch_that_raised_it() {
    diagnose_isolation::isolated!();
    let (tell, told) = mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let on_alarm = move |_: &Alarm| {
        // Switched off while the alarm is open.
        diagnose::Builder::new().signal(None).reinstall().expect("it can be switched off");
        drop(tell.lock().expect("no panic").send("off".to_owned()));
    };
    diagnose::Builder::new().watchdog(Duration::from_millis(50)).signal(None).on_alarm(on_alarm).install();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().expect("a runtime");
    runtime.block_on(runtime.spawn(hogs(told))).expect("it ends");
    let is_over = || diagnose::snapshot().alarms.iter().all(|alarm| alarm.resolved_at_unix_ms.is_some());
    let end = std::time::Instant::now() + Duration::from_secs(60);
    while !is_over() {
        assert!(std::time::Instant::now() < end, "{:?}", diagnose::snapshot().alarms);
        thread::yield_now();
    }
}
