//! Each service runs for a few seconds without an alarm.

use std::process::{Command, Stdio};

#[test]
fn services_that_do_not_hang_are_not_reported() {
    let services = [
        ("server", "6000x"),
        ("actors", "20000x"),
        ("pipeline", "2000x"),
        ("idioms", "500x"),
        ("alone", "3x"),
    ];
    let running = services.into_iter().flat_map(|service| [(service, None), (service, Some("raw"))]);
    let running: Vec<_> = running
        .map(|((service, much), raw)| {
            let mut program = Command::new(env!("CARGO_BIN_EXE_diagnose-healthy-tests"));
            program.args([service, much]).args(raw).stdout(Stdio::piped()).stderr(Stdio::piped());
            (service, raw, program.spawn().expect("it runs"))
        })
        .collect();
    for (service, raw, program) in running {
        let output = program.wait_with_output().expect("it ends");
        let said = String::from_utf8(output.stdout).expect("it is text");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(" done, "), "{service} {raw:?}: {said}\n{errors}");
        // Suspicions are allowed: on a busy machine, a task may wait longer than 100 ms for a
        // thread.
        let hangs = said.lines().filter(|line| line.starts_with("proven ") || line.starts_with("likely "));
        assert_eq!(hangs.count(), 0, "{service} {raw:?}: {said}");
    }
}
