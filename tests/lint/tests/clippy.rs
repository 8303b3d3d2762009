//! Clippy's output with the configuration, for packages that name the originals.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use diagnose_lint_tests::{CRATES, Kind, configuration, items};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Writes a package with this workspace's versions, and runs clippy with the configuration `lint`.
fn clippy(name: &str, dependencies: &str, source: &str, lint: &Path) -> String {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(package.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n[workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::copy(root().join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    fs::write(package.join("src/lib.rs"), source).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["clippy", "--message-format", "short"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("clippy"))
        .env("CLIPPY_CONF_DIR", lint)
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

/// Returns the paths in "use of a disallowed type `tokio::sync::Mutex`".
fn named(said: &str) -> BTreeSet<&str> {
    let uses = said.lines().filter(|line| line.contains("use of a disallowed"));
    uses.map(|line| line.split('`').nth(1).unwrap()).collect()
}

#[test]
fn the_committed_configuration_names_all_that_is_wrapped() {
    let diagnose = root().join("diagnose");
    let committed = fs::read_to_string(diagnose.join("lint/clippy.toml")).unwrap();
    assert_eq!(committed, configuration(&diagnose), "run `cargo run -p diagnose-lint-tests`");
}

#[test]
fn clippy_knows_each_path_and_lists_its_uses() {
    let diagnose = root().join("diagnose");
    let lint = Path::new(env!("CARGO_TARGET_TMPDIR")).join("strict");
    fs::create_dir_all(&lint).unwrap();
    fs::write(lint.join("clippy.toml"), configuration(&diagnose).replace(", allow-invalid = true", ""))
        .unwrap();

    let wrapped: Vec<_> = CRATES.iter().flat_map(|name| items(&diagnose.join("src"), name)).collect();
    let mut source = include_str!("../fixture/functions.rs").to_owned();
    for (number, item) in wrapped.iter().enumerate().filter(|(_, item)| item.kind == Kind::Type) {
        let path = item.path.replace("::async::", "::r#async::");
        writeln!(source, "pub use {path} as Type{number};").unwrap();
    }
    let dependencies = "async-channel = \"2\"\nasync-lock = \"3\"\nasync-std = { version = \"1\", features = [\"unstable\"] }\n\
        flume = \"0.12\"\nfutures = \"0.3\"\nparking_lot = \"0.12\"\nsmol = \"2\"\n\
        tokio = { version = \"1\", features = [\"full\"] }\ntokio-util = { version = \"0.7\", features = [\"rt\"] }\n";
    let said = clippy("originals", dependencies, &source, &lint);

    assert!(!said.contains("does not refer"), "{said}");
    let mut paths: BTreeSet<&str> = wrapped.iter().map(|item| item.path.as_str()).collect();
    // Clippy has one name for each of them, that in `tokio::task` and in `task_tracker`.
    for second in ["tokio::spawn", "tokio_util::task::TaskTracker"] {
        paths.remove(second);
    }
    let differ: Vec<_> = paths.symmetric_difference(&named(&said)).copied().collect();
    assert!(differ.is_empty(), "{differ:?}");
}

#[test]
fn a_program_is_not_bothered_with_crates_that_it_does_not_use() {
    let source = "pub async fn wait(lock: &tokio::sync::Mutex<u8>) -> u8 {\n    *lock.lock().await\n}\n";
    let dependencies = "tokio = { version = \"1\", features = [\"sync\"] }\n";
    let said = clippy("tokio_only", dependencies, source, &root().join("diagnose/lint"));

    assert_eq!(named(&said), BTreeSet::from(["tokio::sync::Mutex"]), "{said}");
    assert!(!said.contains("clippy.toml"), "{said}");
}
