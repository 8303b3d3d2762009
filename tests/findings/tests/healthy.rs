//! Healthy services have no finding: not in their first moments, not under load, not when idle.

use std::process::Command;

/// Asserts that a service has no finding in three seconds of repeated looks.
fn assert_silent(service: &str) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_diagnose-findings-tests"));
    let output = program.args(["healthy", service, "3000"]).output().expect("it runs");
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
