//! The number of CPUs of the process.
#![cfg(target_os = "linux")]

use std::thread::available_parallelism;

use diagnose_process_tests::cpu;

/// The system's answer is that of the calling thread, and it reads files for it.
#[test]
fn the_number_of_cpus_is_read_once() {
    diagnose_isolation::isolated!();
    let all = diagnose::snapshot().process.cpus;
    assert_eq!(all, Some(available_parallelism().expect("it is known").get() as u64));
    cpu::keep_on_one();
    assert_eq!(available_parallelism().expect("it is known").get(), 1);
    assert_eq!(diagnose::snapshot().process.cpus, all);
}
