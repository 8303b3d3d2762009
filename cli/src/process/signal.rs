//! Names and numbers of signals, and functions that send signals.

use std::io;

use crate::failure::Failure;

/// A signal that may ask for a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Usr1,
    Usr2,
    Quit,
}

impl Signal {
    /// All of them, in the order in which they are suggested.
    pub(crate) const ALL: [Self; 3] = [Self::Usr1, Self::Usr2, Self::Quit];

    /// Parses `USR1` or `SIGUSR1`, in any case; `None` for other names.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_uppercase();
        let name = name.strip_prefix("SIG").unwrap_or(&name);
        Self::ALL.into_iter().find(|signal| signal.name() == name)
    }

    /// The name without `SIG`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Usr1 => "USR1",
            Self::Usr2 => "USR2",
            Self::Quit => "QUIT",
        }
    }

    #[cfg(unix)]
    pub(crate) fn number(self) -> i32 {
        match self {
            Self::Usr1 => signal_hook::consts::SIGUSR1,
            Self::Usr2 => signal_hook::consts::SIGUSR2,
            Self::Quit => signal_hook::consts::SIGQUIT,
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn number(self) -> i32 {
        0
    }
}

/// The name of any signal, such as `SIGABRT`, or its number.
pub(crate) fn signal_name(number: i32) -> String {
    #[cfg(unix)]
    if let Some(name) = signal_hook::low_level::signal_name(number) {
        return name.to_owned();
    }
    format!("signal {number}")
}

/// Sends a signal to a process.
#[cfg(unix)]
pub(crate) fn send(pid: u32, number: i32) -> io::Result<()> {
    let (pid, signal) = parts(pid, number)?;
    Ok(rustix::process::kill_process(pid, signal)?)
}

/// Sends a signal to every process of a group.
#[cfg(unix)]
pub(crate) fn send_to_group(pid: u32, number: i32) -> io::Result<()> {
    let (pid, signal) = parts(pid, number)?;
    Ok(rustix::process::kill_process_group(pid, signal)?)
}

#[cfg(unix)]
fn parts(pid: u32, number: i32) -> io::Result<(rustix::process::Pid, rustix::process::Signal)> {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let signal = rustix::process::Signal::from_named_raw(number);
    pid.zip(signal).ok_or_else(|| io::ErrorKind::InvalidInput.into())
}

#[cfg(not(unix))]
pub(crate) fn send(_pid: u32, _number: i32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
pub(crate) fn send_to_group(_pid: u32, _number: i32) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A handle of a process that another process with the same id cannot take over.
#[derive(Debug)]
pub(crate) struct Handle {
    pid: u32,
    #[cfg(target_os = "linux")]
    handle: Option<std::os::fd::OwnedFd>,
}

impl Handle {
    /// Opens a handle. If there is none, as on old kernels, the process id is used instead.
    pub(crate) fn open(pid: u32) -> Self {
        Self {
            pid,
            #[cfg(target_os = "linux")]
            handle: i32::try_from(pid)
                .ok()
                .and_then(rustix::process::Pid::from_raw)
                .and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()),
        }
    }

    /// Sends a signal. `name` is the name of the process, for the error message.
    pub(crate) fn send(&self, signal: Signal, name: &str) -> Result<(), Failure> {
        let failure = |error: &io::Error| {
            let pid = self.pid;
            Failure::new(match error.kind() {
                io::ErrorKind::PermissionDenied => {
                    format!("no permission to send a signal to process {pid} (`{name}`) of another user")
                }
                _ => format!("cannot send SIG{} to process {pid} (`{name}`): {error}", signal.name()),
            })
        };
        #[cfg(target_os = "linux")]
        if let (Some(handle), Ok((_, signal))) = (&self.handle, parts(self.pid, signal.number())) {
            return rustix::process::pidfd_send_signal(handle, signal)
                .map_err(|error| failure(&io::Error::from(error)));
        }
        send(self.pid, signal.number()).map_err(|error| failure(&error))
    }
}
