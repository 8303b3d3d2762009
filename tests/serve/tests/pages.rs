//! Each page has its content and its type.

use diagnose_serve_tests::client::{get, send};
use diagnose_serve_tests::program::Program;

const SERVES: &str = env!("CARGO_BIN_EXE_serves");

#[test]
fn every_page_is_there_with_its_type() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    for (path, kind, part) in [
        ("/", "text/html", "<title>"),
        ("/tasks", "text/plain", "tasks: "),
        ("/waiters", "text/plain", "no resource has waiters\n"),
        ("/verdicts", "text/plain", "nothing hangs\n"),
        ("/findings", "text/plain", ""),
        ("/report.txt", "text/plain", "works"),
        ("/snapshot.json", "application/json", "\"version\""),
        ("/flame.svg", "image/svg+xml", "<svg"),
        ("/metrics", "application/openmetrics-text; version=1.0.0", "# EOF"),
        ("/debug/pprof/", "text/html", "wall?seconds="),
    ] {
        let response = get(&address, path);
        assert_eq!(response.status, 200, "{path}: {}", response.text());
        assert!(response.head.contains(&format!("Content-Type: {kind}")), "{path}: {}", response.head);
        assert!(response.text().contains(part), "{path}: {}", response.text());
        let length = format!("Content-Length: {}\r\n", response.body.len());
        assert!(response.head.contains(&length), "{path}: {}", response.head);
    }
    for header in [
        "Cache-Control: no-store",
        "X-Content-Type-Options: nosniff",
        "Content-Security-Policy: default-src 'none'",
    ] {
        assert!(get(&address, "/tasks").head.contains(header), "{header}");
    }
    let missing = get(&address, "/tasks/");
    assert_eq!(missing.status, 404);
    assert!(missing.text().contains("/debug/pprof/ lists the others"), "{}", missing.text());
    for seconds in ["0x1", "0", "301"] {
        assert_eq!(get(&address, &format!("/debug/pprof/profile?seconds={seconds}")).status, 400);
    }
    let head = send(&address, &format!("HEAD /tasks HTTP/1.1\r\nHost: {address}\r\n\r\n"));
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert!(!head.head.contains("Content-Length: 0"), "the length of the body that GET has");
}

#[test]
fn a_response_to_head_has_no_body() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    for (path, host, status) in [
        ("/tasks", &address[..], 200),
        ("/nowhere", &address[..], 404),
        ("/tasks", "other.example", 403),
        ("/debug/pprof/profile", &address[..], 405),
    ] {
        let head = send(&address, &format!("HEAD {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert_eq!((head.status, head.text().as_str()), (status, ""), "{path} on {host}");
        assert_eq!(head.head.contains("Allow: GET\r\n"), status == 405, "{}", head.head);
    }
}

#[test]
fn the_list_of_profiles_has_a_slash_at_its_end() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    // Without it, a browser would look for the profiles of the list in /debug/.
    let moved = get(&address, "/debug/pprof");
    assert_eq!(moved.status, 301);
    assert!(moved.head.contains("Location: pprof/\r\n"), "{}", moved.head);
}

#[test]
fn a_profile_is_of_the_seconds_after_the_request() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    for path in ["/debug/pprof/profile?seconds=1", "/debug/pprof/wall?seconds=1"] {
        let response = get(&address, path);
        assert_eq!(response.status, 200, "{}", response.text());
        assert!(response.head.contains("Content-Type: application/octet-stream"), "{}", response.head);
        assert!(response.body.starts_with(&[0x1f, 0x8b]), "compressed by gzip");
    }
}

#[test]
fn other_clients_are_served_while_a_profile_is_recorded() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    let recording = std::thread::spawn({
        let address = address.clone();
        move || get(&address, "/debug/pprof/profile?seconds=2").status
    });
    while !recording.is_finished() {
        assert_eq!(get(&address, "/tasks").status, 200);
    }
    assert_eq!(recording.join().expect("it ended"), 200);
}
