//! A program's verdicts at one moment, as a line of JSON from the child to the parent.

use diagnose_reports::Snapshot;
use diagnose_reports::model::{RunState, TaskId, Wait};
use serde_json::{Deserializer, Value, json};

/// One look at a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// The time of the look, in milliseconds since the start of the program.
    pub at_ms: u64,
    /// The verdicts. `None` if the dump has no list of verdicts.
    pub verdicts: Option<Vec<Verdict>>,
    /// Whether the dump, read back by `diagnose-reports` alone, gives the same verdicts.
    pub is_same_when_read: bool,
    /// The names of the findings that say that something is stuck, or may become so.
    pub findings: Vec<String>,
}

/// The parts of a verdict that are judged or shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)] // The names are those of the saved format.
pub struct Verdict {
    pub kind: String,
    pub detail: Option<String>,
    pub confidence: String,
    pub root_cause: bool,
    /// The index of the verdict that it waits behind.
    pub behind: Option<usize>,
    pub chain: Vec<Link>,
    pub sentence: String,
}

/// A link of its chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Link {
    pub node: String,
    pub id: u64,
    pub name: String,
    pub file: String,
    pub line: u64,
    pub role: String,
    /// Files and lines of the callers.
    pub callers: Vec<(String, u64)>,
}

/// A look as the child takes it.
#[derive(Debug, Clone)]
pub struct Taken {
    /// The line of JSON for the parent.
    pub line: String,
    /// The dump, in JSON, that the line was made from.
    pub dump: Vec<u8>,
    /// Whether it fell into the poll of a task with a long wait. While the task runs, it may
    /// release anything, so a proof may be missing.
    pub is_in_poll: bool,
}

/// Looks at this program now.
///
/// # Panics
/// If its dump is not JSON.
#[must_use]
pub fn take(at_ms: u64) -> Taken {
    let mut dump = Vec::new();
    diagnose::dump_to(diagnose::Format::Json, &mut dump).expect("it is written to memory");
    let read = Snapshot::read_json(&dump[..]).expect("a dump can be read back");
    let written = verdicts_in(&dump);
    let is_same = serde_json::to_value(read.verdicts()).is_ok_and(|verdicts| verdicts == written);
    let brief = |verdict: &Value| {
        let link = |link: &Value| {
            let callers = link["callers"].as_array().into_iter().flatten();
            let callers: Vec<Value> = callers.map(|it| json!([it["file"], it["line"]])).collect();
            json!([link["node"], link["id"], link["name"], link["file"], link["line"], link["role"], callers])
        };
        let chain: Vec<Value> = verdict["chain"].as_array().into_iter().flatten().map(link).collect();
        json!({
            "kind": verdict["kind"], "detail": verdict["detail"], "confidence": verdict["confidence"],
            "root_cause": verdict["root_cause"], "behind": verdict["behind"], "chain": chain,
            "sentence": verdict["sentence"],
        })
    };
    let verdicts = written.as_array().map(|all| all.iter().map(brief).collect::<Vec<_>>());
    let findings: Vec<String> = read.findings().iter().map(|finding| finding.rule.to_string()).collect();
    let findings: Vec<&String> =
        findings.iter().filter(|rule| rule.starts_with("stuck.") || *rule == "set_aside").collect();
    let line = json!({
        "at_ms": at_ms, "verdicts": verdicts, "is_same_when_read": is_same, "findings": findings,
    });
    let line = line.to_string();
    Taken { line, dump, is_in_poll: is_in_poll(&read) }
}

/// The verdicts of a dump, parsed without the rest of it.
fn verdicts_in(dump: &[u8]) -> Value {
    let key = b"\"verdicts\":";
    // In a string, there would be a backslash before the second quote.
    let at = dump.windows(key.len()).position(|window| window == key);
    let mut values =
        Deserializer::from_slice(&dump[at.map_or(dump.len(), |at| at + key.len())..]).into_iter();
    values.next().and_then(Result::ok).unwrap_or_default()
}

/// The minimum age of a long wait, in ns.
const LONG_NS: u64 = 1_000_000_000;

fn is_in_poll(snapshot: &Snapshot) -> bool {
    let running = snapshot.tasks.iter().filter(|task| task.state == RunState::Running);
    let running: Vec<(TaskId, u64)> = running.map(|task| (task.id, task.since_ns)).collect();
    let waits_in = |wait: &Wait| running.iter().any(|it| wait.task == Some(it.0) && wait.since_ns > it.1);
    snapshot.waits.iter().filter(|wait| wait.since_ns >= LONG_NS).any(waits_in)
}

/// Parses the line of a look. Returns `None` for any other line.
#[must_use]
pub fn read(line: &str) -> Option<Look> {
    let look: Value = serde_json::from_str(line).ok()?;
    let verdicts = look["verdicts"].as_array().map(|all| all.iter().map(verdict).collect());
    let is_same_when_read = look["is_same_when_read"].as_bool()?;
    let findings = look["findings"].as_array()?.iter().map(text).collect();
    Some(Look { at_ms: look["at_ms"].as_u64()?, verdicts, is_same_when_read, findings })
}

fn verdict(value: &Value) -> Verdict {
    let link = |link: &Value| Link {
        node: text(&link[0]),
        id: link[1].as_u64().unwrap_or_default(),
        name: text(&link[2]),
        file: text(&link[3]),
        line: link[4].as_u64().unwrap_or_default(),
        role: text(&link[5]),
        callers: link[6].as_array().into_iter().flatten().map(place).collect(),
    };
    Verdict {
        kind: text(&value["kind"]),
        detail: value["detail"].as_str().map(str::to_owned),
        confidence: text(&value["confidence"]),
        root_cause: value["root_cause"].as_bool().unwrap_or_default(),
        behind: value["behind"].as_u64().and_then(|index| usize::try_from(index).ok()),
        chain: value["chain"].as_array().into_iter().flatten().map(link).collect(),
        sentence: text(&value["sentence"]),
    }
}

fn place(value: &Value) -> (String, u64) {
    (text(&value[0]), value[1].as_u64().unwrap_or_default())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
