//! Access control: which clients get which pages.

use diagnose_serve_tests::client::{get, send};
use diagnose_serve_tests::program::Program;

const SERVES: &str = env!("CARGO_BIN_EXE_serves");

#[test]
fn without_a_token_only_a_loopback_address_is_served() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:6070", "[::ffff:10.0.0.1]:80"] {
        let mut program = Program::start(SERVES, &[address], &[]);
        let error = program.hear();
        assert!(error.starts_with("error: not serving on "), "{error}");
        assert!(error.contains("without a token") && error.contains("DIAGNOSE_SERVE_TOKEN"), "{error}");
        program.say("threads");
        assert_eq!(program.hear(), "", "no thread was started");
    }
}

#[test]
fn a_token_opens_every_address_to_those_who_have_it() {
    let mut program = Program::start(SERVES, &["0.0.0.0:0", "correct-horse"], &[]);
    let port = program.hear().rsplit(':').next().expect("a port").to_owned();
    let address = format!("127.0.0.1:{port}");
    let with =
        |header: &str| send(&address, &format!("GET /tasks HTTP/1.1\r\nHost: any.example\r\n{header}\r\n"));
    let refused = with("");
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("WWW-Authenticate: Basic"), "{}", refused.head);
    assert!(!refused.text().contains("correct"), "{}", refused.text());
    assert_eq!(with("Authorization: Bearer correct-horsf\r\n").status, 401);
    assert_eq!(with("Authorization: Bearer correct-horse\r\n").status, 200);
    // `any:correct-horse`.
    assert_eq!(with("Authorization: Basic YW55OmNvcnJlY3QtaG9yc2U=\r\n").status, 200);
}

#[test]
fn a_site_that_rebinds_its_name_to_this_machine_reads_nothing() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    let as_host =
        |host: &str| send(&address, &format!("GET /snapshot.json HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let refused = as_host("rebound.example");
    assert_eq!(refused.status, 403);
    assert!(!refused.text().contains("works"), "{}", refused.text());
    assert_eq!(as_host("localhost:1234").status, 200);
    let posted = send(&address, "POST /tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello");
    assert_eq!(posted.status, 405);
}

#[test]
fn the_environment_has_the_last_word() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[("DIAGNOSE_SERVE", "off")]);
    assert_eq!(program.hear(), "", "served on no address");
    program.say("threads");
    assert_eq!(program.hear(), "");
    drop(program);

    let variables = [("DIAGNOSE_SERVE", "localhost:0"), ("DIAGNOSE_SERVE_TOKEN", "correct-horse")];
    let mut program = Program::start(SERVES, &["-"], &variables);
    let address = program.hear();
    assert_eq!(get(&address, "/tasks").status, 401);
    drop(program);

    let mut program = Program::start(SERVES, &["-"], &[("DIAGNOSE_SERVE", "6070")]);
    let error = program.hear();
    assert!(
        error.starts_with("error: cannot serve on `6070`: expected an IP address with a port"),
        "{error}"
    );
}

#[test]
fn a_program_that_does_not_serve_has_no_thread_for_it() {
    let mut program = Program::start(SERVES, &["-"], &[]);
    assert_eq!(program.hear(), "");
    program.say("threads");
    assert_eq!(program.hear(), "");
}
