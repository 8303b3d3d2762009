//! One program in a process of its own, and a thread beside it that looks at it while it runs.

use std::io::{self, Write as _};
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::drop_in::tokio;
use crate::look;
use crate::noise;
use crate::row::{Flavor, Row};
use tokio::runtime::Builder;

/// The code that the process ends with while the program does not.
pub const GOES_ON: i32 = 3;
/// The first line: the program is about to start.
pub const STARTED: &str = "started";

/// The first look, in milliseconds after the start.
const FIRST_MS: u64 = 300;
/// From look to look.
const STEP_MS: u64 = 150;
/// The last look, which is not left out however late it is: a machine that is busy has fewer before it.
const LAST_MS: u64 = 2_100;

/// The last look is repeated so often, with a pause in between, where it has fallen into a poll of a task that goes on.
const AGAIN: u32 = 5;
const PAUSE: Duration = Duration::from_millis(15);

/// So long a program that shall end has after that: the machine may have other work.
const PATIENCE: Duration = Duration::from_secs(8);

/// Runs a program until it ends or has been looked at for long enough, and ends the process.
///
/// # Panics
/// If the program does, or there is no runtime to be had.
pub fn run(row: &Row, flavor: Flavor, noise: u32) -> ! {
    let patience = if row.ends_on(flavor) { PATIENCE } else { Duration::ZERO };
    // Before anything else, so that it is older than whatever the program makes.
    let (start, started) = mpsc::channel();
    thread::Builder::new()
        .name("looks".to_owned())
        .spawn(move || started.recv().map(|start| look_on(start, patience)))
        .expect("a thread");
    let mut builder = match flavor.workers() {
        0 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    if flavor.workers() > 0 {
        builder.worker_threads(flavor.workers());
    }
    let runtime = builder.enable_all().max_blocking_threads(2).build().expect("a runtime");
    noise::spawn(&runtime, noise);
    say(STARTED);
    start.send(Instant::now()).expect("it waits for that");
    runtime.block_on((row.start)());
    let mut out = io::stdout().lock();
    out.flush().expect("somebody reads");
    process::exit(0)
}

/// Looks again and again, and ends the process after the last time.
fn look_on(start: Instant, patience: Duration) {
    for at_ms in (FIRST_MS..=LAST_MS).step_by(usize::try_from(STEP_MS).expect("it is small")) {
        thread::sleep((start + Duration::from_millis(at_ms)).saturating_duration_since(Instant::now()));
        let now_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        if now_ms > at_ms + STEP_MS && at_ms != LAST_MS {
            continue;
        }
        let mut taken = look::take(now_ms);
        for _ in (0..AGAIN).take_while(|_| at_ms == LAST_MS) {
            if !taken.is_in_poll {
                break;
            }
            thread::sleep(PAUSE);
            taken = look::take(now_ms);
        }
        say(&taken.line);
        if std::env::var_os("HANGS_JSON").is_some() {
            let _ = io::stderr().write_all(&taken.dump);
        }
    }
    thread::sleep(patience);
    process::exit(GOES_ON)
}

/// A line, whole.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    // Where nobody reads any more, nobody ends it either.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        process::exit(GOES_ON);
    }
}
