//! Runs rows on all runtimes, without and with noise, each run in a child process.

use std::collections::{BTreeSet, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use crate::child::{GOES_ON, JSON, STARTED, WATCH};
use crate::judge::{self, Outcome};
use crate::look::{self, Look};
use crate::options::Options;
use crate::row::{Flavor, Row, Section};
use crate::sample;
use crate::source::{self, Marks};

/// The levels of noise: the number of background tasks.
pub const NOISE: [u32; 2] = [0, 200];

/// The time limit of a child. A child ends by itself, so one that reaches this hangs as a whole.
const LIMIT: Duration = Duration::from_secs(20);

/// How often a program that hangs is run until it does. On a busy machine, its steps may come in an
/// order in which nothing hangs.
const TRIES: usize = 3;

/// The results of a row.
#[derive(Debug, Clone)]
pub struct Result {
    /// The row.
    pub row: &'static Row,
    /// The wrong results, by the index of the flavor. Empty if all were right.
    pub wrong: [Vec<String>; 3],
    /// The expected verdicts that were found, by the index of the flavor.
    pub said: [BTreeSet<String>; 3],
    /// The sentence of one of the expected verdicts; `None` if none was found.
    pub sentence: Option<String>,
    /// The number of runs on each runtime.
    pub runs: u32,
    /// The runs that were repeated, as the program ended by itself before anything was proven.
    pub repeated: Vec<String>,
}

/// One run of a row in a child.
#[derive(Debug, Clone)]
struct Run {
    /// Index into the results.
    result: usize,
    marks: Marks,
    flavor: Flavor,
    noise: u32,
}

/// Runs the selected rows with the program at `path`, which is `hangs` itself.
///
/// # Panics
/// If it cannot be started.
#[must_use]
pub fn run(path: &Path, sections: &'static [Section], options: &Options) -> Vec<Result> {
    let sampled = if options.sample { sample::rows(sections) } else { Vec::new() };
    let position = |row: &Row| sampled.iter().position(|it| it.name == row.name);
    let asked = |row: &Row| {
        (options.only.is_empty() || options.only.iter().any(|it| it == row.id || it == row.name))
            && (!options.sample || position(row).is_some())
            && (!options.watch || Flavor::ALL.into_iter().all(|flavor| has_answer(row, flavor, 0)))
    };
    let mut results = Vec::new();
    let (mut busy, mut others) = (VecDeque::new(), VecDeque::new());
    for section in sections {
        for row in section.rows.iter().filter(|row| asked(row)) {
            let runs = if row.is_busy { &mut busy } else { &mut others };
            // At both levels of noise; a sample uses one of them.
            let noises = |flavor| match position(row) {
                Some(position) => vec![NOISE[sample::noise(position, flavor)]],
                None => NOISE.to_vec(),
            };
            let per_flavor = if options.sample { 1 } else { 2 };
            for (flavor, noise) in Flavor::ALL
                .into_iter()
                .flat_map(|flavor| noises(flavor).into_iter().map(move |noise| (flavor, noise)))
                .filter(|&(flavor, noise)| !options.watch || has_answer(row, flavor, noise))
            {
                let run = Run { result: results.len(), marks: source::marks(section, row), flavor, noise };
                runs.extend((0..options.repeat).map(|_| run.clone()));
            }
            let runs = options.repeat * per_flavor;
            let (wrong, said) = (<[Vec<String>; 3]>::default(), <[BTreeSet<String>; 3]>::default());
            results.push(Result { row, wrong, said, sentence: None, runs, repeated: Vec::new() });
        }
    }
    let queues = [Mutex::new(busy), Mutex::new(others)];
    let results = Mutex::new(results);
    thread::scope(|scope| {
        for number in 0..options.jobs {
            let (queues, results) = (&queues, &results);
            scope.spawn(move || {
                // Only the first thread runs rows that keep a processor busy, one after the other.
                for queue in &queues[usize::from(number != 0)..] {
                    while let Some(run) = next(queue) {
                        let row = results.lock().expect("no panic")[run.result].row;
                        let mut repeated = Vec::new();
                        let (wrong, said) = loop {
                            match judged(path, row, &run, options) {
                                Judged::Repeat(why) if repeated.len() + 1 < TRIES => repeated.push(why),
                                Judged::Repeat(why) => break (Some(why), None),
                                Judged::Result(wrong, said) => break (wrong, said),
                            }
                        };
                        let result = &mut results.lock().expect("no panic")[run.result];
                        let at = |why| format!("{} noise {}: {why}", run.flavor.name(), run.noise);
                        result.repeated.extend(repeated.into_iter().map(at));
                        let wrong = wrong.map(|wrong| format!("noise {}: {wrong}", run.noise));
                        result.wrong[run.flavor as usize].extend(wrong);
                        if let Some((mut said, sentence)) = said {
                            if run.noise > 0 && row.in_noise.is_some() {
                                said.push_str(" beside other tasks");
                            }
                            result.said[run.flavor as usize].insert(said);
                            result.sentence.get_or_insert(sentence);
                        }
                    }
                }
            });
        }
    });
    results.into_inner().expect("no panic")
}

/// Whether nothing is wrong, and hardly a program that hangs ended by itself: at most one run in a
/// hundred had to be repeated, or three of a sample.
#[must_use]
pub fn is_right(results: &[Result]) -> bool {
    let runs: usize = results.iter().map(|result| result.runs as usize * Flavor::ALL.len()).sum();
    let repeated: usize = results.iter().map(|result| result.repeated.len()).sum();
    results.iter().all(|result| result.wrong.iter().all(Vec::is_empty)) && repeated <= (runs / 100).max(3)
}

/// Whether the watchdog has to raise an alarm, or must not: it raises none for what is suspect.
fn has_answer(row: &Row, flavor: Flavor, noise: u32) -> bool {
    let findings = row.beside_tasks(noise).findings(flavor);
    let is_alarm = !findings.is_empty() && findings.iter().all(|finding| finding.confidence != "suspect");
    is_alarm || row.ends_on(flavor)
}

fn next(queue: &Mutex<VecDeque<Run>>) -> Option<Run> {
    queue.lock().expect("no panic").pop_front()
}

/// What became of one run.
enum Judged {
    /// The wrong result, and the expected verdict that was found with its sentence.
    Result(Option<String>, Option<(String, String)>),
    /// The program did not get to what it is for, with the reason. Nothing was proven meanwhile.
    Repeat(String),
}

/// Runs a row in a child, and judges it.
fn judged(path: &Path, row: &Row, run: &Run, options: &Options) -> Judged {
    let row = &row.beside_tasks(run.noise);
    let (outcome, looks, errors) = watch(path, row, run, options.watch);
    if let Some(mut wrong) = judge::outcome(row, run.flavor, outcome) {
        if let Some(panic) = judge::panic_in(&errors) {
            wrong = format!("{wrong}: {panic}");
        }
        let is_repeated = outcome == Outcome::Ended && !judge::is_proven(&looks);
        return if is_repeated { Judged::Repeat(wrong) } else { Judged::Result(Some(wrong), None) };
    }
    // A watched program that hangs has been ended by its alarm.
    if options.outcomes || (options.watch && !row.ends_on(run.flavor)) {
        return Judged::Result(None, None);
    }
    let wrong = judge::looks(row, run.flavor, &run.marks, &looks);
    Judged::Result(wrong, judge::said(row, run.flavor, &run.marks, &looks))
}

/// Runs a row in a child until it ends: how it ended, its looks, and what it wrote to stderr.
fn watch(path: &Path, row: &Row, run: &Run, by_watchdog: bool) -> (Outcome, Vec<Look>, String) {
    let mut command = Command::new(path);
    command.args([row.name, run.flavor.name(), &run.noise.to_string()]).env_remove(JSON);
    if by_watchdog {
        command.env(WATCH, "1");
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it is a program");
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut err = child.stderr.take().expect("it is piped");
    let looks = thread::spawn(move || {
        let lines = out.lines().map_while(std::result::Result::ok).filter(|line| line != STARTED);
        lines.filter_map(|line| look::read(&line)).collect()
    });
    let errors = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = err.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let outcome = end(&mut child);
    (outcome, looks.join().expect("no panic"), errors.join().expect("no panic"))
}

fn end(child: &mut Child) -> Outcome {
    let start = Instant::now();
    loop {
        match child.try_wait().expect("it is our child") {
            Some(status) if status.success() => return Outcome::Ended,
            Some(status) if status.code() == Some(GOES_ON) => return Outcome::GoesOn,
            Some(_) => return Outcome::Failed,
            None if start.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Outcome::Failed;
            }
            None => thread::sleep(Duration::from_millis(10)),
        }
    }
}
