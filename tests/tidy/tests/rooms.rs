//! Imports between rooms go one way: in the library, and in the reports.

use diagnose_tidy::{Source, sources};

/// The rooms of `diagnose/src` that polls go through, lowest first. A room may import from its own
/// line and from earlier ones.
const RECORDER: [&[&str]; 16] = [
    &["number", "os", "pattern", "serve_address", "sync", "task_name", "text_limit"],
    // `env` is read at the first use of the crate.
    &["clock", "env"],
    // A site is registered with the switchboard at its first use.
    &["site", "switch"],
    &["context", "label", "pool"],
    &["tree"],
    &["live"],
    &["task_attr"],
    &["recorder"],
    &["awaited", "timed"],
    &["block", "named"],
    &["spawned"],
    &["waits"],
    &["wrap"],
    &["custom"],
    &["async_channel", "async_lock", "flume", "futures", "parking_lot", "std"],
    &["async_std", "smol", "tokio", "tokio_util"],
];

/// The rooms that no poll goes through, lowest first as in [`RECORDER`]. They may also import from
/// all of those.
const COLD: [&[&str]; 10] = [
    &["attribute", "config", "cpu", "install_error", "model", "off", "signal_mask"],
    &["events", "exit", "identity", "own_thread"],
    &["dump_name", "say"],
    &["env_names", "keep", "signal", "trigger"],
    &["alarms", "env_values", "panics", "span_layer", "system_call"],
    &["snapshot"],
    &["dump", "serve", "watchdog", "within"],
    &["fork"],
    &["install", "threads"],
    &["lib"],
];

/// Imports against the order, and of modules inside a file. What a thread and a fork need is
/// prepared at the first poll of a thread, and before a thread of this crate begins. The hooks of a
/// runtime need the tasks that are already listed.
const EXCEPTIONS: [(&str, &str); 5] = [
    ("block", "__private"),
    ("own_thread", "fork"),
    ("recorder", "threads"),
    ("signal_mask", "on_unix"),
    ("spawned", "tokio"),
];

/// The rooms of `reports/src`, lowest first as in [`RECORDER`]. A path is in the room of the
/// longest entry that it begins with.
const REPORTS: [&[&str]; 19] = [
    &["clean", "json", "lists", "sort", "units", "view", "wall_clock"],
    &["ordered"],
    &["model"],
    &["error", "index", "names"],
    &["analysis::latency", "analysis::quantile", "analysis::tree"],
    &["analysis::hide", "analysis::paths"],
    &[
        "analysis::fold",
        "analysis::labels",
        "analysis::lock_order",
        "analysis::long_polls",
        "analysis::uses",
        "analysis::rows",
        "analysis::since",
    ],
    &["analysis::diff"],
    &["analysis::merge"],
    &["analysis::hangs::facts"],
    &["analysis::hangs::system"],
    &["analysis::hangs::stuck"],
    &["analysis::hangs::verdict"],
    &["analysis::hangs::words"],
    &["analysis::hangs::warnings"],
    // `solve`, and the exports of `mod.rs`.
    &["analysis::hangs"],
    &["analysis::findings"],
    &["export"],
    &["format", "report", "write"],
];

/// The module of a file, without the crate's name: `analysis::tree`.
fn module(source: &Source, crate_root: &str) -> Option<String> {
    let path = source.path.strip_prefix(crate_root)?.trim_end_matches(".rs").trim_end_matches("/mod");
    Some(path.replace('/', "::"))
}

/// The position in `order` of the room of a path. The longest matching entry counts.
fn rank(order: &[&[&str]], path: &str) -> Option<usize> {
    let is_in =
        |room: &str| path.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"));
    let rooms =
        order.iter().enumerate().flat_map(|(rank, rooms)| rooms.iter().map(move |room| (rank, *room)));
    rooms.filter(|(_, room)| is_in(room)).max_by_key(|(_, room)| room.len()).map(|(rank, _)| rank)
}

/// The modules that a file names through `crate::` and `super::`, from the root of its crate.
fn imports(source: &Source, module: &str) -> Vec<String> {
    let code = source.text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.collect::<Vec<_>>().join("\n");
    // Tests stand at the end of a file and may use everything.
    let code = code.split("\nmod tests {").next().unwrap_or_default();
    let mut imports = Vec::new();
    for keyword in ["crate::", "super::"] {
        for (at, _) in code.match_indices(keyword) {
            if code[..at].ends_with("super::") {
                continue;
            }
            let (mut rest, mut path) = (&code[at..], module);
            while let Some(above) = rest.strip_prefix("super::") {
                (rest, path) = (above, path.rsplit_once("::").map_or("", |(parent, _)| parent));
            }
            match rest.strip_prefix("crate::") {
                Some(rest) => expand("", rest, &mut imports),
                None => expand(path, rest, &mut imports),
            }
        }
    }
    imports
}

/// Collects the modules of `tree::{Tree, link::Link}`, each with `path` before it.
fn expand(path: &str, tree: &str, found: &mut Vec<String>) {
    if let Some(group) = tree.strip_prefix('{') {
        let (mut depth, mut start) = (0, 0);
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                ',' | '}' if depth == 0 => {
                    expand(path, group[start..at].trim_start(), found);
                    start = at + 1;
                }
                '}' => depth -= 1,
                _ => {}
            }
            if start > at && c == '}' {
                break;
            }
        }
        return;
    }
    let end = tree.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(tree.len());
    let (name, rest) = tree.split_at(end);
    let path =
        if path.is_empty() || name.is_empty() { format!("{path}{name}") } else { format!("{path}::{name}") };
    match rest.strip_prefix("::") {
        Some(rest) if !name.is_empty() => expand(&path, rest, found),
        _ if path.is_empty() => {}
        _ => found.push(path),
    }
}

/// Returns the number of files in the rooms of `own`, and what they import that is neither in an
/// earlier line of `own`, nor in the same, nor in `beneath`.
fn upward(own: &[&[&str]], beneath: &[&[&str]]) -> (usize, Vec<String>) {
    let mut files = 0;
    let mut wrong = Vec::new();
    for source in sources() {
        let Some(module) = module(&source, "diagnose/src/") else { continue };
        let Some(floor) = rank(own, &module) else { continue };
        let room = module.split("::").next().unwrap_or_default();
        files += 1;
        for import in imports(&source, &module) {
            let import = import.split("::").next().unwrap_or_default();
            let is_exception = EXCEPTIONS.contains(&(room, import));
            let is_below = rank(own, import).is_some_and(|rank| rank <= floor);
            if !is_below && rank(beneath, import).is_none() && !is_exception {
                wrong.push(format!("{} imports `{import}`", source.path));
            }
        }
    }
    (files, wrong)
}

#[test]
fn imports_of_the_recorder_go_down() {
    let (files, wrong) = upward(&RECORDER, &[]);
    assert!(files > 100, "the rooms are found: {files}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn imports_of_rooms_that_no_poll_goes_through_go_down() {
    let (files, wrong) = upward(&COLD, &RECORDER);
    assert!(files > 80, "the rooms are found: {files}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_room_of_the_recorder_has_a_place_in_the_order() {
    let is_known = |room: &str| rank(&RECORDER, room).is_some() || rank(&COLD, room).is_some();
    assert!(!is_known("new_room"));
    let sources = sources();
    let modules = sources.iter().filter_map(|source| module(source, "diagnose/src/"));
    let rooms = modules.map(|module| module.split("::").next().unwrap_or_default().to_owned());
    let unknown: Vec<String> = rooms.filter(|room| !is_known(room)).collect();
    assert_eq!(unknown, [""; 0], "neither in `RECORDER` nor in `COLD`");
}

#[test]
fn the_bottom_room_imports_nothing() {
    let context = sources().into_iter().find(|source| source.path == "diagnose/src/context.rs");
    let context = context.expect("the room is there");
    assert_eq!(imports(&context, "context"), Vec::<String>::new());
}

#[test]
fn imports_of_the_reports_go_down() {
    let mut files = 0;
    let mut wrong = Vec::new();
    for source in sources() {
        let Some(module) = module(&source, "reports/src/") else { continue };
        if matches!(module.as_str(), "lib" | "analysis") || module.ends_with("::tests") {
            continue;
        }
        let Some(own) = rank(&REPORTS, &module) else {
            wrong.push(format!("{} is in no room", source.path));
            continue;
        };
        files += 1;
        for import in imports(&source, &module) {
            if rank(&REPORTS, &import).is_none_or(|rank| rank > own) {
                wrong.push(format!("{} imports `{import}`", source.path));
            }
        }
    }
    assert!(files > 60, "the rooms are found: {files}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn grouped_imports_are_split() {
    let source = Source {
        path: String::new(),
        text: "use crate::{a::{B, c::D}, e};\nuse super::f::G;\nlet h = super::super::i::j();\n".to_owned(),
    };
    assert_eq!(imports(&source, "x::y::z"), ["a", "a::c", "e", "x::y::f", "x::i::j"]);
}
