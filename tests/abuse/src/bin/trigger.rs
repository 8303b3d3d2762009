//! A program that requests a dump of itself with a trigger file, twice.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use diagnose::diagnose;

#[diagnose]
fn work() {}

fn main() {
    let path = |name: &str| PathBuf::from(std::env::var_os(name).expect("it is set"));
    let (folder, file) = (path("DIAGNOSE_DIR"), path("DIAGNOSE_TRIGGER"));
    diagnose::Builder::new().signal(None).formats([diagnose::Format::Text]).install();
    work();
    for number in 1..=2 {
        std::fs::write(&file, "").expect("it can be written");
        let end = Instant::now() + Duration::from_secs(30);
        while std::fs::read_dir(&folder).into_iter().flatten().count() < number {
            assert!(Instant::now() < end, "no dump {number}");
            thread::sleep(Duration::from_millis(10));
        }
        assert!(!file.exists());
    }
    println!("two dumps");
}
