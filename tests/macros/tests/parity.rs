//! The compiler gives the same messages, at the same places, with the attribute and without it.
//!
//! Every file in `parity/` has functions with `#[diagnose]` on a separate line. Each file is
//! checked twice, in every edition: as it is, and with these lines empty. Only the level and the
//! primary place of each message are compared, because the words may differ: an argument without
//! the attribute is a capture with it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const EDITIONS: [&str; 3] = ["2018", "2021", "2024"];

#[test]
fn compiler_messages_are_the_same_with_the_attribute() {
    let cases = cases();
    let messages = check(&cases);
    let mut differences = String::new();
    for (name, _) in &cases {
        for edition in EDITIONS {
            let of = |variant: &str| {
                messages.get(&format!("{name}_{variant}_{edition}")).cloned().unwrap_or_default()
            };
            let (bare, timed) = (of("bare"), of("timed"));
            assert!(!bare.is_empty() || name.ends_with("accepted"), "{name}: nothing to compare");
            for (variant, ours, others) in [("bare", &bare, &timed), ("timed", &timed, &bare)] {
                for (_, text) in
                    ours.iter().filter(|(place, _)| others.iter().all(|(other, _)| other != place))
                {
                    let _ = writeln!(differences, "only {variant}, edition {edition}:\n{text}");
                }
            }
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

/// The name and text of each file, sorted by name.
fn cases() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/parity");
    let mut cases: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect();
    cases.sort();
    cases
}

/// The place and text of the compiler's messages, by program.
type Messages = BTreeMap<String, Vec<(String, String)>>;

fn check(cases: &[(String, String)]) -> Messages {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("parity");
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::create_dir_all(folder.join("src")).unwrap();
    let mut manifest = format!(
        "[package]\nname = \"parity\"\nversion = \"0.0.0\"\nedition = \"2024\"\nautobins = false\n\n[workspace]\n\n\
         [dependencies]\ndiagnose = {{ path = {:?}, default-features = false, features = [\"on\"] }}\n",
        workspace.join("diagnose").to_str().unwrap(),
    );
    for (name, text) in cases {
        for (variant, text) in [("bare", text.replace("#[diagnose]", "")), ("timed", text.clone())] {
            fs::write(folder.join(format!("src/{name}_{variant}.rs")), text).unwrap();
            for edition in EDITIONS {
                let _ = write!(
                    manifest,
                    "\n[[bin]]\nname = \"{name}_{variant}_{edition}\"\npath = \"src/{name}_{variant}.rs\"\n\
                     edition = \"{edition}\"\n",
                );
            }
        }
    }
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .current_dir(&folder)
        .args(["check", "--quiet", "--offline", "--keep-going", "--bins", "--message-format=json"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("compiler-message"), "{}", String::from_utf8_lossy(&output.stderr));
    let mut messages = Messages::new();
    for line in text.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let message = &line["message"];
        let program = line["target"]["name"].as_str().unwrap_or_default();
        for span in
            message["spans"].as_array().into_iter().flatten().filter(|span| span["is_primary"] == true)
        {
            let place = format!("{} {}:{}", message["level"], span["line_start"], span["column_start"]);
            let text = message["rendered"].as_str().unwrap_or_default().to_owned();
            messages.entry(program.to_owned()).or_default().push((place, text));
        }
    }
    messages
}
