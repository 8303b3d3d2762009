//! A trigger file requests a dump, even on systems without signals.

use std::fs;
use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn a_file_asks_for_a_dump_and_is_gone() {
    diagnose_isolation::isolated!();
    let folder = std::env::temp_dir().join(format!("diagnose-trigger-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let mut command = command(env!("CARGO_BIN_EXE_trigger"));
    command.env("DIAGNOSE_DIR", folder.join("dumps")).env("DIAGNOSE_TRIGGER", folder.join("please"));
    let output = output(&mut command, Duration::from_secs(90));
    let _ = fs::remove_dir_all(&folder);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"two dumps\n");
}
