//! A writer that panics is the program's: its panic reaches the program, and ends no process.
#![cfg(all(feature = "html", feature = "pprof", feature = "svg"))]

use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

use diagnose_reports::{Format, Snapshot, write};

struct Panics;

impl Write for Panics {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        panic!("it accepts nothing")
    }

    fn flush(&mut self) -> io::Result<()> {
        panic!("it accepts nothing")
    }
}

#[test]
fn a_panic_of_the_writer_reaches_the_caller() {
    for format in Format::all() {
        let write = || write(&Snapshot::default(), format.into(), &mut Panics);
        assert!(catch_unwind(AssertUnwindSafe(write)).is_err(), "{format:?}");
    }
}
