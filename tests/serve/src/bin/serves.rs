//! A program that works and serves its reports.
//!
//! ```text
//! serves ADDRESS [TOKEN]     `-` for no address
//! ```
//! It prints the address, or the error. Then each line on stdin is a command: `count` prints the
//! work done and the resident memory in KiB; `threads` the names of its threads; `again` installs
//! once more; `move ADDRESS` and `stop` install anew; `fork` continues in a child, which prints
//! whether it can serve, and joins its threads; `take` opens a socket whose descriptor was that of
//! the server, and `taken` prints whether it blocks, and whether it is open. It exits at the end of
//! stdin.

use std::io::{BufRead as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Barrier};

use diagnose::diagnose;
use diagnose::tokio;

static DONE: AtomicU64 = AtomicU64::new(0);

#[diagnose]
async fn works() {
    loop {
        sums(7).await;
        DONE.fetch_add(1, Relaxed);
        tokio::task::yield_now().await;
    }
}

#[diagnose]
async fn sums(seed: u64) -> u64 {
    std::hint::black_box((0..2_000_u64).fold(seed, |sum, number| sum.rotate_left(5) ^ number))
}

fn settings() -> diagnose::Builder {
    diagnose::Builder::new().signal(None)
}

fn say(line: impl std::fmt::Display) {
    println!("{line}");
    std::io::stdout().flush().expect("stdout is open");
}

fn status(name: &str) -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    line.split_whitespace().nth(1).unwrap_or_default().to_owned()
}

fn threads() -> String {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let mut names: Vec<String> = tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| name.starts_with("diagnose-") && name != "diagnose-stderr")
        .collect();
    names.sort();
    names.join(" ")
}

/// Installs settings while the process has threads of its own. Returns whether they can be joined.
fn installs_beside_threads() -> bool {
    let barrier = Arc::new(Barrier::new(5));
    let start = || {
        std::thread::spawn({
            let barrier = Arc::clone(&barrier);
            move || barrier.wait()
        })
    };
    let threads = [(); 4].map(|()| start());
    let is_installed = settings().try_install().is_ok();
    barrier.wait();
    // The join of a thread that is detached panics.
    threads.map(std::thread::JoinHandle::join).iter().all(Result::is_ok) && is_installed
}

/// Forks. The child prints whether it can serve by itself, and what becomes of its threads when it
/// installs settings, and exits.
fn fork(address: &str) {
    // SAFETY: the child calls no function that another thread may be in.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let inherited = diagnose::serve_address().is_none();
        let own = std::net::TcpListener::bind(address).is_err();
        say(format!("{inherited} {own} {}", installs_beside_threads()));
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local that the call fills in.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
}

/// A pair of connected sockets. The first one has the descriptor of the server, too.
struct Taken {
    descriptor: RawFd,
    _first: UnixStream,
    second: UnixStream,
}

impl Taken {
    /// `None` if no socket of this process listens.
    fn new() -> Option<Self> {
        let (first, second) = UnixStream::pair().expect("sockets");
        let descriptor = (3..64).find(|descriptor| listens(*descriptor))?;
        // SAFETY: nothing else in this program uses the descriptor.
        let result = unsafe { libc::dup2(first.as_raw_fd(), descriptor) };
        (result >= 0).then_some(Self { descriptor, _first: first, second })
    }

    fn blocks(&self) -> bool {
        // SAFETY: the call takes numbers.
        let flags = unsafe { libc::fcntl(self.descriptor, libc::F_GETFL) };
        flags >= 0 && flags & libc::O_NONBLOCK == 0
    }

    fn is_open(&mut self) -> bool {
        let mut byte = 0_u8;
        let is_written = self.second.write_all(b"1").is_ok();
        // SAFETY: the pointer is to a local of one byte.
        is_written && unsafe { libc::read(self.descriptor, (&raw mut byte).cast(), 1) } == 1 && byte == b'1'
    }
}

fn listens(descriptor: RawFd) -> bool {
    let (mut listens, mut size) = (0_i32, 4);
    let (level, option) = (libc::SOL_SOCKET, libc::SO_ACCEPTCONN);
    // SAFETY: the pointers are to locals, and the size is that of the first.
    let result =
        unsafe { libc::getsockopt(descriptor, level, option, (&raw mut listens).cast(), &raw mut size) };
    result == 0 && listens != 0
}

fn main() {
    let mut taken = None;
    let mut args = std::env::args().skip(1);
    let address = args.next().filter(|address| address != "-");
    let mut builder = settings();
    if let Some(address) = address {
        builder = builder.serve(address);
    }
    if let Some(token) = args.next() {
        builder = builder.serve_token(token);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    runtime.spawn(works());
    match builder.try_install() {
        Ok(()) => say(diagnose::serve_address().map(|address| address.to_string()).unwrap_or_default()),
        Err(error) => say(format!("error: {error}")),
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("count", _) => say(format!("{} {}", DONE.load(Relaxed), status("VmRSS:"))),
            ("threads", _) => say(threads()),
            ("again", _) => {
                let error = settings().try_install().err();
                say(error.map(|error| error.to_string()).unwrap_or_default());
            }
            ("move", to) => {
                let moved = settings().serve(to).reinstall();
                let address = diagnose::serve_address().map(|address| address.to_string());
                say(moved.map_or_else(|error| format!("error: {error}"), |()| address.unwrap_or_default()));
            }
            ("stop", _) => {
                let _ = settings().reinstall();
                say(diagnose::serve_address().is_none());
            }
            ("fork", to) => fork(to),
            ("take", _) => {
                taken = Taken::new();
                say(taken.is_some());
            }
            ("taken", _) => {
                let taken = taken.as_mut().expect("it was taken");
                say(format!("{} {}", taken.blocks(), taken.is_open()));
            }
            _ => {}
        }
    }
    std::process::exit(0);
}
