//! Slow clients, many clients, and clients that send no valid request.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use diagnose_serve_tests::client::{get, send};
use diagnose_serve_tests::program::Program;

const SERVES: &str = env!("CARGO_BIN_EXE_serves");

#[test]
fn clients_that_say_nothing_do_not_keep_others_out() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    let connect = |_| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("it accepts");
        stream
    };
    let silent: Vec<TcpStream> = (0..200).map(connect).collect();
    assert_eq!(get(&address, "/tasks").status, 200);
    drop(silent);
    assert_eq!(get(&address, "/tasks").status, 200);
}

#[test]
fn a_client_that_does_not_read_keeps_nobody_out() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    let request = format!("GET /snapshot.json HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let connect = |_| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        stream.write_all(request.as_bytes()).expect("it accepts");
        stream
    };
    let mut deaf: Vec<TcpStream> = (0..64).map(connect).collect();
    assert_eq!(get(&address, "/tasks").status, 200);
    let mut text = String::new();
    let last = deaf.last_mut().expect("there are some");
    last.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
    last.read_to_string(&mut text).expect("its response is there");
    assert!(text.ends_with("}\n"), "complete");
}

#[test]
fn a_response_survives_excess_input() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(100_000));
    assert_eq!(send(&address, &long).status, 431);
    let body = format!("GET /tasks HTTP/1.1\r\nHost: localhost\r\n\r\n{}", "b".repeat(100_000));
    assert_eq!(send(&address, &body).status, 200);
}

#[test]
fn at_most_four_profiles_are_recorded_at_once() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    let record = |_| {
        let mut stream = TcpStream::connect(&address).expect("it listens");
        let request = format!("GET /debug/pprof/profile?seconds=60 HTTP/1.1\r\nHost: {address}\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it accepts");
        stream
    };
    let recording: Vec<TcpStream> = (0..4).map(record).collect();
    for _ in 0..6 {
        let refused = get(&address, "/debug/pprof/profile?seconds=1");
        assert_eq!(refused.status, 503);
        assert!(refused.head.contains("Retry-After: "), "{}", refused.head);
    }
    drop(recording);
    // A new profile can be recorded once the server has noticed that these clients are gone.
    while get(&address, "/debug/pprof/profile?seconds=1").status == 503 {
        thread::yield_now();
    }
}
