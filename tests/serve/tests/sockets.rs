//! Addresses in use, left-over files, and processes that fork or end.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;

use diagnose_serve_tests::client::{get, get_unix};
use diagnose_serve_tests::program::Program;

const SERVES: &str = env!("CARGO_BIN_EXE_serves");

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("diagnose-serve-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).expect("a folder");
    folder
}

#[test]
fn a_unix_socket_is_for_its_user_alone_and_goes_with_the_program() {
    let folder = folder("private");
    let path = folder.join("a.sock");
    let text = path.to_str().expect("text");
    let mut program = Program::start(SERVES, &[text], &[]);
    assert_eq!(program.hear(), format!("unix:{text}"));
    let mode = fs::symlink_metadata(&path).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(get_unix(&path, "/tasks").expect("it listens").status, 200);
    let files: Vec<_> = fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(files.len(), 1, "nothing else is left: {files:?}");
    let (status, stderr) = program.end();
    assert!(status.success() && stderr.contains("diagnose: serving on unix:"), "{stderr}");
    assert!(!path.exists());
    fs::remove_dir(folder).expect("it is empty");
}

#[test]
fn a_left_over_socket_is_replaced_and_a_live_one_or_a_file_is_not() {
    let folder = folder("left");
    let path = folder.join("a.sock");
    let text = path.to_str().expect("text");
    drop(UnixListener::bind(&path).expect("a socket file, on which nobody listens now"));
    let mut first = Program::start(SERVES, &[text], &[]);
    assert_eq!(first.hear(), format!("unix:{text}"));
    let mut second = Program::start(SERVES, &[text], &[]);
    let error = second.hear();
    assert!(error.ends_with("another process listens on this socket"), "{error}");
    assert!(second.end().0.success());
    assert_eq!(get_unix(&path, "/tasks").expect("the first one still listens").status, 200);
    // A process that is killed leaves its socket.
    first.signal("TERM");
    assert!(!first.end().0.success());
    assert!(path.exists());
    let mut third = Program::start(SERVES, &[text], &[]);
    assert_eq!(third.hear(), format!("unix:{text}"));
    // Another file takes the path. The server must not remove it.
    fs::remove_file(&path).expect("it is there");
    fs::write(&path, "precious").expect("a file");
    assert!(third.end().0.success());
    let mut fourth = Program::start(SERVES, &[text], &[]);
    let error = fourth.hear();
    assert!(error.ends_with("there is a file that is not a socket; it stays"), "{error}");
    drop(fourth);
    assert_eq!(fs::read_to_string(&path).expect("it stays"), "precious");
    fs::remove_dir_all(folder).expect("it is there");
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_no_client_can_name_is_refused() {
    let folder = folder("long");
    let path = folder.join(format!("{}.sock", "a".repeat(110)));
    let mut program = Program::start(SERVES, &[path.to_str().expect("text")], &[]);
    let error = program.hear();
    assert!(error.ends_with("the path is too long for a Unix socket"), "{error}");
    assert!(program.end().0.success());
    fs::remove_dir(folder).expect("it is empty");
}

#[test]
fn a_process_that_accepts_nothing_on_its_socket_is_not_waited_for() {
    let folder = folder("full");
    let path = folder.join("a.sock");
    let stuck = UnixListener::bind(&path).expect("a socket");
    // As many clients as its queue takes. The next one would wait.
    let most = fs::read_to_string("/proc/sys/net/core/somaxconn").expect("this is Linux");
    for _ in 0..=most.trim().parse::<u32>().expect("a number") {
        drop(UnixStream::connect(&path).expect("there is room"));
    }
    let mut program = Program::start(SERVES, &[path.to_str().expect("text")], &[]);
    let error = program.hear();
    assert!(error.ends_with("another process listens on this socket"), "{error}");
    assert!(program.end().0.success());
    drop(stuck);
    fs::remove_dir_all(folder).expect("it is there");
}

// The port that this test gives up must be free then. A program that another test of this process
// has just forked has a copy of the listener until it is another program.
#[test]
fn a_port_in_use_is_an_error_and_the_program_goes_on() {
    diagnose_isolation::isolated!();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("it is bound").to_string();
    let mut program = Program::start(SERVES, &[&address], &[]);
    let error = program.hear();
    assert!(error.starts_with(&format!("error: cannot serve on `{address}`: ")), "{error}");
    drop(taken);
    program.say(&format!("move {address}"));
    assert_eq!(program.hear(), address);
    assert_eq!(get(&address, "/tasks").status, 200);
}

// Isolated because of `free`; see above.
#[test]
fn a_second_install_changes_nothing_and_a_new_one_moves_the_server() {
    diagnose_isolation::isolated!();
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let first = program.hear();
    program.say("again");
    assert!(program.hear().contains("installed already"));
    assert_eq!(get(&first, "/tasks").status, 200);
    let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let second = free.expect("a port").to_string();
    program.say(&format!("move {second}"));
    assert_eq!(program.hear(), second);
    assert_eq!(get(&second, "/tasks").status, 200);
    assert!(TcpStream::connect(&first).is_err(), "the old address is free");
    program.say(&format!("move {second}"));
    assert_eq!(program.hear(), second);
    program.say("threads");
    assert_eq!(program.hear(), "diagnose-serve", "one thread");
    program.say("stop");
    assert_eq!(program.hear(), "true");
    assert!(is_without_threads(&mut program), "no thread is left");
}

/// Returns whether no thread of diagnose is left. The kernel lists one for a moment after it was
/// joined.
fn is_without_threads(program: &mut Program) -> bool {
    (0..20_000).any(|_| {
        program.say("threads");
        program.hear().is_empty()
    })
}

/// Returns whether the server's thread sleeps: in `accept`, before the first request.
fn waits_for_clients(program: &Program) -> bool {
    let tasks = fs::read_dir(format!("/proc/{}/task", program.id())).expect("the program runs");
    tasks.flatten().any(|task| {
        let stat = fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        stat.contains("(diagnose-serve) S")
    })
}

#[test]
fn a_server_that_cannot_be_reached_ends_nevertheless() {
    let folder = folder("unreachable");
    let path = folder.join("a.sock");
    let text = path.to_str().expect("text");
    let mut program = Program::start(SERVES, &[text], &[]);
    assert_eq!(program.hear(), format!("unix:{text}"));
    while !waits_for_clients(&program) {
        std::thread::yield_now();
    }
    fs::remove_file(&path).expect("it is there");
    program.say("stop");
    assert_eq!(program.hear(), "true");
    assert!(is_without_threads(&mut program), "no thread is left");
    // Nothing of the first server hinders a second one.
    program.say(&format!("move {text}"));
    assert_eq!(program.hear(), format!("unix:{text}"));
    assert_eq!(get_unix(&path, "/tasks").expect("it listens").status, 200);
    assert!(program.end().0.success());
    fs::remove_dir(folder).expect("it is empty");
}

#[test]
fn a_socket_that_has_got_the_descriptor_of_the_server_is_left_alone() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    while !waits_for_clients(&program) {
        std::thread::yield_now();
    }
    program.say("take");
    assert_eq!(program.hear(), "true");
    // The server's thread waits at its own socket until a client comes, and then looks for it.
    drop(TcpStream::connect(&address));
    assert!(is_without_threads(&mut program), "the server ends");
    program.say("taken");
    assert_eq!(program.hear(), "true true", "it blocks, and is open");
    program.say("move 127.0.0.1:0");
    let second = program.hear();
    assert_eq!(get(&second, "/tasks").status, 200);
    program.say(&format!("fork {second}"));
    assert_eq!(program.hear(), "true true true");
    program.say("stop");
    assert_eq!(program.hear(), "true");
    program.say("taken");
    assert_eq!(program.hear(), "true true");
    let (status, stderr) = program.end();
    let said = format!("diagnose: the program has closed the socket of the server on {address}");
    assert!(status.success() && stderr.matches(&said).count() == 1, "{stderr}");
}

#[test]
fn a_forked_child_neither_serves_nor_keeps_the_port() {
    let mut program = Program::start(SERVES, &["127.0.0.1:0"], &[]);
    let address = program.hear();
    assert_eq!(get(&address, "/tasks").status, 200);
    program.say(&format!("fork {address}"));
    assert_eq!(
        program.hear(),
        "true true true",
        "the child has no server, the port is the parent's, and the child's threads are its own"
    );
    assert_eq!(get(&address, "/tasks").status, 200, "the parent serves on");
    assert!(program.end().0.success());
    assert!(TcpListener::bind(&address).is_ok(), "the port is free");
}
