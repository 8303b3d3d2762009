//! The header of the profile, and its threads.

use std::io::{self, BufWriter, Write};

use super::markers::{self, Markers};
use super::tables::Ms;
use super::thread::{KINDS, Thread};
use crate::analysis::paths::{Labels, paths};
use crate::clean::printable;
use crate::export::footer::{footer, process, started_unix_ms};
use crate::json::quoted;
use crate::model::Snapshot;
use crate::view::View;

/// Version of the processed profile format.
const VERSION: u32 = 55;

/// Names and colors of the categories, in the order of [`Category`]. The profiler hides samples of
/// the category `Idle` on request.
const CATEGORIES: [(&str, &str); 4] =
    [("Other", "grey"), ("Busy", "orange"), ("Idle", "lightblue"), ("Queued", "yellow")];

/// The category of a frame, which decides its color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Category {
    Other,
    Busy,
    Idle,
    Queued,
}

/// Writes the profile. The view decides which thread is selected first.
pub(crate) fn write(snapshot: &Snapshot, view: View, out: &mut dyn Write) -> io::Result<()> {
    let out = &mut BufWriter::new(out);
    let selected = match view {
        View::Wall | View::Time => 0,
        View::Busy => 1,
        View::Idle => 2,
    };
    write_meta(snapshot, selected, out)?;
    out.write_all(b",\n\"libs\":[],\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\n\"threads\":[")?;
    let paths = paths(snapshot, Labels::Merged);
    for (index, kind) in KINDS.iter().enumerate() {
        out.write_all(if index > 0 { b",\n" } else { b"\n" })?;
        // The first thread has the markers, whose positions are times since the recording started.
        let mut thread = Thread::new(snapshot, &paths, kind);
        let markers =
            if index == 0 { Markers::new(snapshot, &mut thread.strings) } else { Markers::default() };
        thread.write(snapshot, index, &markers, out)?;
    }
    out.write_all(b"]}\n")?;
    out.flush()
}

fn write_meta(snapshot: &Snapshot, selected: usize, out: &mut dyn Write) -> io::Result<()> {
    let categories = CATEGORIES.map(|(name, color)| {
        format!("{{\"name\":\"{name}\",\"color\":\"{color}\",\"subcategories\":[\"Other\"]}}")
    });
    let product = quoted(&process(snapshot));
    write!(out, "{{\"meta\":{{\"preprocessedProfileVersion\":{VERSION},\"version\":24,")?;
    write!(out, "\"product\":{product},\"importedFrom\":{},", quoted(&printable(&snapshot.producer)))?;
    write!(out, "\"startTime\":{},", started_unix_ms(snapshot))?;
    out.write_all(b"\"processType\":0,\"debug\":false,\"symbolicated\":true,")?;
    out.write_all(b"\"pausedRanges\":[],\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,")?;
    write!(out, "\"profilingStartTime\":0,\"profilingEndTime\":{},", Ms(snapshot.elapsed_ns))?;
    out.write_all(b"\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},")?;
    out.write_all(b"\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},")?;
    let extra: Vec<String> = footer(snapshot)
        .iter()
        .zip(["Recorded", "Losses", "Clock", "Producer"].iter().chain(std::iter::repeat(&"More")))
        .map(|(line, label)| {
            format!("{{\"label\":\"{label}\",\"format\":\"string\",\"value\":{}}}", quoted(line))
        })
        .collect();
    write!(out, "\"extra\":[{{\"label\":\"diagnose\",\"entries\":[{}]}}],", extra.join(","))?;
    write!(out, "\"initialSelectedThreads\":[{selected}],\"initialVisibleThreads\":[0,1,2],")?;
    write!(out, "\"interval\":1,\"categories\":[{}],", categories.join(","))?;
    write!(out, "\"markerSchema\":[{}]}}", markers::schemas().join(","))
}
