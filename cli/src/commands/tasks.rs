//! `diagnose tasks`: prints what every task is doing.

use std::process::ExitCode;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Place, Task};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::SnapshotArgs;
use crate::input;
use crate::output::Output;

#[derive(Serialize)]
struct Page<'a> {
    tasks: Vec<NamedTask<'a>>,
}

/// A task, with its site looked up.
#[derive(Serialize)]
struct NamedTask<'a> {
    name: &'a str,
    place: Option<&'a Place>,
    #[serde(flatten)]
    task: &'a Task,
}

pub(crate) fn run(args: &SnapshotArgs, output: Output) -> Result<ExitCode, Failure> {
    let snapshot = input::read(&args.input.path)?;
    if output.is_json {
        Output::json("tasks", page(&snapshot))?;
    } else {
        output.text(&snapshot.tree())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn page(snapshot: &Snapshot) -> Page<'_> {
    Page { tasks: snapshot.tasks.iter().map(|task| named(snapshot, task)).collect() }
}

fn named<'a>(snapshot: &'a Snapshot, task: &'a Task) -> NamedTask<'a> {
    let site = snapshot.site(task.site);
    NamedTask { name: site.map_or("", |site| &site.name), place: site.map(|site| &site.place), task }
}
