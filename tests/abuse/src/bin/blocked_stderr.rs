//! A program whose stderr pipe is full, with a thread that holds the lock of stderr and is blocked.
//!
//! Prints `full` when the pipe is. A line `block` on stdin blocks a task for half a second, and
//! then waits for the watchdog's alarm. The program ends with its stdin.

use std::io::{BufRead as _, Write as _};
use std::thread;
use std::time::Duration;

use diagnose::diagnose;

#[diagnose(root)]
async fn blocks() {
    thread::sleep(Duration::from_millis(500));
}

/// Writes until the pipe is full.
fn fill_stderr() {
    // A pipe takes 64 KiB, in pages of 4 KiB.
    std::io::stderr().write_all(&vec![b'x'; 64 << 10]).expect("there is a reader");
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
        // Naming the functions of a native stack takes longer than the poll: the alarm comes later.
        while diagnose::snapshot().alarms.is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        println!("alarm");
    }
}
