//! `diagnose waiters`: prints contended resources, with their holders and waiters.

use std::collections::BTreeMap;
use std::process::ExitCode;

use diagnose_reports::Snapshot;
use diagnose_reports::model::{Resource, ResourceId, Wait};
use serde::Serialize;

use crate::failure::Failure;
use crate::flags::SnapshotArgs;
use crate::input;
use crate::output::Output;

#[derive(Serialize)]
struct Page<'a> {
    resources: Vec<Contended<'a>>,
}

/// A resource, with its waits in queue order.
#[derive(Serialize)]
struct Contended<'a> {
    #[serde(flatten)]
    resource: &'a Resource,
    waits: Vec<&'a Wait>,
}

pub(crate) fn run(args: &SnapshotArgs, output: Output) -> Result<ExitCode, Failure> {
    let snapshot = input::read(&args.input.path)?;
    if output.is_json {
        Output::json("waiters", page(&snapshot))?;
        return Ok(ExitCode::SUCCESS);
    }
    let waiters = snapshot.waiters();
    output.text(if waiters.is_empty() { "no resource has waiters\n" } else { &waiters })?;
    Ok(ExitCode::SUCCESS)
}

fn page(snapshot: &Snapshot) -> Page<'_> {
    let mut waits = BTreeMap::<ResourceId, Vec<&Wait>>::new();
    for wait in &snapshot.waits {
        if let Some(resource) = wait.resource {
            waits.entry(resource).or_default().push(wait);
        }
    }
    let contended = |(id, waits): (ResourceId, Vec<_>)| {
        snapshot.resource(id).map(|resource| Contended { resource, waits })
    };
    Page { resources: waits.into_iter().filter_map(contended).collect() }
}
