//! A program that treats signals in its own way, and takes dumps.
//!
//! ```text
//! signals sigwait   blocks SIGTERM in its threads, after `install`, and waits for it with `sigwait`
//! signals dumps     blocks SIGUSR1 before `install`, waits for it with `sigwait`, and accepts it
//! signals alarm     blocks SIGTERM before; an alarm's function asks which signals its thread blocks
//! signals later     the same, where SIGTERM is blocked after `install`
//! signals closed    closes all descriptors but those of stdin, stdout and stderr, opens sockets, and
//!                   asks for a dump
//! signals daemon    the same in a forked child, as a daemon does, which installs anew
//! signals stack     blocks the last real-time signal, and has the native stack of a thread copied
//! signals pipe      has the default action for SIGPIPE, and a stderr that nobody reads any more
//! ```
//! Prints a line once it has survived.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::io::{ErrorKind, Read as _};
use std::mem::MaybeUninit;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use diagnose::diagnose;

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("sigwait") => sigwait(),
        Some("dumps") => dumps(),
        Some("alarm") => alarm(true),
        Some("later") => alarm(false),
        Some("closed") => closed(),
        Some("daemon") => daemon(),
        Some("stack") => stack(),
        Some("pipe") => pipe(),
        other => panic!("unknown: {other:?}"),
    }
}

fn set_of(signal: c_int) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call fills in the set.
    unsafe { libc::sigemptyset(set.as_mut_ptr()) };
    // SAFETY: the call above has filled it in.
    let mut set = unsafe { set.assume_init() };
    // SAFETY: the pointer is to a set.
    unsafe { libc::sigaddset(&raw mut set, signal) };
    set
}

/// Changes the mask of this thread. Returns the mask before.
fn change(how: c_int, signal: c_int) -> libc::sigset_t {
    let mut before = set_of(signal);
    // SAFETY: the pointers are to sets.
    let result = unsafe { libc::pthread_sigmask(how, &set_of(signal), &raw mut before) };
    assert_eq!(result, 0);
    before
}

fn own_id() -> libc::pid_t {
    libc::pid_t::try_from(std::process::id()).expect("it came from a pid_t")
}

fn sigwait() {
    diagnose::Builder::new().watchdog(Some(Duration::from_millis(100))).install();
    change(libc::SIG_BLOCK, libc::SIGTERM);
    let waits = thread::spawn(|| wait_for(libc::SIGTERM));
    // SAFETY: it has no pointers.
    unsafe { libc::kill(own_id(), libc::SIGTERM) };
    let signal = waits.join().expect("it does not panic");
    println!("waited for {}", if signal == libc::SIGTERM { "SIGTERM" } else { "another" });
}

/// Returns the signal.
fn wait_for(signal: c_int) -> c_int {
    let mut came = 0;
    // SAFETY: the pointers are to a set and a number.
    unsafe { libc::sigwait(&set_of(signal), &raw mut came) };
    came
}

fn dumps() {
    change(libc::SIG_BLOCK, libc::SIGUSR1);
    diagnose::install();
    // SAFETY: it has no pointers.
    unsafe { libc::kill(own_id(), libc::SIGUSR1) };
    println!("waited for {}", if wait_for(libc::SIGUSR1) == libc::SIGUSR1 { "SIGUSR1" } else { "another" });
    change(libc::SIG_UNBLOCK, libc::SIGUSR1);
    dump();
    println!("dumped");
}

/// Sends this process SIGUSR1, and waits for the dump.
fn dump() {
    let folder = std::env::var("DIAGNOSE_DIR").expect("a folder");
    // SAFETY: it has no pointers.
    unsafe { libc::kill(own_id(), libc::SIGUSR1) };
    while std::fs::read_dir(&folder).into_iter().flatten().count() == 0 {
        thread::sleep(Duration::from_millis(5));
    }
}

fn alarm(is_blocked_before: bool) {
    if is_blocked_before {
        change(libc::SIG_BLOCK, libc::SIGTERM);
    }
    let (send, alarms) = mpsc::channel();
    let on_alarm = move |_: &diagnose::model::Alarm| {
        let before = change(libc::SIG_BLOCK, libc::SIGTERM);
        // SAFETY: the pointer is to a set.
        let has = |signal| unsafe { libc::sigismember(&raw const before, signal) == 1 };
        let _ = send.send((has(libc::SIGTERM), has(libc::SIGHUP)));
    };
    diagnose::Builder::new().watchdog(Some(Duration::from_millis(50))).on_alarm(on_alarm).install();
    // SIGTERM alone is blocked.
    change(libc::SIG_BLOCK, libc::SIGTERM);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let masks = runtime.block_on(blocks(&alarms));
    println!("SIGTERM {} SIGHUP {}", masks.0, masks.1);
}

/// A long poll, which ends with the alarm about it.
#[diagnose(root)]
async fn blocks(alarms: &mpsc::Receiver<(bool, bool)>) -> (bool, bool) {
    alarms.recv_timeout(Duration::from_secs(60)).expect("an alarm")
}

fn stack() {
    change(libc::SIG_BLOCK, libc::SIGRTMAX());
    let (send, number) = mpsc::channel();
    thread::spawn(move || {
        // SAFETY: it has no arguments.
        send.send(unsafe { libc::gettid() }).expect("the main thread waits");
        loop {
            std::hint::spin_loop();
        }
    });
    let number = number.recv().expect("it runs").try_into().expect("it is positive");
    // On a busy machine, the thread may not run for as long as it is waited for.
    let is_copied = (0..100).any(|_| diagnose::__private::interrupt_thread(number) > 0);
    println!("{}", if is_copied { "copied" } else { "none" });
}

fn pipe() {
    // SAFETY: no handler is set.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    diagnose::install();
    // The reader of stderr is gone once stdin ends.
    std::io::stdin().read_to_end(&mut Vec::new()).expect("stdin");
    dump();
    // The end of the process waits for the words about the dump.
    println!("alive");
}

fn closed() {
    install();
    let sockets = replace_descriptors();
    dump();
    println!("{}", if are_quiet(&sockets) { "quiet" } else { "a socket has got something" });
}

fn daemon() {
    install();
    // SAFETY: the child has the only thread that records.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "it forks");
    if child == 0 {
        let sockets = replace_descriptors();
        diagnose::install();
        dump();
        println!("{}", if are_quiet(&sockets) { "quiet" } else { "a socket has got something" });
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local that the call fills in.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert_eq!(status, 0);
}

/// Installs the settings, and waits for the thread that writes dumps. A panic of any thread ends
/// the program.
fn install() {
    std::panic::set_hook(Box::new(|panic| {
        println!("{panic}");
        std::process::exit(1);
    }));
    diagnose::install();
    while !is_listening() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Closes all descriptors, and opens sockets. These have the numbers of the former now.
fn replace_descriptors() -> Vec<UnixStream> {
    for descriptor in 3..1024 {
        // SAFETY: nothing else in this program uses a descriptor.
        unsafe { libc::close(descriptor) };
    }
    let pairs = (0..16).map(|_| UnixStream::pair().expect("sockets"));
    pairs.flat_map(|(one, other)| [one, other]).collect()
}

fn are_quiet(sockets: &[UnixStream]) -> bool {
    sockets.iter().all(|mut socket| {
        socket.set_nonblocking(true).expect("a socket");
        socket.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    })
}

/// Returns whether the thread is there that writes dumps.
fn is_listening() -> bool {
    let threads = std::fs::read_dir("/proc/self/task").expect("Linux").flatten();
    let mut names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    names.any(|name| name.trim() == "diagnose-signal")
}
