//! The data of the page as JSON: the snapshot, its verdicts and its findings. The nodes of the
//! snapshot are written as columns.
//!
//! The scripts can also read a plain saved snapshot, because a live page fetches one every second.

use std::io;

use super::columns::Columns;
use crate::analysis::findings::Finding;
use crate::analysis::hangs::Verdict;
use crate::analysis::lock_order::LockInversion;
use crate::json::{Json, ToJson};
use crate::model::{
    Alarm, BlockingPool, Clock, Cost, Dropped, PastResources, Process, Resource, Runtime, Site, Snapshot,
    Span, Task, Thread, Wait, Worker, folding, resource,
};

/// The fields of a snapshot by name, without the fields that no view shows.
#[derive(ToJson)]
struct Data<'a> {
    version: u32,
    producer: &'a str,
    process: &'a Process,
    captured_unix_ms: u64,
    elapsed_ns: u64,
    enabled: bool,
    merged: u64,
    clock: &'a Clock,
    costs: &'a [Cost],
    dropped: &'a Dropped,
    threads: &'a [Thread],
    sites: &'a [Site],
    nodes: Columns<'a>,
    alarms: &'a [Alarm],
    runtimes: &'a [Runtime],
    workers: &'a [Worker],
    blocking_pools: &'a [BlockingPool],
    #[serde(with = "folding")]
    tasks: &'a [Task],
    #[serde(with = "folding")]
    spans: &'a [Span],
    #[serde(with = "resource")]
    resources: &'a [Resource],
    past_resources: &'a [PastResources],
    #[serde(with = "folding")]
    waits: &'a [Wait],
    are_threads_unknown: bool,
    verdicts: Vec<Verdict>,
    findings: Vec<Finding>,
    lock_inversions: Vec<LockInversion>,
}

/// Writes the data of the page, on one line.
pub(super) fn write(snapshot: &Snapshot, out: &mut dyn io::Write) -> io::Result<()> {
    let data = Data {
        version: snapshot.version,
        producer: &snapshot.producer,
        process: &snapshot.process,
        captured_unix_ms: snapshot.captured_unix_ms,
        elapsed_ns: snapshot.elapsed_ns,
        enabled: snapshot.enabled,
        merged: snapshot.merged,
        clock: &snapshot.clock,
        costs: &snapshot.costs,
        dropped: &snapshot.dropped,
        threads: &snapshot.threads,
        sites: &snapshot.sites,
        nodes: Columns(&snapshot.nodes),
        alarms: &snapshot.alarms,
        runtimes: &snapshot.runtimes,
        workers: &snapshot.workers,
        blocking_pools: &snapshot.blocking_pools,
        tasks: &snapshot.tasks,
        spans: &snapshot.spans,
        resources: &snapshot.resources,
        past_resources: &snapshot.past_resources,
        waits: &snapshot.waits,
        are_threads_unknown: snapshot.are_threads_unknown,
        verdicts: snapshot.verdicts(),
        findings: snapshot.findings(),
        lock_inversions: snapshot.lock_inversions(),
    };
    let mut json = Json::new(out);
    data.write_json(&mut json);
    json.finish()
}
