//! Some seconds of each service.

use std::process::Command;

#[test]
fn nothing_is_said_to_hang_in_services_that_do_not() {
    for (service, much) in [("server", "20000x"), ("actors", "20000x"), ("pipeline", "3000x")] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_diagnose-healthy-tests"));
        let output = program.args([service, much]).output().expect("it runs");
        let said = String::from_utf8(output.stdout).expect("it is text");
        assert!(said.contains(" done, "), "{service}: {said}\n{}", String::from_utf8_lossy(&output.stderr));
        // On a machine that is busy with other things, a task may well wait for a thread for longer than 100 ms.
        let hangs = said.lines().filter(|line| line.starts_with("proven ") || line.starts_with("likely "));
        assert_eq!(hangs.count(), 0, "{service}: {said}");
    }
}
