//! Healthy services have no finding: not in their first moments, not under load, not when idle.

use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, Mutex};

const SERVICES: [&str; 7] = ["web", "actors", "pipeline", "connections", "compute", "idle", "idioms"];

/// The services whose test has not begun. All start with the first test: together they leave most
/// of a processor to others, and each takes three seconds.
static STARTED: LazyLock<Mutex<Vec<(&str, Child)>>> = LazyLock::new(|| {
    let start = |service| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_diagnose-findings-tests"));
        program.args(["healthy", service, "3000"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        (service, program.spawn().expect("it runs"))
    };
    Mutex::new(SERVICES.map(start).into())
});

/// Asserts that a service has no finding in three seconds of repeated looks.
fn assert_silent(service: &str) {
    let take = || {
        let mut started = STARTED.lock().expect("no panic");
        let position = started.iter().position(|(own, _)| *own == service).expect("it is listed");
        started.swap_remove(position).1
    };
    let output = take().wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stdout).expect("it is text");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said, "", "{service}");
}

#[test]
fn a_web_server_under_load_is_healthy() {
    assert_silent("web");
}

#[test]
fn actors_with_full_mailboxes_are_healthy() {
    assert_silent("actors");
}

#[test]
fn a_pipeline_with_back_pressure_is_healthy() {
    assert_silent("pipeline");
}

#[test]
fn connections_that_come_and_stay_are_healthy() {
    assert_silent("connections");
}

#[test]
fn workers_that_compute_in_pieces_are_healthy() {
    assert_silent("compute");
}

#[test]
fn a_service_without_work_is_healthy() {
    assert_silent("idle");
}

#[test]
fn idioms_that_look_like_faults_are_healthy() {
    assert_silent("idioms");
}
