//! A program that a test starts, talks to and ends. Tests wait for its output, never for a time.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

/// A running program, with its own directory for dumps.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr: BufReader<ChildStderr>,
    folder: PathBuf,
}

/// The outcome of a program that has ended.
#[derive(Debug)]
pub struct Ended {
    /// Whether it exited with zero.
    pub success: bool,
    /// The output that was not read before.
    pub stderr: String,
    /// The files of its directory, by extension.
    pub dumps: BTreeMap<String, String>,
}

impl Program {
    /// Starts a program with arguments and environment variables. `DIAGNOSE*` variables of the test
    /// are not passed on.
    ///
    /// # Panics
    /// If it cannot be started.
    #[must_use]
    pub fn start(path: &str, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!(
            "diagnose-test-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        let _ = std::fs::remove_dir_all(&folder);
        let mut command = Command::new(path);
        for (name, _) in
            std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("DIAGNOSE"))
        {
            command.env_remove(name);
        }
        command.args(args).env("DIAGNOSE_DIR", &folder).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take().expect("it is piped");
        let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
        let stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        Self { child, stdin, stdout, stderr, folder }
    }

    /// Sends a signal by name, `USR1`.
    ///
    /// # Panics
    /// If that fails.
    pub fn signal(&self, name: &str) {
        let kill = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("there is a shell").success());
    }

    /// Writes a line to its standard input.
    ///
    /// # Panics
    /// If it does not read any more.
    pub fn say(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the program reads");
    }

    /// Waits for the next line of its standard output.
    ///
    /// # Panics
    /// If the output is not text.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }

    /// Waits for the next line on stderr that names a written file, and reads the file.
    ///
    /// # Panics
    /// If another line comes, or the file is not there.
    pub fn dump(&mut self) -> (String, String) {
        let mut line = String::new();
        self.stderr.read_line(&mut line).expect("text");
        let path = line.trim_end().strip_prefix("diagnose: wrote ");
        let path = PathBuf::from(path.unwrap_or_else(|| panic!("a written file, not {line:?}")));
        assert!(
            path.starts_with(&self.folder)
                || path.starts_with(self.folder.canonicalize().expect("it is there"))
        );
        let extension = path.extension().expect("there is one").to_string_lossy().into_owned();
        (extension, std::fs::read_to_string(path).expect("the file is there"))
    }

    /// Closes its stdin and waits for it to end.
    ///
    /// # Panics
    /// If its output is not text.
    #[must_use]
    pub fn end(self) -> Ended {
        let Self { mut child, stdin, stdout, stderr, folder } = self;
        drop(stdin);
        let success = child.wait().expect("it ends").success();
        drop(stdout);
        let stderr = std::io::read_to_string(stderr).expect("text");
        let mut dumps = BTreeMap::new();
        for file in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = file.path();
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            dumps.insert(extension, std::fs::read_to_string(path).expect("text"));
        }
        let _ = std::fs::remove_dir_all(&folder);
        Ended { success, stderr, dumps }
    }
}
