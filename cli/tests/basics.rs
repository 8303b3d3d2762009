//! Help, completions, the man page, colors, pipes.

use std::fs;
use std::process::Stdio;

use crate::support::{Scratch, command, run, run_with_input, server};

#[test]
fn wrong_usage_exits_with_2_and_help_with_0() {
    assert_eq!(run(&[]).status, Some(2));
    assert_eq!(run(&["shwo", "x.json"]).status, Some(2));
    assert!(run(&["shwo", "x.json"]).err.contains("show"), "the name is guessed");
    assert_eq!(run(&["top", "x.json", "--sort", "size"]).status, Some(2));
    let help = run(&["--help"]).ok();
    for name in [
        "show", "top", "flame", "open", "convert", "tasks", "waiters", "verdicts", "findings", "explain",
        "diff", "merge",
    ] {
        assert!(help.contains(&format!("\n  {name}")), "{name}");
        assert!(run(&[name, "--help"]).ok().contains("--json"), "{name}");
    }
    assert!(run(&["--version"]).ok().starts_with("diagnose 0."));
}

#[test]
fn completions_and_man_pages_name_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(run(&["completions", shell]).ok().contains("waiters"), "{shell}");
    }
    for command in [&["completions", "bash", "--json"][..], &["man", "--json"]] {
        assert!(run(command).refusal().contains("`--json` is for reports"), "{command:?}");
    }
    let page = run(&["man"]).ok();
    assert!(page.contains(".TH diagnose 1") && page.contains("diagnose\\-waiters"), "{page}");
    let scratch = Scratch::new();
    run(&["man", &scratch.text("man1")]).ok();
    let pages = fs::read_dir(scratch.at("man1")).expect("the folder was made").count();
    assert!(pages > 10, "{pages} pages");
    assert!(scratch.at("man1/diagnose-waiters.1").exists());
}

#[test]
fn output_is_colored_on_request_only() {
    let snapshot = server();
    let escapes = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(arguments);
        let scratch = Scratch::new();
        command.arg(scratch.file("a.json", &snapshot)).envs(variables.iter().copied());
        let output = command.output().expect("the command starts");
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("it is text").contains('\u{1B}')
    };
    assert!(!escapes(&["show"], &[]), "a pipe is no terminal");
    assert!(escapes(&["show", "--color", "always"], &[]));
    assert!(escapes(&["show", "--color=always"], &[("NO_COLOR", "1")]), "the flag wins");
    assert!(escapes(&["show"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes(&["show"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(escapes(&["show"], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]), "an empty NO_COLOR is not set");
    assert!(!escapes(&["show", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!escapes(&["show", "--json", "--color", "always"], &[]), "JSON is never colored");
}

#[test]
fn colors_do_not_change_the_text() {
    let snapshot = server();
    let plain = run_with_input(&["show", "-"], snapshot.as_bytes()).ok();
    let colored = run_with_input(&["show", "-", "--color", "always"], snapshot.as_bytes()).ok();
    let mut text = String::new();
    let mut parts = colored.split('\u{1B}');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        text.push_str(part.split_once('m').expect("an escape sequence ends in `m`").1);
    }
    assert_eq!(text, plain);
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let scratch = Scratch::new();
    let snapshot = scratch.file("a.json", server());
    for name in ["show", "top", "tasks", "waiters", "verdicts"] {
        for flags in [&[][..], &["--json"]] {
            let mut command = command(&[name, &snapshot]);
            let (reader, writer) = std::io::pipe().expect("there are pipes");
            drop(reader);
            command.args(flags).stdout(writer).stderr(Stdio::piped());
            let output = command.output().expect("the command starts");
            assert_eq!(output.status.code(), Some(0), "{name} {flags:?}: {output:?}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name} {flags:?}");
        }
    }
}
