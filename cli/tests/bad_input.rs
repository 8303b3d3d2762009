//! Input that is not a snapshot is refused in one sentence, which says what the input is.

use std::io::Write as _;
use std::process::Stdio;

use diagnose_reports::model::VERSION;

use crate::support::{Outcome, Scratch, command, run, run_with_input, server};

/// The refusal of a file with this content, without the file's name.
#[track_caller]
fn refusal(content: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new();
    let path = scratch.file("dump", content);
    let message = run(&["show", &path]).refusal();
    let message = message.strip_prefix(&format!("diagnose: `{path}`: ")).expect("the file is named");
    message.to_owned()
}

#[test]
fn errors_name_the_actual_type_of_a_file() {
    assert_eq!(refusal(""), "it is empty");
    assert_eq!(refusal(" \n"), "it is empty");
    let advice = "; a snapshot is the `.json` file of a dump";
    assert_eq!(refusal(b"\x1F\x8B\x08\0\0"), format!("it is compressed with gzip{advice}"));
    assert_eq!(
        refusal("<?xml version=\"1.0\"?><!DOCTYPE svg><svg>"),
        format!("it is an SVG picture{advice}")
    );
    assert_eq!(refusal("<!doctype html><html><svg></svg>"), format!("it is a web page{advice}"));
    assert_eq!(refusal("main;handle;[busy] 4000\n"), format!("it is text, but not JSON{advice}"));
    assert_eq!(refusal("[2026-11-29] started\n"), format!("it is text, but not JSON{advice}"));
    for value in ["null", " true\n", "-1.5e3", "\"dump\""] {
        assert_eq!(refusal(value), format!("it is JSON, but not an object{advice}"), "{value}");
    }
    assert_eq!(refusal(b"\x7FELF\x02\x01\0\0"), format!("it is a binary file{advice}"));
}

#[test]
fn a_truncated_snapshot_is_called_truncated() {
    let whole = server();
    for end in [1, 2, whole.len() / 2, whole.len() - 1] {
        let message = refusal(&whole[..end]);
        assert!(message.starts_with("it is truncated: it ends inside a value, in line "), "{end}: {message}");
    }
}

#[test]
fn other_json_is_refused() {
    assert!(
        refusal(server().replacen("true", "treu", 1)).starts_with("it is damaged: invalid JSON at line ")
    );
    let message = refusal("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\"}");
    assert!(message.starts_with("not a saved snapshot: missing field `version`"), "{message}");
    assert!(refusal("[]").starts_with("not a saved snapshot: "));
    assert_eq!(
        refusal("{\"version\": 1, \"producer\": \"diagnose 0.0.9\"}"),
        format!(
            "the snapshot has version 1, but this reader knows version {VERSION} only \
             (it was written by `diagnose 0.0.9`)"
        )
    );
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    assert_eq!(
        run(&["show", "no/such.json"]).refusal(),
        "diagnose: cannot read `no/such.json`: No such file or directory (os error 2)"
    );
    let scratch = Scratch::new();
    let folder = scratch.path().to_str().expect("the path is text");
    assert_eq!(
        run(&["show", folder]).refusal(),
        format!("diagnose: there is no snapshot (`.json`) in the folder `{folder}`")
    );
    assert_eq!(run_with_input(&["show", "-"], b"").refusal(), "diagnose: standard input: it is empty");
}

#[test]
fn a_process_or_an_address_is_no_file_but_leads_to_one() {
    assert_eq!(
        run(&["show", "4711"]).refusal(),
        "diagnose: `4711` is not a file; for a running process: diagnose dump 4711"
    );
    let curl = "curl -s 'http://127.0.0.1:6070/snapshot.json' | diagnose show -";
    for page in ["", "/", "/#tasks", "/?seconds=5#flame", "/snapshot.json"] {
        let address = &format!("http://127.0.0.1:6070{page}");
        assert_eq!(
            run(&["tasks", address]).refusal(),
            format!("diagnose: `{address}` is not a file; for an address: {curl}")
        );
    }
}

#[test]
fn a_name_cannot_write_to_the_terminal() {
    let message = run(&["show", "a\u{1B}[2J\nverdict: none"]).refusal();
    assert!(!message.contains('\u{1B}'), "{message:?}");
}

#[test]
fn a_byte_order_mark_is_no_obstacle() {
    let marked = format!("\u{FEFF}{}", server());
    run_with_input(&["show", "-"], marked.as_bytes()).ok();
}

#[test]
fn input_that_is_no_json_is_not_read_to_its_end() {
    let mut show = command(&["show", "-"]);
    show.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut show = show.spawn().expect("the command starts");
    let mut endless = show.stdin.take().expect("it is piped");
    // The command may end before it has read all of this.
    let _ = endless.write_all("\u{e9}a".repeat(100_000).as_bytes());
    show.wait().expect("it ends, although its input does not");
    let outcome = Outcome::from(show.wait_with_output().expect("it has ended"));
    assert_eq!(
        outcome.refusal(),
        "diagnose: standard input: it is text, but not JSON; a snapshot is the `.json` file of a dump"
    );
    drop(endless);
}
