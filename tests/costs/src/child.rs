//! One sample: a program run once, in its own process.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;
use std::{fs, io};

use rustix::time::{ClockId, clock_gettime};

use crate::program::{Program, Way};

/// The work and the resource usage of one process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sample {
    /// Operations that the program has done.
    pub operations: u64,
    /// User and system time of the whole process until the program's end.
    pub cpu: Duration,
    /// The peak resident set of the process, in KiB; 0 if unknown.
    pub peak_kib: u64,
    /// The recording cost that the program's own snapshot states; 0 for a bare program, which
    /// records nothing.
    pub stated: Duration,
}

/// Runs a program in this process, and prints the sample for [`Sample::read`].
pub fn run(program: &Program, way: Way, size: u64) {
    let operations = program.run(way, size);
    // The processor time of all threads, including those that have ended.
    let cpu = clock_gettime(ClockId::ProcessCPUTime);
    let peak_kib = peak_kib();
    println!("{operations} {} {} {peak_kib} {}", cpu.tv_sec, cpu.tv_nsec, stated_ns(way));
}

fn stated_ns(way: Way) -> u64 {
    if way == Way::Bare {
        return 0;
    }
    diagnose::snapshot().costs.iter().map(|cost| cost.ns).sum()
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Runs a program in its own process, under the command `wrapper` if there is one, such as
/// `valgrind`.
///
/// # Errors
/// If the process cannot be started or fails.
pub fn start(
    wrapper: &[&str],
    path: &Path,
    program: &Program,
    way: Way,
    size: u64,
) -> io::Result<(Sample, Output)> {
    let mut command = match wrapper {
        [] => Command::new(path),
        [first, rest @ ..] => {
            let mut command = Command::new(first);
            command.args(rest).arg(path);
            command
        }
    };
    command.args(["--child", program.name, way.name(), &size.to_string()]);
    let output = command.output()?;
    let sample = output.status.success().then(|| Sample::read(&String::from_utf8_lossy(&output.stdout)));
    match sample.flatten() {
        Some(sample) => Ok((sample, output)),
        None => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(io::Error::other(format!("{} {}: {}\n{said}", program.name, way.name(), output.status)))
        }
    }
}

impl Sample {
    /// Parses the line that a child prints. Returns `None` for any other line.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = text.lines().last()?.split_whitespace().map(str::parse::<u64>);
        let mut number = || numbers.next()?.ok();
        let operations = number()?;
        let cpu = Duration::new(number()?, u32::try_from(number()?).ok()?);
        Some(Self { operations, cpu, peak_kib: number()?, stated: Duration::from_nanos(number()?) })
    }
}
