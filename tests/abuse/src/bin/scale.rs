//! Measures what the watchdog and a dump cost a program with very many waiting tasks.
//!
//! ```text
//! cargo run --release -p diagnose-abuse-tests --bin scale -- watch sleep 100000
//! cargo run --release -p diagnose-abuse-tests --bin scale -- dump receive 1000000
//! cargo run --release -p diagnose-abuse-tests --bin scale -- dump sleep 1000000 full.txt
//! ```
//! The tasks wait for a timer (`sleep`), each for a message of its own channel (`receive`), for a
//! lock that one of them holds (`lock`), for one notification (`notify`), for the next value of one
//! channel (`watch`), for permits of one semaphore (`permits`), for a slot of one channel (`send`),
//! for another task (`join`), for a message or a timer (`select`), or for a timer under a thousand
//! labels, with different numbers of polls (`label`). `watch` prints the watchdog's share of a
//! processor and the growth of memory, `looks` only the latter. `dump` prints the time, the size
//! and the memory of a snapshot, of its verdicts, and of each report; with a format, only of that
//! report.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{env, fs, process};

use diagnose::tokio::sync::{Mutex, Notify, Semaphore, mpsc, watch};
use diagnose::{Format, diagnose, tokio};
use diagnose_abuse_tests::usage::{forget_peak, peak, resident, resident_files, thread_sleeps, thread_time};

const LONG: Duration = Duration::from_secs(100_000);

/// The number of tasks that have been polled.
static BEGUN: AtomicUsize = AtomicUsize::new(0);

#[diagnose]
async fn sleeps() {
    BEGUN.fetch_add(1, Relaxed);
    tokio::time::sleep(LONG).await;
}

#[diagnose]
async fn receives(mut receiver: mpsc::Receiver<()>) {
    BEGUN.fetch_add(1, Relaxed);
    receiver.recv().await;
}

#[diagnose]
async fn locks(mutex: Arc<Mutex<()>>) {
    BEGUN.fetch_add(1, Relaxed);
    let _guard = mutex.lock().await;
    tokio::time::sleep(LONG).await;
}

#[diagnose]
async fn is_notified(notify: Arc<Notify>) {
    BEGUN.fetch_add(1, Relaxed);
    notify.notified().await;
}

#[diagnose]
async fn watches(mut values: watch::Receiver<u64>) {
    BEGUN.fetch_add(1, Relaxed);
    let _ = values.changed().await;
}

#[diagnose]
async fn acquires(permits: Arc<Semaphore>) {
    BEGUN.fetch_add(1, Relaxed);
    let _permit = permits.acquire().await;
    tokio::time::sleep(LONG).await;
}

#[diagnose]
async fn sends(sender: mpsc::Sender<()>) {
    BEGUN.fetch_add(1, Relaxed);
    let _ = sender.send(()).await;
}

/// Has a receiver, and does something else.
#[diagnose]
async fn is_busy(_receiver: mpsc::Receiver<()>) {
    tokio::time::sleep(LONG).await;
}

#[diagnose]
async fn joins() {
    BEGUN.fetch_add(1, Relaxed);
    let _ = tokio::spawn(sleeps()).await;
}

#[diagnose]
async fn selects(notify: Arc<Notify>) {
    BEGUN.fetch_add(1, Relaxed);
    tokio::select! {
        () = notify.notified() => {}
        () = tokio::time::sleep(LONG) => {}
    }
}

/// Differs from its neighbors in its label, its polls and its wakes.
#[diagnose(label = "{group}")]
async fn differs(group: usize) {
    for _ in 0..group % 7 {
        ::tokio::task::yield_now().await;
    }
    BEGUN.fetch_add(1, Relaxed);
    tokio::time::sleep(Duration::from_secs(100_000 + group as u64 % 13)).await;
}

/// Starts the tasks, and waits until all of them wait. Returns what keeps them waiting.
async fn spawn(kind: &str, count: usize) -> impl Sized + use<> {
    let (mutex, notify) = (Arc::new(Mutex::new(())), Arc::new(Notify::new()));
    let (permits, values) = (Arc::new(Semaphore::new(10)), watch::channel(0));
    let full = mpsc::channel(1);
    tokio::spawn(is_busy(full.1));
    let mut senders = Vec::new();
    for number in 0..count {
        match kind {
            "sleep" => drop(tokio::spawn(sleeps())),
            "receive" => {
                let (sender, receiver) = mpsc::channel(1);
                senders.push(sender);
                tokio::spawn(receives(receiver));
            }
            "lock" => drop(tokio::spawn(locks(mutex.clone()))),
            "notify" => drop(tokio::spawn(is_notified(notify.clone()))),
            "watch" => drop(tokio::spawn(watches(values.1.clone()))),
            "permits" => drop(tokio::spawn(acquires(permits.clone()))),
            "send" => drop(tokio::spawn(sends(full.0.clone()))),
            "join" => drop(tokio::spawn(joins())),
            "select" => drop(tokio::spawn(selects(notify.clone()))),
            "label" => drop(tokio::spawn(differs(number % 1_000))),
            _ => panic!("no such tasks: {kind}"),
        }
    }
    while BEGUN.load(Relaxed) < count {
        ::tokio::task::yield_now().await;
    }
    (senders, values.0)
}

/// Formats a number of bytes in megabytes.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

async fn watch() {
    let threshold = env::var("THRESHOLD").ok().and_then(|ms| ms.parse().ok()).unwrap_or(100);
    let before = resident();
    forget_peak();
    diagnose::Builder::new().watchdog(Duration::from_millis(threshold)).signal(None).install();
    for _ in 0..3 {
        let (used, from) = (thread_time("diagnose-watch"), Instant::now());
        ::tokio::time::sleep(Duration::from_secs(5)).await;
        let used = thread_time("diagnose-watch").saturating_sub(used);
        let used = used.as_secs_f64() / from.elapsed().as_secs_f64();
        let (now, most) = (resident().saturating_sub(before), peak().saturating_sub(before));
        println!(
            "{:.2} % of a processor, +{:.1} MB, at most +{:.1} MB",
            used * 100.0,
            megabytes(now),
            megabytes(most)
        );
    }
}

/// Prints the growth of memory, in bytes, over a number of the watchdog's checks.
async fn looks(count: u64) {
    let (before, files_before) = (resident(), resident_files());
    forget_peak();
    diagnose::Builder::new().watchdog(Duration::from_millis(20)).signal(None).install();
    let end = Instant::now() + Duration::from_secs(60);
    while thread_sleeps("diagnose-watch") < count && Instant::now() < end {
        ::tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Code that the watchdog runs first is no memory that it takes.
    let code = resident_files().saturating_sub(files_before);
    let bytes = peak().saturating_sub(before).saturating_sub(code);
    println!("{} looks, {bytes} bytes", thread_sleeps("diagnose-watch").min(count));
}

fn measure(name: &str, run: impl FnOnce() -> u64) {
    let before = resident();
    forget_peak();
    let (began, used) = (Instant::now(), thread_time("scale"));
    let bytes = run();
    let times = [began.elapsed(), thread_time("scale").saturating_sub(used)];
    let [seconds, used] = times.map(|time| time.as_secs_f64());
    let most = megabytes(peak().saturating_sub(before));
    let size = megabytes(bytes);
    println!(
        "{name}: {seconds:.2} s ({used:.2} s of a processor), {size:.1} MB, memory at most +{most:.1} MB"
    );
}

/// Measures one report.
fn report(format: Format) {
    let path = env::temp_dir().join(format!("diagnose-scale-{}.{}", process::id(), format.extension()));
    measure(format.extension(), || {
        diagnose::dump(&path).expect("it can be written");
        fs::metadata(&path).expect("it is there").len()
    });
    if env::var_os("KEEP").is_none() {
        let _ = fs::remove_file(path);
    }
}

fn dump() {
    let resident_before = resident();
    let mut snapshot = None;
    measure("snapshot", || {
        snapshot = Some(diagnose::snapshot());
        0
    });
    println!("a snapshot is {:.1} MB", megabytes(resident().saturating_sub(resident_before)));
    measure("verdicts", || {
        drop(snapshot.as_ref().map(diagnose::Snapshot::verdicts));
        0
    });
    drop(snapshot);
    [Format::Json, Format::Text, Format::FullText, Format::Folded].into_iter().for_each(report);
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (measurement, kind, count, format) = match arguments.as_slice() {
        [measurement, kind, count] => (measurement, kind, count, None),
        [measurement, kind, count, format] => {
            (measurement, kind, count, Some(format.parse().expect("a format")))
        }
        _ => panic!("usage: scale watch|looks|dump KIND TASKS [FORMAT]"),
    };
    let count = count.parse().expect("a number of tasks");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let senders = spawn(kind, count).await;
        match (measurement.as_str(), format) {
            ("watch", _) => watch().await,
            ("looks", _) => looks(10).await,
            ("dump", Some(format)) => report(format),
            ("dump", None) => dump(),
            _ => panic!("no such measurement: {measurement}"),
        }
        drop(senders);
        // Dropping a million tasks takes time, and is not measured.
        process::exit(0);
    });
}
