//! Settings: [`Builder`] in code, `DIAGNOSE*` in the environment.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::{Format, Report};

/// The settings of [`install`](Builder::install).
///
/// The environment has the last word, so that an operator can change what a program does without a new build:
///
/// | variable | setting | default |
/// |---|---|---|
/// | `DIAGNOSE=on\|off` | [`enabled`](Builder::enabled) | `on` |
/// | `DIAGNOSE_DIR` | [`dir`](Builder::dir) | the working directory |
/// | `DIAGNOSE_SIGNAL=USR1\|USR2\|QUIT\|none` | [`signal`](Builder::signal) | `USR1` |
/// | `DIAGNOSE_TRIGGER=/run/app.dump` | [`trigger`](Builder::trigger) | none |
/// | `DIAGNOSE_FORMATS=svg,txt,folded,json` | [`formats`](Builder::formats) | these four |
/// | `DIAGNOSE_KEEP=20,500MB\|off` | [`keep`](Builder::keep) | 100 dumps, 1 GiB |
/// | `DIAGNOSE_ON_EXIT=1` | [`on_exit`](Builder::on_exit) | off |
/// | `DIAGNOSE_ONLY='client::*'` | [`only`](Builder::only) | every annotated function |
/// | `DIAGNOSE_TASKS_ONLY=1` | [`tasks_only`](Builder::tasks_only) | off |
/// | `DIAGNOSE_WATCHDOG=100ms\|off` | [`watchdog`](Builder::watchdog) | off |
/// | `DIAGNOSE_LOCK_ORDER=1` | [`lock_order`](Builder::lock_order) | off |
/// | `DIAGNOSE_UNPOLLED=1` | [`unpolled`](Builder::unpolled) | off |
/// | `DIAGNOSE_LONG_POLLS=100us\|off` | [`long_polls`](Builder::long_polls) | 100 µs |
///
/// A value that is not understood is named on stderr, and the setting of the code stays. `DIAGNOSE`, `DIAGNOSE_ONLY`
/// and `DIAGNOSE_TASKS_ONLY` hold without `install` too.
///
/// # Examples
/// ```
/// diagnose::Builder::new().dir("target/dumps").signal(diagnose::Signal::Usr2).install();
/// ```
#[derive(Debug, Clone)]
#[must_use = "nothing is set before `install`"]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
#[cfg_attr(not(feature = "on"), allow(dead_code))]
pub struct Builder {
    pub(crate) enabled: Option<bool>,
    pub(crate) dir: PathBuf,
    /// How many dumps, and how many bytes of them.
    pub(crate) keep: (u64, u64),
    pub(crate) signal: Option<Signal>,
    pub(crate) trigger: Option<PathBuf>,
    pub(crate) formats: Vec<Report>,
    pub(crate) on_exit: bool,
    pub(crate) only: Option<String>,
    pub(crate) tasks_only: Option<bool>,
    pub(crate) wakers: Wakers,
    pub(crate) watchdog: Option<Duration>,
    pub(crate) lock_order: bool,
    pub(crate) unpolled: bool,
    pub(crate) long_polls: Option<Duration>,
    pub(crate) panic_hook: bool,
}

/// Which wakers are watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wakers {
    /// None: a task's time in the queue, and the task that woke it, are not known.
    Off,
    /// Those of tasks.
    Tasks,
    /// Those of tasks, and of each future that waits for a recorded lock, channel or the like. Without the latter no queue is
    /// known, and no verdict rests on one.
    #[default]
    All,
}

/// The signal that asks for a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// `SIGUSR1`.
    Usr1,
    /// `SIGUSR2`.
    Usr2,
    /// `SIGQUIT`, as for a Java thread dump. The process goes on.
    Quit,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// The defaults.
    pub fn new() -> Self {
        Self {
            enabled: None,
            dir: PathBuf::from("."),
            keep: (100, 1 << 30),
            signal: Some(Signal::Usr1),
            trigger: None,
            formats: DEFAULT_FORMATS.into_iter().map(Report::from).collect(),
            on_exit: false,
            only: None,
            tasks_only: None,
            wakers: Wakers::default(),
            watchdog: None,
            lock_order: false,
            unpolled: false,
            long_polls: Some(Duration::from_micros(100)),
            panic_hook: false,
        }
    }

    /// Whether recording is on; [`set_enabled`](crate::set_enabled) changes it later.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
        self
    }

    /// The folder that dumps on a signal and at exit are written to. It is made when it is needed.
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    /// How many dumps on a signal or at exit stay in the folder, and how many bytes of them, whichever processes have written
    /// them: then the oldest are removed. Files that are not called as dumps are stay. 100 dumps and 1 GiB unless this
    /// says otherwise; `u64::MAX` for no bound.
    pub fn keep(mut self, dumps: u64, bytes: u64) -> Self {
        self.keep = (dumps, bytes);
        self
    }

    /// The signal that asks for a dump; `None` for none.
    pub fn signal(mut self, signal: impl Into<Option<Signal>>) -> Self {
        self.signal = signal.into();
        self
    }

    /// A file that asks for a dump by being there: it is removed, and the dump is written. It is looked for twice a second, on any
    /// system, also where there are no signals.
    pub fn trigger(mut self, path: impl Into<PathBuf>) -> Self {
        self.trigger = Some(path.into());
        self
    }

    /// The files of a dump: formats, or reports where a view is wanted too. `svg`, `txt`, `folded` and `json` by default.
    ///
    /// # Examples
    /// ```
    /// use diagnose::{Builder, Format, Report, View};
    ///
    /// let settings = Builder::new().formats([Format::Text, Format::Json]);
    /// let settings = settings.formats([Report::new(Format::Folded).view(View::Busy)]);
    /// ```
    pub fn formats(mut self, formats: impl IntoIterator<Item = impl Into<Report>>) -> Self {
        self.formats = formats.into_iter().map(Into::into).collect();
        self
    }

    /// Whether the reports are also written when the process ends by returning from `main` or by `exit`.
    pub fn on_exit(mut self, on_exit: bool) -> Self {
        self.on_exit = on_exit;
        self
    }

    /// Records only functions whose path matches one of these, separated by commas, `*` for any characters:
    /// `client::*, server::conn::read`. The crate's name may be left out.
    pub fn only(mut self, only: impl Into<String>) -> Self {
        self.only = Some(only.into());
        self
    }

    /// Records only tasks: futures that are polled under no other annotated one.
    pub fn tasks_only(mut self, tasks_only: bool) -> Self {
        self.tasks_only = Some(tasks_only);
        self
    }

    /// Which wakers are watched: all, unless this says otherwise. It holds for polls from then on.
    ///
    /// A poll of a task gets one waker of this crate, the same every time, which notes the wake and hands it on. It costs
    /// about 13 ns a poll. A future that has to wait for something on record gets one of its own with its first `Pending`,
    /// and a place in a queue: the last lines of `cargo bench -p diagnose --features tokio --bench locks` say what that
    /// costs.
    pub fn wakers(mut self, wakers: Wakers) -> Self {
        self.wakers = wakers;
        self
    }

    /// Starts a thread that raises alarms about what has not moved for so long, while it does not: 100 ms is a good
    /// value. Each comes once on stderr, and stands in text and JSON reports from then on:
    ///
    /// - a poll that has not returned: the task, what of it is running, the thread, and whether that spins or is blocked;
    /// - all workers of a runtime in such polls, and how many tasks are queued behind them;
    /// - a task that was woken, or spawned on a runtime with workers, and not polled since, and what is running instead;
    /// - the same while another worker of its runtime has nothing to do: it is where only one worker can get at it;
    /// - what hangs: each verdict that is proven or likely, once all that waits in its chain has waited for
    ///   so long, with the chain. One that has the tasks and resources of one before is the same.
    ///
    /// The second and the fourth are known of runtimes that are built by [`diagnose::tokio`](crate#features).
    ///
    /// # Cost
    /// The thread looks four times in the threshold: a few loads for every task that is alive and every resource on record,
    /// and a lock of each queue. While something runs or is queued for longer than the threshold, it takes a snapshot of
    /// what is alive each time, 5 to 20 µs for each task with what it waits for. While something waits for longer than the
    /// threshold, it takes one and asks for verdicts: once in the threshold as long as there is more of it than before, then
    /// after twice, four times … as long, up to 10 s, and never for more than a fiftieth of a processor. A server whose tasks
    /// all wait for clients is asked about every 10 s. No task is stopped or polled for it.
    ///
    /// # Native stacks
    /// With the feature `native-stacks`, on Linux on x86-64 and aarch64, the first alarm has the thread's native stack too,
    /// without the frames of this crate, the runtime and the standard library. It is taken by sending the thread a
    /// real-time signal that the program has no handler for; the last free one is taken when the first stack is, and
    /// kept. The handler walks the stack into memory set aside for it and does nothing else; one thread at a time, and
    /// not again if a thread does not come back from it. A thread that blocks the signal gives no stack. System calls
    /// that are interrupted go on by themselves (`SA_RESTART`), except those that never do: the sleeps, `poll`, `select`
    /// and `epoll_wait`, and reads and writes with a time limit on their socket. These return early, or with `EINTR`; the
    /// standard library goes on with its own, code that calls the system by itself has to expect it, as with any signal.
    pub fn watchdog(mut self, threshold: impl Into<Option<Duration>>) -> Self {
        self.watchdog = threshold.into();
        self
    }

    /// Whether it is noted in which order locks are taken: which was acquired while which was held, by whom and where. Reports
    /// then say which were taken in both orders, or in a circle: two tasks that do that at the same time hang. See
    /// [`lock_order`](crate::lock_order()).
    ///
    /// # Cost
    /// Off, a relaxed load for each acquisition. On, a lock of this crate for each, and another one, which all threads share,
    /// for each that is already held. Up to 16,384 pairs are noted; further ones are counted.
    pub fn lock_order(mut self, on: bool) -> Self {
        self.lock_order = on;
        self
    }

    /// Whether annotated futures are listed from the moment on in which they are made, as `unpolled`, below what made them, and
    /// not only from their first `Pending` on. It holds for futures that are made from then on; tasks are listed from their
    /// spawn on in any case, and a future that is dropped without a poll is counted in any case.
    ///
    /// # Cost
    /// Off, a load for each future that is made. On, a place in the list for each, under a lock that all threads share,
    /// also for those that are ready at once: about 100 ns.
    pub fn unpolled(mut self, on: bool) -> Self {
        self.unpolled = on;
        self
    }

    /// From which duration on a poll counts as long: text reports have a table of the call paths with such polls, made of
    /// the histograms that are there anyway. 100 µs unless this says otherwise; `None` for no table.
    pub fn long_polls(mut self, bound: impl Into<Option<Duration>>) -> Self {
        self.long_polls = bound.into();
        self
    }

    /// Whether a panic inside a task also says on stderr in which task and where in its tree.
    pub fn panic_hook(mut self, on: bool) -> Self {
        self.panic_hook = on;
        self
    }
}

/// The files of a dump. `svg` is left out where its feature is off.
const DEFAULT_FORMATS: [Format; DEFAULT_COUNT] = [
    #[cfg(any(feature = "svg", not(feature = "on")))]
    Format::Svg,
    Format::Text,
    Format::Folded,
    Format::Json,
];
const DEFAULT_COUNT: usize = if cfg!(any(feature = "svg", not(feature = "on"))) { 4 } else { 3 };

/// Why settings could not be installed, or not all of them.
///
/// # Examples
/// ```
/// use diagnose::{Builder, InstallError};
///
/// # let folder = std::env::temp_dir().join(format!("diagnose-install-{}", std::process::id()));
/// match Builder::new().dir(&folder).try_install() {
///     Ok(()) => {}
///     Err(InstallError::SignalTaken(signal)) => eprintln!("no dumps on a signal: {signal:?} is in use"),
///     Err(error) => return Err(error),
/// }
/// # _ = std::fs::remove_dir(folder);
/// # Ok::<(), InstallError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum InstallError {
    /// Settings are in force already: they stay. [`Builder::reinstall`] replaces them.
    AlreadyInstalled,
    /// The signal has a handler already, which stays. All other settings are in force.
    SignalTaken(Signal),
    /// The system refused a handler or its thread. All other settings are in force.
    Signal(Signal, io::Error),
    /// The folder for dumps does not exist and cannot be made. All settings are in force: the folder is tried again at each dump.
    Dir(PathBuf, io::Error),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyInstalled => {
                f.write_str("settings are installed already, and stay; `Builder::reinstall` replaces them")
            }
            Self::SignalTaken(signal) => write!(
                f,
                "{signal} has a handler already, so it does not ask for a dump; \
                 `Builder::signal` or DIAGNOSE_SIGNAL names another one"
            ),
            Self::Signal(signal, source) => write!(f, "cannot listen for {signal}: {source}"),
            Self::Dir(path, source) => {
                write!(f, "cannot make the folder for dumps, `{}`: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for InstallError {}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usr1 => "SIGUSR1",
            Self::Usr2 => "SIGUSR2",
            Self::Quit => "SIGQUIT",
        })
    }
}
