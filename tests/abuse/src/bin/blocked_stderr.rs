//! A program whose stderr pipe is full, with a thread that holds the lock of stderr and is blocked.
//!
//! Prints `full` when the pipe is. A line `block` on stdin blocks a task until the watchdog raises
//! an alarm about it. The program ends with its stdin.

use std::fs::OpenOptions;
use std::io::{BufRead as _, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::thread;
use std::time::Duration;

use diagnose::diagnose;

#[diagnose(root)]
async fn blocks() {
    while diagnose::snapshot().alarms.is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
}

/// Writes until the pipe is full. How much it takes is the system's choice.
fn fill_stderr() {
    let mut options = OpenOptions::new();
    let pipe = options.write(true).custom_flags(libc::O_NONBLOCK).open("/proc/self/fd/2");
    let mut pipe = pipe.expect("stderr is a pipe");
    let full = loop {
        if let Err(error) = pipe.write_all(&[b'x'; 4096]) {
            break error;
        }
    };
    assert_eq!(full.kind(), ErrorKind::WouldBlock);
    thread::spawn(|| eprintln!("this does not fit"));
    thread::spawn(|| eprintln!("nor does this"));
}

fn main() {
    diagnose::install();
    fill_stderr();
    println!("full");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    for line in std::io::stdin().lock().lines() {
        assert_eq!(line.expect("text"), "block");
        runtime.block_on(blocks());
        println!("alarm");
    }
}
