//! The commands that read one snapshot.

#[cfg(target_os = "linux")]
use std::ffi::OsString;
use std::fs;
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStringExt;
#[cfg(target_os = "linux")]
use std::path::Path;

use crate::support::{Outcome, Scratch, command, run, run_with_input, server};
use diagnose_reports::Format;

#[test]
fn show_prints_the_text_report() {
    let text = run_with_input(&["show", "-"], server().as_bytes()).ok();
    assert!(text.contains("server (pid 4711)"), "{text}");
    assert!(text.contains("handle (src/main.rs:12)"), "{text}");
    let json = run_with_input(&["show", "-", "--json"], server().as_bytes()).ok();
    let again = run_with_input(&["show", "-", "--json"], json.as_bytes()).ok();
    assert_eq!(json, again, "the JSON of a snapshot is a snapshot");
}

#[test]
fn a_folder_means_its_newest_snapshot() {
    let scratch = Scratch::new();
    let old = scratch.file("b.json", server());
    let new = scratch.file("a.json", server().replace("handle", "newest"));
    fs::File::open(&old).and_then(|file| file.set_modified(std::time::UNIX_EPOCH)).expect("times can be set");
    assert!(fs::metadata(&new).is_ok());
    scratch.file("c.txt", "no snapshot");
    assert!(run(&["show", scratch.path().to_str().unwrap()]).ok().contains("newest"));
}

#[test]
fn a_folder_means_a_dump_rather_than_a_newer_file_of_another_program() {
    let scratch = Scratch::new();
    let dump = scratch.file("diagnose-web-20261122T123456.789Z-4711-2.json", server());
    fs::File::open(&dump).and_then(|it| it.set_modified(std::time::UNIX_EPOCH)).expect("times can be set");
    scratch.file("package.json", "{}");
    assert!(run(&["show", scratch.path().to_str().unwrap()]).ok().contains("handle"));
}

#[test]
fn reports_in_other_json_formats_are_no_snapshots_of_their_folder() {
    let scratch = Scratch::new();
    let dump = "diagnose-web-20261122T123456.789Z-4711-2";
    let input = scratch.file(&format!("{dump}.json"), server());
    for format in ["speedscope.json", "firefox.json"] {
        run(&["convert", &input, &scratch.text(&format!("{dump}.{format}"))]).ok();
    }
    let folder = scratch.path().to_str().unwrap();
    assert!(run(&["show", folder]).ok().contains("handle"));
    assert!(run(&["merge", folder, "-o", &scratch.text("sum.txt")]).ok().contains("sum.txt"));
}

#[test]
fn top_sorts_by_any_column() {
    let first = |key: &str| {
        let text = run_with_input(&["top", "-", "--sort", key, "-n", "1"], server().as_bytes()).ok();
        assert!(text.starts_with("2.00 s recorded, 7.00 ms busy; 1 of 2 functions"), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
        text.lines().last().and_then(|line| line.split("  ").last()).unwrap_or_default().to_owned()
    };
    for key in ["self-busy", "flat", "busy", "cum", "idle", "queued", "latency"] {
        assert_eq!(first(key), "handle (src/main.rs:12)", "{key}");
    }
    for key in ["self busy", "p50 call", "p50", "p99 call", "p99 poll", "max poll", "max-poll", "wall"] {
        assert_eq!(first(key), "handle (src/main.rs:12)", "{key}: a title");
    }
    for key in ["p50", "p90", "p99", "p99.9", "p99-poll"] {
        let text = run_with_input(&["top", "-", "--sort", key], server().as_bytes()).ok();
        let title = format!("  {}  ", key.replace('-', " "));
        assert!(text.lines().nth(1).is_some_and(|line| line.contains(&title)), "{key} is a column: {text}");
    }
    for (key, title) in [("wall", "in flight"), ("cancelled", "cancelled"), ("pending", "pending")] {
        let text = run_with_input(&["top", "-", "--sort", key], server().as_bytes()).ok();
        assert!(text.lines().nth(1).is_some_and(|line| line.contains(title)), "{key} is a column: {text}");
    }
    for key in ["self-idle", "self idle", "calls"] {
        assert_eq!(first(key), "read (src/main.rs:30)", "{key}");
    }
    let all = run_with_input(&["top", "-", "-n0"], server().as_bytes()).ok();
    assert_eq!(all.lines().count(), 4, "{all}");
    let negative = run(&["top", "-n", "-1", "x.json"]);
    assert_eq!(negative.status, Some(2));
    assert!(negative.err.contains("expected a number, such as `20`"), "{negative:?}");
}

#[test]
fn top_and_csv_have_the_latency_of_calls() {
    let top = run_with_input(&["top", "-"], server().as_bytes()).ok();
    assert_eq!(
        top.lines().nth(2).expect("a row"),
        "    4.00 ms  57.1 %  7.00 ms    4.00 ms  54.0 ms  1.00 ms      3  20.4 ms  24.0 ms      9   1.04 ms   2.50 ms  handle (src/main.rs:12)"
    );
    let read = top.lines().find(|line| line.contains("read (")).expect("a row");
    assert_eq!(read.split_whitespace().filter(|cell| *cell == "-").count(), 2, "{read}");
    let top = run_with_input(&["top", "-", "--json"], server().as_bytes()).ok();
    let top: serde_json::Value = serde_json::from_str(&top).expect("it is JSON");
    assert_eq!(top["functions"][0]["queued_ns"], 1_000_000);
    assert_eq!(top["functions"][0]["completed_latency"]["max_ns"], 24_000_000);
    assert!(top["functions"][0]["cancelled_latency"].is_null());
    assert!(top["functions"][1]["completed_latency"].is_null());

    let table = run_with_input(&["convert", "-", "-", "--to", "csv"], server().as_bytes()).ok();
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let (head, handle, read) = (lines.next().unwrap(), lines.next().unwrap(), lines.next().unwrap());
    let cell = |row: &[&str], name: &str| {
        row[head.iter().position(|column| *column == name).expect("the column exists")].to_owned()
    };
    assert_eq!(cell(&handle, "queued_ns"), "1000000");
    assert_eq!(cell(&handle, "p50_completed_ns"), "20447231");
    assert_eq!(cell(&handle, "max_completed_ns"), "24000000");
    assert_eq!([cell(&handle, "p99_cancelled_ns"), cell(&read, "p99_completed_ns")], ["", ""]);
}

#[test]
fn flame_writes_a_picture() {
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let picture = scratch.text("x.svg");
    assert_eq!(run(&["flame", &input, "-o", &picture]).ok(), format!("wrote {picture}\n"));
    assert!(fs::read_to_string(&picture).unwrap().contains("<svg"));
    assert!(run(&["flame", &input, "-o", "-"]).ok().contains("<svg"));
    let busy = run(&["flame", &input, "--view", "busy", "-o", "-"]).ok();
    assert!(busy.contains("<svg"));
    assert_eq!(run(&["flame", &input, "--view", "cpu", "-o", "-"]).ok(), busy);
    let refusal = run(&["flame", &input, "-o", &scratch.text("x.txt")]).refusal();
    let sentence = "is not a flame graph (`svg`, `html`): use `diagnose convert` for other formats";
    assert_eq!(refusal, format!("diagnose: `txt` {sentence}"));
    let refusal = run(&["flame", "x.json", "--format", "xyz"]).refusal();
    assert_eq!(refusal, format!("diagnose: `xyz` {sentence}"), "formats of other commands are not listed");
}

#[test]
fn convert_takes_the_format_from_the_file_name_or_from_the_flag() {
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let help = run(&["convert", "--help"]).ok();
    let formats: Vec<&str> = Format::all().map(Format::extension).collect();
    assert!(formats.len() > 4, "{formats:?}");
    for extension in formats.into_iter().chain(["busy.folded"]) {
        assert!(help.contains(&format!("  {extension} ")) || extension == "busy.folded", "{help}");
        let name = format!("x.{extension}");
        let output = scratch.text(&name);
        assert_eq!(run(&["convert", &input, &output]).ok(), format!("wrote {output}\n"));
        assert!(fs::metadata(&output).unwrap().len() > 0, "{name}");
    }
    let flag = scratch.text("flag.csv");
    assert_eq!(run(&["convert", &input, "-o", &flag]).ok(), format!("wrote {flag}\n"));
    let folded = run(&["convert", &input, "-", "--to", "busy.folded"]).ok();
    assert_eq!(folded, fs::read_to_string(scratch.at("x.busy.folded")).unwrap());
    if cfg!(unix) {
        assert_eq!(run(&["convert", &input, "/dev/stdout", "--to", "busy.folded"]).ok(), folded);
    }
    assert!(run(&["convert", &input, "-"]).refusal().contains("--to"));
    let unknown = run(&["convert", &input, &scratch.text("x.gif")]).refusal();
    assert!(unknown.contains("accepted are svg, "), "{unknown}");
    let nowhere = format!("{input}/x.txt");
    assert!(run(&["convert", &input, &nowhere]).refusal().contains("there is no folder"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_stream_that_leads_to_a_log_is_written_to_and_keeps_what_it_has() {
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let folded = run(&["convert", &input, "-", "--to", "busy.folded"]).ok();
    for stream in ["/dev/fd/2", "/proc/self/fd/2", "/dev/stderr"] {
        let log = fs::OpenOptions::new().create(true).append(true).open(scratch.at("log")).unwrap();
        let output = command(&["convert", &input, stream, "--to", "busy.folded"]).stderr(log).output();
        assert!(output.unwrap().status.success(), "{stream}");
        assert!(Path::new("/dev/stderr").is_symlink(), "it is still a link");
    }
    assert_eq!(fs::read_to_string(scratch.at("log")).unwrap(), folded.repeat(3));
}

#[cfg(target_os = "linux")]
#[test]
fn the_name_of_a_written_file_may_be_any_bytes() {
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let name: OsString = OsStringExt::from_vec(b"x\xFF.svg".to_vec());
    for arguments in [
        &["convert", "--json", &input][..],
        &["flame", "--json", &input, "-o"],
        &["merge", "--json", &input, "-o"],
        &["open", "--json", "--no-open", &input, "-o"],
    ] {
        let written = command(arguments).arg(&name).current_dir(scratch.path()).output();
        let json = Outcome::from(written.expect("the command starts")).ok();
        assert!(json.contains("\"file\": \"x\u{FFFD}.svg\""), "{arguments:?}: {json}");
        fs::remove_file(scratch.path().join(&name)).expect("it was written");
    }
}

#[test]
fn a_snapshot_that_cannot_be_read_leaves_no_page() {
    let scratch = Scratch::new();
    let mut open = command(&["open", "missing.json"]);
    open.env("TMPDIR", scratch.path()).env("TMP", scratch.path());
    let message = Outcome::from(open.output().expect("the command starts")).refusal();
    assert!(message.starts_with("diagnose: cannot read `missing.json`: "), "{message}");
    assert_eq!(fs::read_dir(scratch.path()).expect("it can be listed").count(), 0);
}

#[test]
fn open_starts_the_browser_or_prints_the_path() {
    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let page = scratch.text("page.svg");
    let mut without = command(&["open", &input, "-o", &page]);
    let output = without.env("PATH", scratch.path()).output().expect("the command starts");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!("wrote {page}\nno browser found; open the file yourself\n")
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(run(&["open", &input, "-o", &page, "--no-open"]).ok().starts_with("wrote "));
}

#[cfg(target_os = "linux")]
#[test]
fn open_gives_the_file_to_the_launcher() {
    use std::os::unix::fs::PermissionsExt as _;

    let scratch = Scratch::new();
    let input = scratch.file("a.json", server());
    let page = scratch.text("page.svg");
    let launcher = scratch.file("xdg-open", "#!/bin/sh\necho \"$1\" > \"$OPENED\"\n");
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    let mut with = command(&["open", &input, "-o", &page]);
    with.env("PATH", scratch.path()).env("OPENED", scratch.at("opened"));
    let output = with.output().expect("the command starts");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("wrote {page}\nopened in the browser\n"));
    assert_eq!(fs::read_to_string(scratch.at("opened")).unwrap(), format!("{page}\n"));
}

#[test]
fn the_absence_of_live_tasks_and_waiters_is_stated() {
    assert_eq!(run_with_input(&["verdicts", "-"], server().as_bytes()).ok(), "nothing hangs\n");
    assert_eq!(run_with_input(&["waiters", "-"], server().as_bytes()).ok(), "no resource has waiters\n");
    assert!(run_with_input(&["tasks", "-"], server().as_bytes()).ok().contains("tasks: 0 alive"));
}
