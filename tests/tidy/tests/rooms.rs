//! The imports between the rooms of the recorder go one way.

use diagnose_tidy::{Source, sources};

/// From the bottom up. A room may import those before it, and those of its own line.
const ROOMS: [&[&str]; 13] = [
    &["os", "pattern", "sync"],
    &["clock"],
    // A site is registered with the switchboard at its first use.
    &["site", "switch"],
    &["context", "label", "pool"],
    &["tree"],
    &["live"],
    &["recorder"],
    &["awaited", "timed"],
    &["block", "named"],
    &["spawned"],
    &["waits"],
    &["custom"],
    &[
        "async_channel",
        "async_lock",
        "async_std",
        "flume",
        "futures",
        "parking_lot",
        "smol",
        "std",
        "tokio",
        "tokio_util",
    ],
];

/// What is needed once, at the first use of the crate or on the first visit of a thread: the settings, and the thread's signal
/// stack. And where a runtime's hooks have to be told what is listed already.
const EXCEPTIONS: [(&str, &str); 4] =
    [("block", "__private"), ("recorder", "threads"), ("spawned", "tokio"), ("switch", "env")];

/// The room of a file.
fn room(source: &Source) -> Option<String> {
    let path = source.path.strip_prefix("diagnose/src/")?;
    Some(path.split('/').next()?.trim_end_matches(".rs").to_owned())
}

fn rank(room: &str) -> Option<usize> {
    ROOMS.iter().position(|rooms| rooms.contains(&room))
}

/// The rooms that a file names, as `crate::room`.
fn imports(source: &Source) -> Vec<String> {
    let code = source.text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.collect::<Vec<_>>().join("\n");
    // What stands in tests, at the end of a file, runs above everything.
    let code = code.split("\nmod tests {").next().unwrap_or_default().to_owned();
    let mut imports = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let group = rest.strip_prefix('{').and_then(|rest| rest.split('}').next());
        let names = group.map_or_else(|| vec![rest], |group| group.split(',').collect());
        for name in names {
            let name = name.trim_start();
            let end = name.find(|c: char| !(c.is_ascii_lowercase() || c == '_')).unwrap_or(name.len());
            if end > 0 {
                imports.push(name[..end].to_owned());
            }
        }
    }
    imports
}

#[test]
fn imports_go_down() {
    let mut files = 0;
    let mut wrong = Vec::new();
    for source in sources() {
        let Some(room) = room(&source) else { continue };
        let Some(own) = rank(&room) else { continue };
        files += 1;
        for import in imports(&source) {
            let is_exception = EXCEPTIONS.iter().any(|(from, to)| *from == room && *to == import);
            let is_below = import == room || rank(&import).is_some_and(|rank| rank <= own);
            // Wrappers may use what is on no way of a poll.
            let is_wrapper = own == ROOMS.len() - 1 && rank(&import).is_none();
            if !is_below && !is_exception && !is_wrapper {
                wrong.push(format!("{} imports `{import}`", source.path));
            }
        }
    }
    assert!(files > 100, "the rooms are found: {files}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_bottom_room_imports_nothing() {
    let context = sources().into_iter().find(|source| source.path == "diagnose/src/context.rs");
    let context = context.expect("the room is there");
    assert_eq!(imports(&context), Vec::<String>::new());
}
