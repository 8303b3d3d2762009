//! A row: a program, the runtimes on which it ends, and its expected verdict.

use std::iter;

use crate::drop_in::tokio::runtime::Runtime;

/// The rows of one source file.
#[derive(Debug, Clone, Copy)]
pub struct Section {
    /// The path of the file, as the compiler has it.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The programs in it.
    pub rows: &'static [Row],
}

/// A program and its expected verdict.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The number in the corpus; `X…` and `Y…` are hangs and controls beyond it.
    pub id: &'static str,
    /// The name of the function.
    pub name: &'static str,
    /// A summary in a few words.
    pub summary: &'static str,
    /// Runs the program. Its future is not boxed, because that of a real `main` is not either.
    pub start: fn(&Runtime),
    /// The expected verdict; `None` for a control.
    pub finding: Option<Finding>,
    /// Other verdicts that are right as well.
    pub or: [Option<Finding>; 2],
    /// The expected verdict in noise, where a background task could be the holder instead.
    pub in_noise: Option<Finding>,
    /// The kind of a verdict that is true as well, such as `driver_starved` of a blocked worker.
    pub beside: Option<&'static str>,
    /// The verdict that a control may get until it ends, as those of `or`: likely, never proven.
    pub seems: Option<Finding>,
    /// Whether a control must have no finding that something is stuck, not even as a suspicion.
    pub is_healthy: bool,
    /// Whether the program ends, by the index of the flavor.
    pub ends: [bool; 3],
    /// Whether the program keeps a processor busy.
    pub is_busy: bool,
}

/// A verdict without its chain, in the words of the saved format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// `cycle`, `leak`, ….
    pub kind: &'static str,
    /// `granted`, `knot`, …; `None` if it does not matter.
    pub detail: Option<&'static str>,
    /// `proven`, `likely` or `suspect`.
    pub confidence: &'static str,
}

/// A runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavor {
    /// tokio's current-thread runtime: all tasks run on the thread of `main`.
    CurrentThread,
    /// A multi-thread runtime with one worker.
    OneWorker,
    /// A multi-thread runtime with two workers.
    TwoWorkers,
}

/// `row!("C01", function, "what it does")`: a control, until the methods of [`Row`] say otherwise.
macro_rules! row {
    ($id:literal, $program:ident, $summary:literal) => {
        $crate::row::Row::new($id, stringify!($program), $summary, |runtime| runtime.block_on($program()))
    };
}

pub(crate) use row;

impl Row {
    pub(crate) const fn new(
        id: &'static str,
        name: &'static str,
        summary: &'static str,
        start: fn(&Runtime),
    ) -> Self {
        Self {
            id,
            name,
            summary,
            start,
            finding: None,
            or: [None; 2],
            in_noise: None,
            beside: None,
            seems: None,
            is_healthy: false,
            ends: [true; 3],
            is_busy: false,
        }
    }

    /// Expects that the program does not end on any runtime, with this verdict.
    pub(crate) const fn is(mut self, finding: Finding) -> Self {
        self.finding = Some(finding);
        self.ends = [false; 3];
        self
    }

    /// Accepts this verdict as well.
    pub(crate) const fn or(mut self, finding: Finding) -> Self {
        self.or = [Some(finding), self.or[0]];
        self
    }

    /// Sets the verdict that is expected in noise. A stronger one is wrong there.
    pub(crate) const fn in_noise(mut self, finding: Finding) -> Self {
        self.in_noise = Some(finding);
        self
    }

    /// The row with the verdict that is expected beside `noise` background tasks.
    #[must_use]
    pub fn beside_tasks(self, noise: u32) -> Self {
        match self.in_noise {
            Some(finding) if noise > 0 => Self { finding: Some(finding), or: [None; 2], ..self },
            _ => self,
        }
    }

    /// Accepts proven verdicts of this kind beside the expected one.
    pub(crate) const fn beside(mut self, kind: &'static str) -> Self {
        self.beside = Some(kind);
        self
    }

    /// Expects that the program ends, but accepts this likely verdict until then: nothing on record
    /// shows that the wait will end.
    pub(crate) const fn seems(mut self, finding: Finding) -> Self {
        self.seems = Some(finding);
        self
    }

    /// Expects no finding that something is stuck. In other controls, tasks wait for each other
    /// until a time limit, or a guard is elsewhere in a way that no record shows: a suspicion is
    /// right.
    pub(crate) const fn healthy(mut self) -> Self {
        self.is_healthy = true;
        self
    }

    /// Expects that the program ends with two workers, without a verdict.
    pub(crate) const fn ends_on_two_workers(mut self) -> Self {
        self.ends[Flavor::TwoWorkers as usize] = true;
        self
    }

    /// Expects that the program does not end, and makes progress all the time.
    pub(crate) const fn goes_on(mut self) -> Self {
        self.ends = [false; 3];
        self
    }

    /// Marks a program that keeps a processor busy. Only one of them runs at a time.
    pub(crate) const fn keeps_busy(mut self) -> Self {
        self.is_busy = true;
        self
    }

    /// Whether the program ends on this runtime.
    #[must_use]
    pub fn ends_on(&self, flavor: Flavor) -> bool {
        self.ends[flavor as usize]
    }

    /// The likely verdicts that a control may get until it ends.
    pub fn seeming(&self) -> impl Iterator<Item = Finding> {
        self.seems.into_iter().flat_map(|seems| iter::once(seems).chain(self.or.into_iter().flatten()))
    }

    /// The verdicts that are right on this runtime, the expected one first; empty if it ends there.
    #[must_use]
    pub fn findings(&self, flavor: Flavor) -> Vec<Finding> {
        if self.ends_on(flavor) {
            Vec::new()
        } else {
            self.finding.into_iter().chain(self.or.into_iter().flatten()).collect()
        }
    }
}

pub(crate) const fn proven(kind: &'static str) -> Finding {
    Finding { kind, detail: None, confidence: "proven" }
}

pub(crate) const fn likely(kind: &'static str) -> Finding {
    Finding { kind, detail: None, confidence: "likely" }
}

pub(crate) const fn suspect(kind: &'static str) -> Finding {
    Finding { kind, detail: None, confidence: "suspect" }
}

impl Finding {
    /// Whether a report names it by this rule.
    pub(crate) fn is_rule(&self, rule: &str) -> bool {
        rule.strip_prefix("stuck.") == Some(self.kind) || (rule, self.kind) == ("set_aside", "hazard")
    }

    pub(crate) const fn detail(mut self, detail: &'static str) -> Self {
        self.detail = Some(detail);
        self
    }
}

impl Flavor {
    /// All runtimes, in the order of the table.
    pub const ALL: [Self; 3] = [Self::CurrentThread, Self::OneWorker, Self::TwoWorkers];

    /// Its name on the command line and in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        ["ct", "mt1", "mt2"][self as usize]
    }

    /// The number of worker threads; 0 for the current-thread runtime.
    #[must_use]
    pub fn workers(self) -> usize {
        self as usize
    }

    /// Returns the runtime of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|flavor| flavor.name() == name)
    }
}
