//! Forks under load, and takes snapshots in the child processes.
//!
//! ```text
//! forks <count>
//! ```
//! Prints `alone` if a child had the records of its parent, `contended <n>` for n children that had
//! them although other threads waited for locks of the fork, `watched <n>` for n children that had
//! them although the watchdog was busy, `installed again` if one could install settings of its own,
//! `load <n>` for n children that reported why they had none, `ends <n>` for n that dropped futures
//! of their parent and ran their destructors, and `last moments` for one that a thread forked while
//! its thread-locals were destroyed. A child that hangs is ended by its alarm, and then this
//! program fails too.
//!
//! Unsafe is kept in this file: `fork` and related functions are calls into C.

#![allow(unsafe_code)]

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Waker};
use std::time::Duration;

use diagnose::diagnose;
use diagnose::tokio;
use tokio::sync::Mutex;

#[diagnose]
fn recorded() {}

#[diagnose]
async fn works(lock: Arc<Mutex<u64>>) {
    loop {
        *lock.lock().await += 1;
        let other = tokio::spawn(step(Arc::clone(&lock)));
        other.await.expect("it does not panic");
    }
}

#[diagnose]
async fn step(lock: Arc<Mutex<u64>>) {
    *lock.lock().await += 1;
    tokio::task::yield_now().await;
}

/// Runs `child` in a forked process. Returns whether it returned `true` within a minute.
fn fork(child: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child calls what this test is about, and ends without going back.
    let process = unsafe { libc::fork() };
    assert!(process >= 0, "it forks");
    if process == 0 {
        // SAFETY: the call takes a number.
        unsafe { libc::alarm(60) };
        let status = i32::from(!child());
        // SAFETY: the call takes a number, and does not return.
        unsafe { libc::_exit(status) };
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local that the call fills in.
    let ended = unsafe { libc::waitpid(process, &raw mut status, 0) };
    assert_eq!(ended, process);
    if status != 0 {
        eprintln!("the child's status: {status:#x}");
    }
    status == 0
}

fn has_records() -> bool {
    recorded();
    let snapshot = diagnose::snapshot();
    snapshot.enabled && snapshot.alarms.is_empty() && snapshot.nodes.iter().any(|node| node.calls == 2)
}

/// Forks `count` times, while other threads wait for the locks that a fork holds. They record
/// nothing themselves.
fn contended(count: u64) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    diagnose::set_enabled(true);
                }
            });
            scope.spawn(|| {
                while !is_over.load(Relaxed) {
                    drop(diagnose::snapshot());
                }
            });
        }
        for _ in 0..count {
            let can_switch = || {
                diagnose::set_enabled(true);
                has_records()
            };
            assert!(fork(can_switch), "a child beside threads that wait");
        }
        is_over.store(true, Relaxed);
    });
}

fn is_refused() -> bool {
    let snapshot = diagnose::snapshot();
    let says = |text: &str| text.contains("forked from process ");
    diagnose::set_enabled(true);
    recorded();
    diagnose::reset();
    let stays_off = !diagnose::snapshot().enabled;
    stays_off
        && snapshot.nodes.is_empty()
        && snapshot.alarms.len() == 1
        && says(&snapshot.alarms[0].text)
        && says(&text())
}

type Pending = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Futures that wait. More than a thread keeps places for, so places are taken and given back under
/// locks.
fn batch() -> Vec<Pending> {
    #[diagnose]
    async fn waits() {
        std::future::pending::<()>().await;
    }
    let mut batch: Vec<Pending> = (0..1_000).map(|_| Box::pin(waits()) as Pending).collect();
    for future in &mut batch {
        let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(polled.is_pending(), "nothing ends it");
    }
    batch
}

/// A thread-local that forks when it is dropped.
struct ForksAtEnd(std::sync::mpsc::Sender<bool>);

impl Drop for ForksAtEnd {
    fn drop(&mut self) {
        self.0.send(fork(is_refused)).expect("the main thread waits");
    }
}

/// Forks in the last moments of a thread that has recorded something. Returns whether its child was
/// cut off.
fn forks_in_last_moments() -> bool {
    thread_local!(static LAST: RefCell<Option<ForksAtEnd>> = const { RefCell::new(None) });
    let (send, result) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        // Before the recorder has any, so it is dropped after them.
        LAST.set(Some(ForksAtEnd(send)));
        recorded();
    });
    thread.join().expect("it does not panic");
    result.recv().expect("it has forked")
}

/// A poll that lasts until the watchdog has raised an alarm about it.
#[diagnose(root)]
async fn blocks(alarms: std::sync::mpsc::Receiver<()>) -> bool {
    alarms.recv_timeout(Duration::from_secs(9)).is_ok()
}

/// Installs settings in the child, whose parent has installed some, and asks for a dump.
fn installs_again() -> bool {
    let dir = std::env::temp_dir().join(format!("diagnose-forked-{}", std::process::id()));
    let (send, alarms) = std::sync::mpsc::channel();
    let installed = diagnose::Builder::new()
        .dir(&dir)
        .formats([diagnose::Format::Text])
        .watchdog(Duration::from_millis(20))
        .on_alarm(move |_| send.send(()).unwrap_or_default())
        .try_install();
    let again = diagnose::Builder::new().try_install();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let is_watched = runtime.block_on(blocks(alarms));
    let kill = std::process::Command::new("kill").args(["-USR1", &std::process::id().to_string()]).status();
    let dumps = || std::fs::read_dir(&dir).into_iter().flatten().count();
    // The alarm of `fork` ends a child without a dump.
    while dumps() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let _ = std::fs::remove_dir_all(&dir);
    installed.is_ok() && again.is_err() && is_watched && kill.is_ok_and(|status| status.success())
}

fn text() -> String {
    let mut text = Vec::new();
    diagnose::dump_to(diagnose::Format::Text, &mut text).expect("it can be written");
    String::from_utf8(text).expect("it is text")
}

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|count| count.parse().ok()).expect("how often");
    recorded();
    assert!(fork(has_records), "the only thread forks");
    println!("alone");
    contended(count);
    println!("contended {count}");
    // The watchdog's thread takes locks that a snapshot needs.
    diagnose::Builder::new().watchdog(Duration::from_millis(1)).signal(None).install();
    for _ in 0..count {
        assert!(fork(has_records), "a child beside the watchdog");
    }
    println!("watched {count}");
    assert!(fork(installs_again), "a child that installs settings");
    println!("installed again");
    diagnose::Builder::new().signal(None).install();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).build().expect("a runtime");
    for _ in 0..4 {
        let lock = Arc::new(Mutex::new(0));
        runtime.spawn(works(Arc::clone(&lock)));
        runtime.spawn(works(lock));
    }
    // A child is refused only if another thread records, and on a busy machine the workers start
    // late.
    while diagnose::snapshot().threads.iter().filter(|thread| thread.alive).count() < 2 {
        std::thread::yield_now();
    }
    for _ in 0..count {
        // The workers run meanwhile, so that the fork can hit an operation that is half done.
        std::thread::sleep(Duration::from_micros(300));
        assert!(fork(is_refused), "a child under load");
    }
    let snapshot = diagnose::snapshot();
    assert!(snapshot.enabled && snapshot.tasks.len() >= 8, "the parent goes on");
    println!("load {count}");
    for _ in 0..4 {
        std::thread::spawn(|| {
            loop {
                drop(batch());
            }
        });
    }
    for _ in 0..count {
        let made = batch();
        let ends = move || {
            drop(made);
            // With the destructors of this thread, which `_exit` leaves out.
            std::process::exit(0)
        };
        assert!(fork(ends), "a child that ends as programs do");
    }
    println!("ends {count}");
    assert!(forks_in_last_moments());
    println!("last moments");
    std::process::exit(0);
}
