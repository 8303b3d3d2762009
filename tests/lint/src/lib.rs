//! Generates the clippy configuration `diagnose/lint/clippy.toml`.
//!
//! With it, clippy lists the places that name a lock, channel, timer or spawn of an original crate.
//! The list of wrapped items is read from the source of `diagnose`, so that none can be missing.

mod mirrored;

use std::fmt::Write as _;
use std::path::Path;

pub use mirrored::{Item, Kind, items};

/// The wrapped crates, by their names in paths.
pub const CRATES: [&str; 10] = [
    "tokio",
    "tokio_util",
    "smol",
    "async_std",
    "async_lock",
    "async_channel",
    "flume",
    "futures",
    "parking_lot",
    "std",
];

const HEAD: &str = "\
# With this, clippy lists where a program names a lock, a channel, a timer or a spawn of which `diagnose` has a wrapper:
#
#     CLIPPY_CONF_DIR=path/to/this/folder cargo clippy
#
# Or copy it to the root of a workspace, without the crates whose originals are meant. Tested with clippy 1.95.
# Made by `cargo run -p diagnose-lint-tests`.
";

/// Returns the text of the configuration for the crate `diagnose` in this folder.
///
/// # Panics
///
/// If the source cannot be read or is not Rust.
#[must_use]
pub fn configuration(diagnose: &Path) -> String {
    let mut text = HEAD.to_owned();
    let wrapped: Vec<(&str, Vec<Item>)> =
        CRATES.iter().map(|name| (*name, items(&diagnose.join("src"), name))).collect();
    for (key, kind) in [("disallowed-methods", Kind::Function), ("disallowed-types", Kind::Type)] {
        writeln!(text, "\n{key} = [").unwrap();
        for (name, items) in &wrapped {
            let of_kind = items.iter().filter(|item| item.kind == kind);
            for (first, Item { path, .. }) in of_kind.enumerate().map(|(at, item)| (at == 0, item)) {
                if first {
                    writeln!(text, "    # {name}").unwrap();
                }
                let reason = format!("diagnose::{path} is on record");
                writeln!(text, "    {{ path = \"{path}\", reason = \"{reason}\", allow-invalid = true }},")
                    .unwrap();
            }
        }
        text.push_str("]\n");
    }
    text
}
