//! A program for the tests of `diagnose dump` and `diagnose run`.
//!
//! ```text
//! program work            works, and ends with status 0
//! program fail            works, and ends with status 3
//! program serve           works until it is ended
//! program polite          works until SIGINT, ends its work, and returns with status 0
//! program dir FOLDER      the same, with dumps in a folder that its code names
//! program other           the same, with SIGUSR2 for dumps, and SIGUSR1 for its own end
//! program jail            the same, with its working folder as its root, if the system allows that
//! program deadlock        two tasks that wait for each other's lock
//! program bare            never installs diagnose, and waits
//! ```
//! It prints `ready` once it listens. What works until it is ended has worked before it says so.

use std::future::Future;
use std::io::Write as _;
use std::pin::pin;
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Barrier};
use std::task::{Context, Waker};
use std::thread;
use std::time::Duration;

use diagnose::diagnose;
use diagnose::std::sync::Mutex;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["bare"] => {}
        ["jail"] => {
            #[cfg(unix)]
            let _ = std::os::unix::fs::chroot(".");
            diagnose::install();
        }
        ["other"] => {
            #[cfg(unix)]
            end_at_signal();
            diagnose::Builder::new().signal(diagnose::Signal::Usr2).install();
        }
        ["dir", folder] => diagnose::Builder::new().dir(folder).install(),
        _ => diagnose::install(),
    }
    #[cfg(unix)]
    let is_over = ends_at(signal_hook::consts::SIGINT, arguments == ["polite"]);
    if let ["serve" | "jail" | "other" | "polite"] | ["dir", _] = arguments[..] {
        poll(handle(10));
    }
    let mut out = std::io::stdout();
    writeln!(out, "ready").and_then(|()| out.flush()).expect("the test reads it");
    match arguments[..] {
        ["work"] => poll(handle(1_000)),
        ["fail"] => {
            poll(handle(10));
            return ExitCode::from(3);
        }
        ["deadlock"] => deadlock(),
        #[cfg(unix)]
        ["polite"] => {
            while !is_over.load(Relaxed) {
                poll(handle(10));
                thread::sleep(Duration::from_millis(1));
            }
            poll(says_goodbye());
        }
        ["bare"] => loop {
            thread::park();
        },
        _ => loop {
            poll(handle(10));
            thread::sleep(Duration::from_millis(1));
        },
    }
    ExitCode::SUCCESS
}

/// Returns what is true once the signal has come, if the program is to handle it.
#[cfg(unix)]
fn ends_at(signal: i32, is_handled: bool) -> Arc<AtomicBool> {
    let has_come = Arc::new(AtomicBool::new(false));
    if is_handled {
        signal_hook::flag::register(signal, Arc::clone(&has_come)).expect("it can be handled");
    }
    has_come
}

/// SIGUSR1 ends the program.
#[cfg(unix)]
fn end_at_signal() {
    let is_armed = Arc::new(AtomicBool::new(true));
    let signal = signal_hook::consts::SIGUSR1;
    signal_hook::flag::register_conditional_shutdown(signal, 1, is_armed).expect("it can be handled");
}

/// Polls a future that never waits.
fn poll(future: impl Future<Output = ()>) {
    let is_ready = pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_ready();
    assert!(is_ready, "nothing here waits");
}

#[diagnose(root)]
async fn handle(calls: u64) {
    for number in 0..calls {
        checksum(number).await;
    }
}

#[cfg(unix)]
#[diagnose(root)]
async fn says_goodbye() {}

#[diagnose]
async fn checksum(seed: u64) -> u64 {
    (0..1_000).fold(seed, |sum, number| std::hint::black_box(sum ^ number).wrapping_mul(0x0100_0000_01b3))
}

fn deadlock() {
    let locks = Arc::new([Mutex::new(()), Mutex::new(())]);
    let both = Arc::new(Barrier::new(2));
    let tasks = [[0, 1], [1, 0]].map(|order| {
        let (locks, both) = (locks.clone(), both.clone());
        thread::spawn(move || poll(take(&locks, order, &both)))
    });
    for task in tasks {
        let _ = task.join();
    }
}

#[diagnose(root)]
async fn take(locks: &[Mutex<()>; 2], [first, second]: [usize; 2], both: &Barrier) {
    let _first = locks[first].lock();
    both.wait();
    let _second = locks[second].lock();
}
