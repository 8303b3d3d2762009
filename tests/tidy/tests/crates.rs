//! Each external crate is named in its own rooms.

use diagnose_tidy::{Source, sources, words};

/// The rooms that may name each external crate. The reasons are in ARCHITECTURE.md, under
/// Dependencies.
const CRATES: [(&str, &[&str]); 32] = [
    ("async_channel", &["diagnose/src/async_channel/", "diagnose/src/off/"]),
    ("async_lock", &["diagnose/src/async_lock/", "diagnose/src/off/"]),
    ("async_std", &["diagnose/src/async_std/", "diagnose/src/off/"]),
    ("backtrace", &["diagnose/src/watchdog/native_stack/"]),
    (
        "clap",
        &["cli/src/args.rs", "cli/src/commands/", "cli/src/flags.rs", "cli/src/main.rs", "cli/src/paint.rs"],
    ),
    ("clap_complete", &["cli/src/args.rs", "cli/src/commands/manual.rs"]),
    ("clap_mangen", &["cli/src/commands/manual.rs"]),
    ("flate2", &["reports/src/export/page/", "reports/src/export/pprof.rs"]),
    ("flume", &["diagnose/src/flume/", "diagnose/src/off/"]),
    ("framehop", &["diagnose/src/watchdog/native_stack/"]),
    ("futures", &["diagnose/src/futures/", "diagnose/src/async_lock/tests.rs", "diagnose/src/off/"]),
    ("futures_sink", &["diagnose/src/flume/", "diagnose/src/tokio_util/"]),
    ("glob", &["cli/src/sides.rs"]),
    ("inferno", &["reports/src/export/svg.rs"]),
    (
        "libc",
        &[
            "diagnose/src/exit.rs",
            "diagnose/src/os.rs",
            "diagnose/src/signal/semaphore.rs",
            "diagnose/src/signal_mask.rs",
            "diagnose/src/watchdog/native_stack/",
        ],
    ),
    ("log", &["diagnose/src/events.rs"]),
    ("loom", &["diagnose/src/sync.rs", "/loom.rs"]),
    ("once_cell", &["diagnose/src/sync.rs"]),
    ("open", &["cli/src/browser.rs", "cli/src/commands/select.rs"]),
    ("parking_lot", &["diagnose/src/parking_lot/", "diagnose/src/sync.rs", "diagnose/src/off/"]),
    ("rustc_hash", &["diagnose/src/snapshot/numbers.rs", "/facts/id_map.rs", "reports/src/"]),
    ("rustix", &["cli/src/process/"]),
    ("serde", &["cli/src/", "reports/src/"]),
    (
        "serde_json",
        &["cli/src/", "reports/src/error.rs", "reports/src/export/", "reports/src/model/folding/"],
    ),
    (
        "signal_hook",
        &["diagnose/src/signal.rs", "diagnose/src/signal/", "cli/src/commands/run/", "cli/src/process/"],
    ),
    ("smol", &["diagnose/src/smol.rs", "diagnose/src/off/"]),
    ("tempfile", &["cli/src/commands/"]),
    ("tokio", &["diagnose/src/tokio/", "diagnose/src/tokio_util/task/", "diagnose/src/off/"]),
    ("tokio_util", &["diagnose/src/tokio_util/", "diagnose/src/off/"]),
    ("tracing", &["diagnose/src/events.rs"]),
    ("tracing_core", &["diagnose/src/span_layer/", "diagnose/src/off/"]),
    ("tracing_subscriber", &["diagnose/src/span_layer/", "diagnose/src/off/"]),
];

/// The external crates that a file names outside of their rooms.
fn crates_out_of_place(source: &Source) -> Vec<&'static str> {
    let code = source.shipped();
    let is_named = |name: &'static str| {
        words(&code, name).any(|at| {
            let before = &code[..at];
            let is_path = code[at + name.len()..].starts_with("::");
            // `::tokio` is the crate. `crate::tokio`, `super::tokio` and `$crate::tokio` are rooms.
            let is_external = before
                .strip_suffix("::")
                .is_none_or(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>'));
            let is_alone = before.ends_with("use ::") || before.ends_with("use ");
            is_external && (is_path || is_alone)
        })
    };
    let elsewhere = CRATES.iter().filter(|(_, rooms)| !rooms.iter().any(|room| source.path.contains(room)));
    elsewhere.map(|(name, _)| *name).filter(|name| is_named(name)).collect()
}

#[test]
fn each_external_crate_is_named_in_its_own_rooms() {
    let bad = |text: &str| crates_out_of_place(&Source::new("diagnose/src/live/a.rs", text));
    assert_eq!(bad("use parking_lot::Mutex;"), ["parking_lot"]);
    assert_eq!(bad("let id = ::tokio::task::id();"), ["tokio"]);
    assert_eq!(bad("pub use ::flume;"), ["flume"]);
    assert_eq!(bad("use crate::tokio::hooks;\nuse super::smol::spawn;"), [""; 0]);

    let is_library = |source: &Source| {
        ["diagnose/src/", "reports/src/", "cli/src/"].iter().any(|it| source.path.starts_with(it))
    };
    let sources: Vec<Source> = sources().into_iter().filter(is_library).collect();
    assert!(sources.len() > 200, "{} files", sources.len());
    let wrong = sources.iter().flat_map(|source| {
        crates_out_of_place(source).into_iter().map(|name| format!("{} names `{name}`", source.path))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), [""; 0]);
}
