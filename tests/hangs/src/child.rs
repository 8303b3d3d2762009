//! Runs one program in its own process, with a thread that takes snapshots of it meanwhile.

use std::env;
use std::io::{self, Write as _};
use std::process;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::drop_in::tokio;
use crate::judge;
use crate::look::{self, Taken};
use crate::noise;
use crate::row::{Flavor, Row, Section};
use crate::source::{self, Marks};
use tokio::runtime::Builder;

/// The exit code of the process if the program has not ended.
pub const GOES_ON: i32 = 3;
/// The first line of output: the program is about to start.
pub const STARTED: &str = "started";

/// The variable that has the watchdog look at the program, and no thread of the program.
pub const WATCH: &str = "HANGS_WATCH";

/// The variable that has each look written to stderr as well, in full.
pub const JSON: &str = "HANGS_JSON";

/// The threshold of that watchdog.
const THRESHOLD: Duration = Duration::from_millis(100);

/// The first look, in milliseconds after the start.
const FIRST_MS: u64 = 300;
/// The time between looks, in milliseconds.
const STEP_MS: u64 = 150;
/// The last look, in milliseconds after the start. It is taken however late it is, whereas a busy
/// machine skips earlier ones.
const LAST_MS: u64 = 2_100;

/// How often the last look is repeated, after a pause each time, while it falls into the poll of a
/// task with a long wait.
const AGAIN: u32 = 5;
const PAUSE: Duration = Duration::from_millis(15);

/// The time between further looks, at a hang that is not reported by then.
const LATER: Duration = Duration::from_millis(250);

/// How long a program then has to end or to be reported: the machine may be busy. A shutdown is
/// `likely` stuck after ten seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs a program until it ends or has been looked at for long enough, and ends the process.
///
/// # Panics
/// If the program panics, or the runtime cannot be built.
pub fn run(section: &'static Section, row: &'static Row, flavor: Flavor, noise: u32) -> ! {
    let marks = source::marks(section, row);
    let row = row.beside_tasks(noise);
    // Started before anything else, so that this thread is older than all that the program creates.
    let (start, started) = mpsc::channel();
    if env::var_os(WATCH).is_some() {
        watch(Box::leak(Box::new(row)), flavor);
    } else {
        thread::Builder::new()
            .name("looks".to_owned())
            .spawn(move || started.recv().map(|start| look_on(start, &row, flavor, &marks)))
            .expect("a thread");
    }
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
    // In a watched program nobody waits for that.
    let _ = start.send(Instant::now());
    (row.start)(&runtime);
    let mut out = io::stdout().lock();
    out.flush().expect("the parent reads");
    process::exit(0)
}

/// Reports a look at each alarm of the watchdog, and ends the process at the expected one. No
/// thread of the program's own takes snapshots: it would be a thread that may help any task. The
/// function owns nothing, so that it cannot help one either.
fn watch(row: &'static Row, flavor: Flavor) {
    let start = Instant::now();
    let look = move |alarm: &diagnose::model::Alarm| {
        if judge::is_alarmed(row, flavor, alarm.sentence()) {
            process::exit(GOES_ON);
        }
        report(&look::take(u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)));
    };
    diagnose::Builder::new().watchdog(THRESHOLD).on_alarm(look).install();
}

/// Takes and reports looks at the program, and ends the process after the last one.
fn look_on(start: Instant, row: &Row, flavor: Flavor, marks: &Marks) {
    let is_said = |line: &str| look::read(line).is_some_and(|it| judge::is_said(row, flavor, marks, &it));
    let since_start = || u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
    let mut last = None;
    for at_ms in (FIRST_MS..=LAST_MS).step_by(usize::try_from(STEP_MS).expect("it is small")) {
        thread::sleep((start + Duration::from_millis(at_ms)).saturating_duration_since(Instant::now()));
        let now_ms = since_start();
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
        report(&taken);
        last = Some(taken);
    }
    let end = Instant::now() + PATIENCE;
    if row.ends_on(flavor) {
        thread::sleep(PATIENCE);
    }
    while last.is_none_or(|it| !is_said(&it.line)) && Instant::now() < end {
        thread::sleep(LATER);
        let taken = look::take(since_start());
        report(&taken);
        last = Some(taken);
    }
    process::exit(GOES_ON)
}

fn report(taken: &Taken) {
    say(&taken.line);
    if env::var_os(JSON).is_some() {
        let _ = io::stderr().write_all(&taken.dump);
    }
}

/// Prints a line and flushes it.
fn say(line: &str) {
    let mut out = io::stdout().lock();
    // The parent no longer reads, so it will not end this process either.
    if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
        process::exit(GOES_ON);
    }
}
