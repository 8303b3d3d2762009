//! Interleaved rounds of all programs, each way, and the table of their medians.
//!
//! A round runs each way of a program once, and the bare way twice, in sequence; the next round
//! starts with another way. Compared samples were measured within a second, and the numbers are
//! medians of ratios, not ratios of medians. The difference of the two bare runs of a round is the
//! noise of the machine.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::child::{self, Sample};
use crate::program::{Program, Way};
use crate::summary::{median, percent_above_one};

/// The runs of a round: the bare program first and third, so that each half of a round has one.
const ORDER: [Way; 4] = [Way::Bare, Way::Annotated, Way::Bare, Way::DropIn];

/// The factor by which the stated cost may be off, in either direction, for a program of one
/// thread.
pub const MAX_FACTOR: f64 = 1.5;

/// The samples of a program.
#[derive(Debug, Clone)]
pub struct Measured {
    /// The measured program.
    pub program: &'static Program,
    /// The samples of a round, in a fixed order: bare, annotated, bare, drop-in.
    pub rounds: Vec<[Sample; 4]>,
}

/// Runs every program each way, in rounds.
///
/// # Errors
/// If a child fails.
pub fn run(path: &Path, programs: &[&'static Program], rounds: u32, scale: u32) -> io::Result<Vec<Measured>> {
    let empty = |&program| Measured { program, rounds: Vec::new() };
    let mut all: Vec<Measured> = programs.iter().map(empty).collect();
    for round in 0..rounds {
        for measured in &mut all {
            let size = measured.program.size * u64::from(scale) / 100;
            let mut samples = [Sample::default(); 4];
            for step in 0..ORDER.len() {
                let place = (step + round as usize) % ORDER.len();
                let (sample, _) = child::start(&[], path, measured.program, ORDER[place], size)?;
                samples[place] = sample;
            }
            measured.rounds.push(samples);
        }
    }
    Ok(all)
}

/// The table, in Markdown.
#[must_use]
pub fn table(all: &[Measured]) -> String {
    let mut text = String::from(
        "| program | operations | bare, CPU per operation | bare again | `#[diagnose]` | `diagnose::tokio` | added per operation | stated over added | peak memory, MiB |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    for measured in all {
        let _ = writeln!(text, "{}", measured.line());
    }
    text
}

impl Measured {
    /// The median over the rounds.
    fn median(&self, of: impl Fn(&[Sample; 4]) -> f64) -> f64 {
        median(&self.rounds.iter().map(of).collect::<Vec<f64>>())
    }

    /// CPU relative to the bare runs of the same round: the median.
    #[must_use]
    pub fn ratio(&self, way: Way) -> f64 {
        self.median(|round| cpu_ns(round, way) / cpu_ns(round, Way::Bare))
    }

    /// The recording cost that the program's snapshots state, relative to the measured cost: the
    /// median.
    #[must_use]
    pub fn stated(&self, way: Way) -> f64 {
        self.median(|round| stated_ns(round, way) / (cpu_ns(round, way) - cpu_ns(round, Way::Bare)))
    }

    /// Whether the stated cost is right within [`MAX_FACTOR`], in both directions.
    #[must_use]
    pub fn is_as_stated(&self) -> bool {
        let is_near = |way| (1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&self.stated(way));
        is_near(Way::Annotated) && is_near(Way::DropIn)
    }

    fn line(&self) -> String {
        let operations = self.rounds.first().map_or(0, |round| round[0].operations);
        let bare = self.median(|round| cpu_ns(round, Way::Bare));
        let again = self.median(|[first, _, second, _]| {
            nanos(first).max(nanos(second)) / nanos(first).min(nanos(second))
        });
        let added = |way| self.median(|round| cpu_ns(round, way) - cpu_ns(round, Way::Bare));
        let per_operation = |ns: f64| format!("{:.0} ns", ns / to_f64(operations));
        let peak = |place: usize| self.median(|round| to_f64(round[place].peak_kib) / 1024.0);
        format!(
            "| {} | {operations} | {} | ±{:.0} % | {} | {} | {}, {} | {:.2}, {:.2} | {:.0}, {:.0}, {:.0} |",
            self.program.name,
            per_operation(bare),
            100.0 * (again - 1.0),
            percent_above_one(self.ratio(Way::Annotated)),
            percent_above_one(self.ratio(Way::DropIn)),
            per_operation(added(Way::Annotated)),
            per_operation(added(Way::DropIn)),
            self.stated(Way::Annotated),
            self.stated(Way::DropIn),
            peak(0),
            peak(1),
            peak(3),
        )
    }
}

/// The CPU time of a way in a round; for the bare way, the mean of its two runs.
fn cpu_ns(round: &[Sample; 4], way: Way) -> f64 {
    let places: Vec<f64> =
        round.iter().zip(ORDER).filter(|(_, order)| *order == way).map(|(sample, _)| nanos(sample)).collect();
    places.iter().sum::<f64>() / to_f64(places.len() as u64)
}

fn stated_ns(round: &[Sample; 4], way: Way) -> f64 {
    let mut samples = round.iter().zip(ORDER).filter(|(_, order)| *order == way);
    samples.next().map_or(f64::NAN, |(sample, _)| sample.stated.as_secs_f64() * 1e9)
}

fn nanos(sample: &Sample) -> f64 {
    sample.cpu.as_secs_f64() * 1e9
}

#[allow(clippy::cast_precision_loss)] // Counts here are far below 2^52.
fn to_f64(count: u64) -> f64 {
    count as f64
}
