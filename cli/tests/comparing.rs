//! `diff` and `merge`: sides, exit statuses, Markdown.

#[cfg(target_os = "linux")]
use std::ffi::OsString;
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStringExt;

use diagnose_reports::Snapshot;

#[cfg(target_os = "linux")]
use crate::support::{Outcome, command};
use crate::support::{Scratch, run, run_with_input, server};

/// Writes runs of the server into a folder, with this busy time of `read` in ms.
fn side(scratch: &Scratch, name: &str, first_pid: u32, read_ms: &[u64]) -> String {
    let folder = scratch.at(name);
    std::fs::create_dir(&folder).expect("the folder can be made");
    for (read_ms, pid) in read_ms.iter().zip(first_pid..) {
        let text = server().replace("4711", &pid.to_string());
        let text = text.replace("\"busy_ns\": 3000000", &format!("\"busy_ns\": {}", read_ms * 1_000_000));
        let text = text.replace("\"busy_ns\": 7000000", "\"busy_ns\": 97000000");
        let text = text.replace("\"first_seen_ns\": 0", &format!("\"first_seen_ns\": {pid}000000"));
        std::fs::write(folder.join(format!("{pid}.json")), text).expect("the file can be written");
    }
    folder.to_str().expect("the path is text").to_owned()
}

const TEN: [u64; 10] = [30, 30, 30, 30, 30, 30, 30, 30, 30, 30];

#[test]
fn a_slower_function_fails_only_over_the_threshold() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN.map(|ms| ms * 11 / 10));
    let plain = run(&["diff", &old, &new]).ok();
    let found = "slower  `read` (src/main.rs:30): busy +10.0 % (100 µs → 110 µs a call, noise 1 %)\n";
    assert!(plain.contains(found), "{plain}");
    assert!(!plain.contains("warning:"), "{plain}");
    assert_eq!(run(&["diff", &old, &new, "--fail-over", "5%"]).status, Some(1));
    assert_eq!(run(&["diff", &old, &new, "--fail-over", "5"]).status, Some(1));
    assert_eq!(run(&["diff", &old, &new, "--fail-over", "20%"]).status, Some(0));
    assert_eq!(run(&["diff", &new, &old, "--fail-over", "5%"]).status, Some(0), "faster is no failure");
    assert_eq!(run(&["diff", &old, &new, "--threshold", "5%"]).status, Some(0));
    assert_eq!(run(&["diff", &old, &new, "--fail-over", "-5%"]).status, Some(2));
    assert_eq!(run(&["diff", &old, &new, "--fail-over", "much"]).status, Some(2));
}

#[test]
fn a_rise_from_zero_fails() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &[0; 10]);
    let new = side(&scratch, "new", 200, &TEN);
    let failed = run(&["diff", &old, &new, "--fail-over", "1000%"]);
    assert_eq!(failed.status, Some(1), "{failed:?}");
    assert!(
        failed.out.contains("slower  `read` (src/main.rs:30): busy new (0 ns → 100 µs a call)"),
        "{failed:?}"
    );
}

#[test]
fn a_gate_that_compares_nothing_fails() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN);
    for file in std::fs::read_dir(&new).unwrap() {
        let file = file.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("\"handle\"", "\"answer\"").replace("\"read\"", "\"load\""))
            .unwrap();
    }
    assert!(run(&["diff", &old, &new]).ok().contains("2 added, 2 removed"));
    let refusal = run(&["diff", &old, &new, "--fail-over", "5%"]).refusal();
    assert!(refusal.contains("no function is on both sides"), "{refusal}");
}

#[test]
fn a_name_without_a_snapshot_is_no_empty_side() {
    let scratch = Scratch::new();
    let new = side(&scratch, "new", 200, &TEN);
    for none in ["", " ", ","] {
        for arguments in [&["diff", none, &new][..], &["diff", &new, none], &["merge", none, &new]] {
            let refusal = run(arguments).refusal();
            assert_eq!(refusal, format!("diagnose: `{none}` names no snapshot"));
        }
    }
}

#[test]
fn equal_sides_have_no_changes() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN);
    let text = run(&["diff", &old, &new, "--fail-over", "1%"]).ok();
    assert!(text.contains("\nno function changed\n"), "{text}");
    assert!(text.contains("2 functions within the threshold (--full shows all)"), "{text}");
    assert!(run(&["diff", &old, &new, "--full"]).ok().contains("same    read (src/main.rs:30)"));
}

#[test]
fn the_head_of_a_comparison_counts_its_rows() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN);
    for file in std::fs::read_dir(&new).unwrap() {
        let file = file.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap().replace("\"handle\"", "\"answer\"");
        std::fs::write(&file, text.replace("\"calls\": 300", "\"calls\": 600")).unwrap();
    }
    let head = "o function is slower or faster; 1 added, 1 removed";
    let text = run(&["diff", &old, &new, "--threshold", "60"]).ok();
    assert!(text.contains(&format!("\nn{head}, 1 more calls\n")), "{text}");
    let page = run(&["diff", &old, &new, "--threshold", "200", "--markdown"]).ok();
    assert!(page.contains(&format!("\nN{head}.\n")), "{page}");
}

#[test]
fn a_side_is_a_list_a_glob_a_folder_or_flags() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN);
    let all = run(&["diff", &old, &new]).ok();
    assert!(all.starts_with("server: 10 recordings of 2.00 s against 10 recordings of 2.00 s"), "{all}");
    assert_eq!(run(&["diff", &format!("{old}/*.json"), &format!("{new}/2*.json")]).ok(), all);
    let first = |count: u32| {
        let names: Vec<String> = (100..100 + count).map(|pid| format!("{old}/{pid}.json")).collect();
        names
    };
    assert_eq!(run(&["diff", &first(10).join(","), &new]).ok(), all);
    let mut flags = vec!["diff".to_owned()];
    flags.extend(first(10).into_iter().flat_map(|name| ["--old".to_owned(), name]));
    flags.extend(["--new".to_owned(), new.clone()]);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    assert_eq!(run(&flags).ok(), all);
    let one = run(&["diff", &first(1)[0], &new]).ok();
    assert!(one.contains("\nwarning: the old side has 1 recording"), "{one}");
    let nothing = run(&["diff", &format!("{old}/x*.json"), &new]).refusal();
    assert_eq!(nothing, format!("diagnose: no file matches `{old}/x*.json`"));
    assert_eq!(run(&["diff", &old]).status, Some(2), "one side is no comparison");
}

#[test]
fn a_name_cannot_end_a_markdown_cell() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN.map(|ms| ms * 2));
    for file in std::fs::read_dir(&new).unwrap().chain(std::fs::read_dir(&old).unwrap()) {
        let file = file.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap().replace("\"read\"", "\"a|b <img> *c*\"");
        std::fs::write(&file, text).unwrap();
    }
    let page = run(&["diff", &old, &new, "--markdown"]).ok();
    assert!(page.starts_with("### diagnose diff\n"), "{page}");
    let row = page.lines().find(|line| line.starts_with("| a")).expect("the function has a row");
    assert!(row.starts_with("| a\\|b &lt;img> \\*c\\* (src/main.rs:30) | 200 µs +100.0 % |"), "{row}");
    assert!(row.ends_with("| slower |"), "{row}");
}

#[test]
fn merge_writes_a_snapshot() {
    let scratch = Scratch::new();
    let folder = side(&scratch, "runs", 100, &[1, 2, 3]);
    let json = run(&["merge", &folder]).ok();
    let merged = Snapshot::read_json(json.as_bytes()).expect("it is a snapshot");
    assert_eq!((merged.elapsed_ns, merged.nodes[1].busy_ns), (6_000_000_000, 6_000_000));
    assert_eq!(merged.merged, 3);
    for command in ["show", "findings", "verdicts"] {
        let text = run_with_input(&[command, "-"], json.as_bytes()).out;
        assert!(text.contains("live tasks are left out of a merged snapshot"), "{command}: {text}");
    }
    let output = scratch.text("all.txt");
    let one = format!("{folder}/100.json");
    assert_eq!(run(&["merge", &one, &folder, "-o", &output]).ok(), format!("wrote {output}\n"));
    assert!(std::fs::read_to_string(&output).unwrap().contains("recorded 6.00 s"), "a file counts once");
    let head = std::fs::read_to_string(&output).unwrap();
    assert!(head.starts_with("server, recorded 6.00 s"), "several processes have no id: {head}");
    assert!(run(&["merge", "no/such.json"]).refusal().contains("cannot read"));
    assert_eq!(run(&["merge"]).status, Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn the_names_of_snapshots_may_be_any_bytes() {
    let scratch = Scratch::new();
    let old = side(&scratch, "old", 100, &TEN);
    let new = side(&scratch, "new", 200, &TEN);
    let expected = run(&["diff", &old, &new]).ok();
    // A comma belongs to such a name.
    let odd: OsString = OsStringExt::from_vec(b"\xFF,new".to_vec());
    std::fs::rename(&new, scratch.path().join(&odd)).expect("it is renamed");
    let mut diff = command(&["diff"]);
    let diff = diff.arg(&old).arg(&odd).current_dir(scratch.path()).output().expect("it starts");
    assert_eq!(Outcome::from(diff).ok(), expected);
    let mut flags = command(&["diff", "--old", &old, "--new"]);
    let flags = flags.arg(&odd).current_dir(scratch.path()).output().expect("it starts");
    assert_eq!(Outcome::from(flags).ok(), expected);
    let mut merge = command(&["merge"]);
    let merge = merge.arg(&odd).current_dir(scratch.path()).output().expect("it starts");
    assert!(Outcome::from(merge).ok().contains("\"read\""));
    let missing: OsString = OsStringExt::from_vec(b"\xFE".to_vec());
    let missing = command(&["merge"]).arg(missing).output().expect("it starts");
    assert!(Outcome::from(missing).refusal().starts_with("diagnose: cannot read `\u{FFFD}`: "));
}
