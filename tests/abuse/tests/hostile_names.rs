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

#[test]
fn names_of_a_megabyte_are_cut() {
    diagnose_isolation::isolated!();
    let long = "é".repeat(1 << 19);
    let name = long.clone();
    let runs = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let pool = diagnose::Resource::new(&name, 1);
        let _held = pool.hold();
        runtime.block_on(async {
            let task = diagnose::spawn_with(tokio::spawn, &name, std::future::ready(()));
            task.await.expect("it does not panic");
            let _waits = diagnose::spawn_with(tokio::spawn, &name, std::future::pending::<()>());
            tokio::task::yield_now().await;
            let mut json = Vec::new();
            diagnose::dump_to(diagnose::Format::Json, &mut json).expect("it is written to memory");
            json
        })
    };
    let json =
        std::thread::Builder::new().name(long).spawn(runs).expect("a thread").join().expect("no panic");
    assert!(json.len() < 100_000, "{} bytes", json.len());
    let cut = format!("\"{}\"", "é".repeat(128));
    assert!(
        String::from_utf8_lossy(&json).matches(&cut).count() >= 3,
        "of the task, the pool and the thread"
    );
}
