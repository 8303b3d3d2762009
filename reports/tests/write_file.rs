//! Report files are written completely or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::support::{page, tree};
use diagnose_reports::{Format, Report, View, write, write_file, write_new_file};

/// An empty directory for one test.
fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

fn entries(directory: &Path) -> Vec<String> {
    let names =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn creates_missing_parents_and_returns_the_path() {
    let directory = directory("creates_missing_parents");
    let path = directory.join("a/b/x.txt");
    let snapshot = tree("main | busy=5");
    assert_eq!(write_file(&snapshot, Format::Text.into(), &path).unwrap(), path);
    assert_eq!(fs::read_to_string(&path).unwrap(), page(&snapshot, Format::Text, View::Time));
    assert_eq!(entries(path.parent().unwrap()), ["x.txt"]);
}

#[test]
fn replaces_an_older_file() {
    let directory = directory("replaces_an_older_file");
    let path = directory.join("x.folded");
    fs::write(&path, "old and much longer than what comes, ".repeat(100)).unwrap();
    let snapshot = tree("main | busy=5");
    write_file(&snapshot, Report::new(Format::Folded), &path).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), page(&snapshot, Format::Folded, View::Time));
    assert_eq!(entries(&directory), ["x.folded"]);
}

#[test]
fn a_new_file_replaces_nothing() {
    let directory = directory("a_new_file_replaces_nothing");
    let path = directory.join("x.txt");
    let snapshot = tree("main | busy=5");
    assert_eq!(write_new_file(&snapshot, Format::Text.into(), &path).unwrap(), path);
    let before = fs::read_to_string(&path).unwrap();
    let error = write_new_file(&tree("other | busy=7"), Format::Text.into(), &path).unwrap_err();
    let cause = error.io_error().unwrap();
    assert_eq!(cause.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    assert_eq!(entries(&directory), ["x.txt"]);
}

#[cfg(unix)]
#[test]
fn a_file_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let directory = directory("a_file_is_its_owners_alone");
    let path = directory.join("x.json");
    fs::write(&path, "for everybody").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    for _ in 0..2 {
        write_file(&tree("main | busy=5"), Format::Json.into(), &path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_failure_leaves_what_was_there_and_no_temporary() {
    // A directory has the name of the file, so only the last step, the rename, fails.
    let directory = directory("a_failure_leaves");
    let path = directory.join("x.txt");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("kept"), "kept").unwrap();
    let error = write_file(&tree("main | busy=5"), Format::Text.into(), &path).unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot write `{}`: ", path.display())), "{error}");
    assert!(error.io_error().is_some());
    assert_eq!(entries(&directory), ["x.txt"]);
    assert_eq!(entries(&path), ["kept"]);
}

#[test]
fn a_parent_that_is_a_file_is_an_error_with_the_path() {
    let directory = directory("a_parent_that_is_a_file");
    fs::write(directory.join("file"), "kept").unwrap();
    let path = directory.join("file/x.txt");
    let error = write_file(&tree("main | busy=5"), Format::Text.into(), &path).unwrap_err();
    assert!(error.to_string().starts_with(&format!("cannot write `{}`: ", path.display())), "{error}");
    assert_eq!(fs::read_to_string(directory.join("file")).unwrap(), "kept");
    assert!(error.to_string().ends_with(": a file is in the place of the folder"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_parent_that_is_a_link_without_a_target_is_named_as_such() {
    let directory = directory("a_parent_that_is_a_link");
    std::os::unix::fs::symlink("/nowhere/at/all", directory.join("link")).unwrap();
    let path = directory.join("link/x.txt");
    let error = write_file(&tree("main | busy=5"), Format::Text.into(), &path).unwrap_err();
    let reason = "a link that leads nowhere is in the place of the folder";
    assert_eq!(error.to_string(), format!("cannot write `{}`: {reason}", path.display()));
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_socket_is_not_replaced() {
    use std::os::unix::fs::FileTypeExt as _;
    let directory = directory("a_pipe");
    let pipe = directory.join("pipe.txt");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let snapshot = tree("main | busy=5");
    // Opened for writing too, so that neither side waits for the other.
    let reader = fs::OpenOptions::new().read(true).write(true).open(&pipe).map(io::BufReader::new).unwrap();
    write_file(&snapshot, Format::Text.into(), &pipe).unwrap();
    assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo(), "it is still a pipe");
    let line = io::BufRead::lines(reader).next().unwrap().unwrap();
    assert_eq!(Some(line.as_str()), page(&snapshot, Format::Text, View::Wall).lines().next());

    let socket = directory.join("socket.txt");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let error = write_file(&snapshot, Format::Text.into(), &socket).unwrap_err();
    assert!(error.io_error().is_some(), "{error}");
    assert!(fs::symlink_metadata(&socket).unwrap().file_type().is_socket(), "it is still a socket");
    assert_eq!(entries(&directory), ["pipe.txt", "socket.txt"]);
}

#[cfg(unix)]
#[test]
fn a_new_file_does_not_wait_for_the_reader_of_a_pipe_in_its_place() {
    let directory = directory("a_pipe_in_its_place");
    let pipe = directory.join("pipe.txt");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
    assert!(made.success());
    let (done, is_done) = std::sync::mpsc::channel();
    // On a thread, so that a wait fails the test.
    std::thread::spawn(move || {
        done.send(write_new_file(&tree("main | busy=5"), Format::Text.into(), &pipe)).unwrap();
    });
    let error = is_done.recv_timeout(std::time::Duration::from_secs(20)).expect("it returns").unwrap_err();
    assert_eq!(error.io_error().map(io::Error::kind), Some(io::ErrorKind::AlreadyExists), "{error}");
    assert_eq!(entries(&directory), ["pipe.txt"]);
}

#[test]
fn a_path_without_a_name_is_an_error() {
    let error = write_file(&tree("main | busy=5"), Format::Text.into(), Path::new("..")).unwrap_err();
    assert_eq!(error.to_string(), "cannot write `..`: the path does not end in a file name");
}

#[test]
fn many_writers_of_one_path_leave_one_whole_file() {
    let directory = directory("many_writers");
    let path = directory.join("x.json");
    let snapshot = tree("main | busy=5\n  read | busy=3");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| write_file(&snapshot, Format::Json.into(), &path).unwrap());
        }
    });
    assert_eq!(fs::read_to_string(&path).unwrap(), page(&snapshot, Format::Json, View::Time));
    assert_eq!(entries(&directory), ["x.json"]);
}

#[test]
fn a_writer_that_fails_is_an_error_with_its_reason() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::other("no space left"))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let out: &mut dyn io::Write = &mut Full;
    let error = write(&tree("main | busy=5"), Format::Text.into(), out).unwrap_err();
    assert_eq!(error.to_string(), "cannot write the report: no space left");
    assert_eq!(error.io_error().unwrap().to_string(), "no space left");
}
