//! Describes a failed run: the program, the records at that moment, and the verdicts.

use std::fmt::Write as _;

use diagnose::Snapshot;
use diagnose::model::{Place, ResourceId};

use crate::program::Program;

/// The description, one item per line.
pub(crate) fn story(seed: u64, program: &Program, snapshot: &Snapshot, fault: &str) -> String {
    let mut story = format!("seed {seed}: {fault}\n");
    let Program { mutexes, locks, notifies, semaphores, channels, oneshots, joiners, is_owned, .. } = program;
    let _ = writeln!(
        story,
        "  {mutexes} mutexes, {locks} locks, {notifies} notifies, semaphores {semaphores:?}, owned: {is_owned}"
    );
    let _ = writeln!(story, "  {channels:?} {oneshots:?} joiners {joiners:?}, {:?}", program.starts);
    for (number, steps) in program.tasks.iter().enumerate() {
        let _ = writeln!(story, "  task {number} {steps:?}");
    }
    for it in &snapshot.tasks {
        let name = &snapshot.sites[it.site].name;
        let wakers = (it.wakers, it.opaque_wakers);
        let _ = writeln!(
            story,
            "  {name} {}: {:?} wakers {wakers:?} unstable: {}",
            it.id, it.state, it.is_unstable
        );
    }
    for it in &snapshot.waits {
        let resource = it.resource.map(ResourceId::get);
        let flags = [
            (it.is_granted, "granted"),
            (it.is_set_aside, "set aside"),
            (it.is_wake_ignored, "snoozed"),
            (it.is_indirect, "indirect"),
            (it.is_unstable, "unstable"),
            (it.woken_ns.is_some(), "woken"),
        ];
        let flags: Vec<&str> = flags.iter().filter(|(is, _)| *is).map(|(_, flag)| *flag).collect();
        let _ = writeln!(
            story,
            "  wait {} of {:?}: {:?} {} of {resource:?} {:?} ahead {} wakers {} {flags:?} {}",
            it.id,
            it.task,
            it.mode,
            it.units,
            it.tasks,
            it.ahead,
            it.wakers,
            line(it.place.as_ref())
        );
    }
    // The other resources were leaked by earlier programs.
    let is_waited_for = |id| snapshot.waits.iter().any(|wait| wait.resource == Some(id));
    for it in snapshot.resources.iter().filter(|it| is_waited_for(it.id)) {
        let _ = writeln!(
            story,
            "  {:?} {}: {} free of {:?}, {} in it, closed: {}, created by {:?}",
            it.kind, it.id, it.free, it.capacity, it.filled, it.is_closed, it.created_by
        );
        for it in &it.holdings {
            let _ = writeln!(
                story,
                "    {:?} {} by {:?} {:?} {:?}, {} uses {}",
                it.role,
                it.units,
                it.task,
                it.attribution,
                it.candidates,
                it.uses,
                line(it.place.as_ref())
            );
        }
    }
    for it in snapshot.verdicts() {
        let _ = writeln!(story, "  {} {}: {}; victims {:?}", it.confidence, it.kind, it.sentence, it.victims);
    }
    story
}

fn line(place: Option<&Place>) -> String {
    place.map(|place| format!("{}:{}", place.file, place.line)).unwrap_or_default()
}
