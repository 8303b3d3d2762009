//! Starts a program, waits for its end, and interrupts it.
//!
//! ```text
//! Ctrl-C, or the end of the duration ─▶ a dump of each process that listens ─▶ the signal, passed on
//!                             again ─▶ SIGKILL
//! ```
//! The program gets its own process group. Otherwise, the terminal would send Ctrl-C to the
//! program, too, and most programs would end before they could write a dump.
//!
//! An interactive program stays in the group of this process, so that it can read from the
//! terminal. A signal from the terminal reaches the program directly, and this process only waits
//! for its end. At a signal from another process, and at the end of the duration, this process
//! signals the program, but not the children of the program.
//!
//! A signal that this process ignores from its start on, as SIGHUP under `nohup`, stays ignored,
//! also by the program.

use std::ffi::OsString;
use std::io;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::commands::run::report::{Dumps, Ending};
use crate::failure::Failure;
use crate::process::{Process, Request, Signal, group, is_ignored, request, send, send_to_group};

/// How long a process may take to begin a dump.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a program may take to end after a signal.
const GRACE: Duration = Duration::from_secs(5);
/// Time between two checks of the processes that the program has left behind.
const PAUSE: Duration = Duration::from_millis(10);

/// A program to run.
#[derive(Debug)]
pub(super) struct Program<'a> {
    /// The program and its arguments.
    pub(super) command: &'a [OsString],
    pub(super) variables: Vec<(&'static str, OsString)>,
    /// The time after which it is interrupted, if any.
    pub(super) duration: Option<Duration>,
    pub(super) is_interactive: bool,
    /// Whether its standard output goes to stderr.
    pub(super) is_output_apart: bool,
}

/// An event while the program runs.
#[derive(Debug)]
enum Event {
    Ended(io::Result<ExitStatus>),
    Signal {
        number: i32,
        /// Whether the whole process group got the signal, as with Ctrl-C.
        is_from_terminal: bool,
    },
}

/// The processes to interrupt.
#[derive(Debug, Clone, Copy)]
struct Target {
    /// The id of the program's process.
    pid: u32,
    /// Whether the program has its own process group, whose id is `pid`.
    is_group: bool,
}

impl Target {
    fn processes(self) -> Vec<u32> {
        if self.is_group { group(self.pid) } else { vec![self.pid] }
    }

    fn send(self, number: i32) {
        // A failure means that the program has ended.
        let _ = if self.is_group { send_to_group(self.pid, number) } else { send(self.pid, number) };
    }
}

impl Program<'_> {
    /// Runs the program to its end.
    pub(super) fn run(&self, dumps: &mut Dumps) -> Result<Ending, Failure> {
        let (sender, events) = mpsc::channel();
        listen(&sender)?;
        let child = self.start()?;
        let target = Target { pid: child.id(), is_group: !self.is_interactive };
        wait_for(child, sender);
        let began = Instant::now();
        loop {
            let event = match self.duration {
                Some(duration) => events.recv_timeout(duration.saturating_sub(began.elapsed())),
                None => events.recv().map_err(RecvTimeoutError::from),
            };
            match event {
                Ok(Event::Ended(status)) => return ended(status),
                // The program has got the signal, too, and decides whether it ends.
                Ok(Event::Signal { is_from_terminal: true, .. }) if self.is_interactive => {}
                Ok(Event::Signal { number, .. }) => return interrupt(target, number, &events, dumps),
                // The duration has ended. The channel is not closed, because the sending threads
                // live as long as this one.
                Err(_) => return interrupt(target, interrupting(), &events, dumps),
            }
        }
    }

    fn start(&self) -> Result<Child, Failure> {
        let [program, arguments @ ..] = self.command else { return Err(Failure::new("no program is named")) };
        let mut command = Command::new(program);
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        if self.is_output_apart {
            command.stdout(io::stderr());
        }
        #[cfg(unix)]
        if !self.is_interactive {
            use std::io::IsTerminal as _;

            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            if io::stdin().is_terminal() {
                // A read from the terminal would stop a process outside of the terminal's
                // foreground group.
                command.stdin(Stdio::null());
            }
        }
        let failure = |error| Failure::new(format!("cannot run `{}`: {error}", program.to_string_lossy()));
        command.spawn().map_err(failure)
    }
}

#[cfg(unix)]
const KILL: i32 = signal_hook::consts::SIGKILL;
#[cfg(not(unix))]
const KILL: i32 = 9;

/// The signal that interrupts the program: SIGINT, or SIGTERM if the program ignores SIGINT.
#[cfg(unix)]
fn interrupting() -> i32 {
    use signal_hook::consts::{SIGINT, SIGTERM};

    if is_ignored(SIGINT) { SIGTERM } else { SIGINT }
}

#[cfg(not(unix))]
fn interrupting() -> i32 {
    2
}

/// Sends an event for each signal that would end this process, instead of ending it.
#[cfg(unix)]
fn listen(sender: &Sender<Event>) -> Result<(), Failure> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::SignalsInfo;
    use signal_hook::iterator::exfiltrator::raw::WithRawSiginfo;

    // A program that this process starts ignores a signal only if this process does so, too.
    let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
    let signals = SignalsInfo::<WithRawSiginfo>::new(signals);
    let mut signals = signals.map_err(|error| Failure::new(format!("cannot listen for Ctrl-C: {error}")))?;
    let sender = sender.clone();
    thread::spawn(move || {
        signals.forever().try_for_each(|info| {
            let number = info.si_signo;
            // Linux uses positive codes for signals that no process sent. Other systems do not tell
            // the difference, but there SIGINT nearly always comes from the terminal.
            let is_from_terminal =
                if cfg!(target_os = "linux") { info.si_code > 0 } else { number == SIGINT };
            sender.send(Event::Signal { number, is_from_terminal })
        })
    });
    Ok(())
}

#[cfg(not(unix))]
fn listen(_sender: &Sender<Event>) -> Result<(), Failure> {
    Ok(())
}

/// Sends an event when the program has ended.
fn wait_for(mut child: Child, sender: Sender<Event>) {
    thread::spawn(move || sender.send(Event::Ended(child.wait())));
}

/// Asks each process that handles the signal for a dump, then passes the signal on.
fn interrupt(
    target: Target,
    number: i32,
    events: &Receiver<Event>,
    dumps: &mut Dumps,
) -> Result<Ending, Failure> {
    for process in target.processes() {
        // `request` waits for the listening thread of a process that has just started, and sends no
        // signal to a process without that thread.
        if Process::read(process).is_ok_and(|it| it.handles(Signal::Usr1)) {
            let asked = Request {
                pid: process,
                signal: Some(Signal::Usr1),
                folder: Some(dumps.folder()),
                timeout: PATIENCE,
            };
            // A process that ends in the meantime may have written its dump at exit.
            if let Ok(dump) = request(&asked) {
                dumps.prefer(dump);
            }
        }
    }
    target.send(number);
    end(target, events, GRACE)
}

/// Waits for the end of the program and of its group; kills them after a further signal, or after
/// `grace`.
fn end(target: Target, events: &Receiver<Event>, grace: Duration) -> Result<Ending, Failure> {
    let began = Instant::now();
    if let Ok(Event::Ended(status)) = events.recv_timeout(grace) {
        // A shell may end before the programs that it started.
        while target.is_group && !target.processes().is_empty() {
            if began.elapsed() >= grace {
                target.send(KILL);
                break;
            }
            thread::sleep(PAUSE);
        }
        return ended(status).map(|_| Ending::Interrupted);
    }
    target.send(KILL);
    loop {
        match events.recv() {
            Ok(Event::Signal { .. }) => {}
            Ok(Event::Ended(status)) => return ended(status).map(|_| Ending::Interrupted),
            Err(_) => return Ok(Ending::Interrupted),
        }
    }
}

fn ended(status: io::Result<ExitStatus>) -> Result<Ending, Failure> {
    let status = status.map_err(|error| Failure::new(format!("cannot wait for the program: {error}")))?;
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ok(Ending::Signal(signal));
    }
    Ok(Ending::Status(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)))
}
