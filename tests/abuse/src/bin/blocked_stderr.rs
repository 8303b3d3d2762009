//! A program whose stderr is full, with a thread that holds its lock and waits.
//!
//! Says `full` once that is so. A line `block` on stdin blocks a task for half a second, and then waits for the alarm
//! of the watchdog. The end of stdin is the end of the program.

use std::io::{BufRead as _, Write as _};
use std::thread;
use std::time::Duration;

use diagnose::diagnose;

#[diagnose(root)]
async fn blocks() {
    thread::sleep(Duration::from_millis(500));
}

/// Writes until nothing more fits.
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
        // To name the functions of a native stack takes longer than the poll.
        while diagnose::snapshot().alarms.is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        println!("alarm");
    }
}
