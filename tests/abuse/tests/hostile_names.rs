//! No name or label reaches a terminal or a file unescaped.

use std::fs;
use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};
use diagnose_abuse_tests::hostile::passed;

#[test]
fn names_and_labels_cannot_control_a_terminal() {
    diagnose_isolation::isolated!();
    let folder = std::env::temp_dir().join(format!("diagnose-hostile-{}", std::process::id()));
    let mut command = command(env!("CARGO_BIN_EXE_hostile_names"));
    command.env("DIAGNOSE_DIR", &folder).env("DIAGNOSE_ON_EXIT", "1");
    command.env("DIAGNOSE_FORMATS", "svg,time.svg,folded,txt,json,dot");
    let output = output(&mut command, Duration::from_secs(120));
    assert!(output.status.success(), "{output:?}");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(stderr.contains(" panicked in\n") && stderr.contains("ALARM"), "{stderr}");
    let mut texts = vec![
        ("stderr".to_owned(), stderr),
        ("stdout".to_owned(), String::from_utf8(output.stdout).expect("text")),
    ];
    for file in fs::read_dir(&folder).expect("dumps").flatten() {
        let text = fs::read_to_string(file.path()).expect("text");
        texts.push((file.path().display().to_string(), text));
    }
    assert_eq!(texts.len(), 8);
    for (report, text) in &texts {
        assert_eq!(passed(text), [], "{report}:\n{text}");
        assert!(!text.lines().any(|line| line.starts_with("FORGED")), "{report}:\n{text}");
    }
    fs::remove_dir_all(folder).expect("it is there");
}
