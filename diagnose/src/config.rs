//! Settings: [`Builder`] in code, `DIAGNOSE*` in the environment.

mod values;

use std::path::PathBuf;
use std::time::Duration;

pub(crate) use self::values::{AlarmFunction, default_formats};
pub use self::values::{Signal, Wakers};
use crate::serve_address::{ServeAddress, ServeToken};
use crate::{Alarm, Report};

/// The settings of [`install`](Builder::install).
///
/// Environment variables override these settings, so that an operator needs no rebuild:
///
/// | variable | setting | default |
/// |---|---|---|
/// | `DIAGNOSE=on\|off` | [`enabled`](Builder::enabled) | `on` |
/// | `DIAGNOSE_DIR` | [`dir`](Builder::dir) | the working directory |
/// | `DIAGNOSE_SIGNAL=USR1\|USR2\|QUIT\|none` | [`signal`](Builder::signal) | `USR1` |
/// | `DIAGNOSE_TRIGGER=/run/app.dump\|off` | [`trigger`](Builder::trigger) | none |
/// | `DIAGNOSE_FORMATS=svg,txt,folded,json` | [`formats`](Builder::formats) | these four |
/// | `DIAGNOSE_KEEP=20,500MB\|off` | [`keep`](Builder::keep) | 100 dumps, 1 GiB |
/// | `DIAGNOSE_ON_EXIT=1` | [`on_exit`](Builder::on_exit) | off |
/// | `DIAGNOSE_ONLY='client::*'` | [`only`](Builder::only) | every annotated function |
/// | `DIAGNOSE_TASKS_ONLY=1` | [`tasks_only`](Builder::tasks_only) | off |
/// | `DIAGNOSE_WATCHDOG=100ms\|off` | [`watchdog`](Builder::watchdog) | off |
/// | `DIAGNOSE_LOCK_ORDER=1` | [`lock_order`](Builder::lock_order) | off |
/// | `DIAGNOSE_UNPOLLED=1` | [`unpolled`](Builder::unpolled) | off |
/// | `DIAGNOSE_LONG_POLLS=100us\|off` | [`long_polls`](Builder::long_polls) | 100 µs |
/// | `DIAGNOSE_BUILD=1.4.2` | [`build_id`](Builder::build_id) | none |
/// | `DIAGNOSE_SERVE=127.0.0.1:6070\|/run/app.sock\|off` | [`serve`](Builder::serve) | off |
/// | `DIAGNOSE_SERVE_TOKEN` | [`serve_token`](Builder::serve_token) | none |
///
/// A value that cannot be parsed is reported on stderr and ignored. So is a `DIAGNOSE_*` variable
/// that is not in this table. `DIAGNOSE`, `DIAGNOSE_ONLY` and `DIAGNOSE_TASKS_ONLY` also apply
/// without `install`.
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
    /// Maximum number of dumps, and of their bytes.
    pub(crate) keep: (u64, u64),
    pub(crate) signal: Option<Signal>,
    /// Whether the program has set `signal`.
    pub(crate) is_signal_set: bool,
    pub(crate) trigger: Option<PathBuf>,
    pub(crate) formats: Vec<Report>,
    pub(crate) on_exit: bool,
    pub(crate) only: Option<String>,
    pub(crate) tasks_only: Option<bool>,
    pub(crate) wakers: Wakers,
    pub(crate) watchdog: Option<Duration>,
    pub(crate) on_alarm: Option<AlarmFunction>,
    pub(crate) lock_order: bool,
    pub(crate) unpolled: bool,
    pub(crate) long_polls: Option<Duration>,
    pub(crate) panic_hook: bool,
    pub(crate) build_id: Option<String>,
    pub(crate) serve: Option<ServeAddress>,
    pub(crate) serve_token: Option<ServeToken>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Returns the default settings.
    pub fn new() -> Self {
        Self {
            enabled: None,
            dir: PathBuf::from("."),
            keep: (100, 1 << 30),
            signal: Some(Signal::Usr1),
            is_signal_set: false,
            trigger: None,
            formats: default_formats(),
            on_exit: false,
            only: None,
            tasks_only: None,
            wakers: Wakers::default(),
            watchdog: None,
            on_alarm: None,
            lock_order: false,
            unpolled: false,
            long_polls: Some(Duration::from_micros(100)),
            panic_hook: false,
            build_id: None,
            serve: None,
            serve_token: None,
        }
    }

    /// Turns recording on or off. [`set_enabled`](crate::set_enabled) changes it later.
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = Some(enabled);
        self
    }

    /// Sets the folder for dumps on a signal, by a trigger file and at exit, by default the working
    /// directory. `install` creates it. A relative path is one of the working directory at
    /// `install`, also after the program has changed its working directory.
    pub fn dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    /// Sets the maximum number of dumps in the folder and of their bytes, by default 100 dumps and
    /// 1 GiB. `u64::MAX` removes a bound. Past a bound, the oldest dumps of any process are
    /// removed, but never the newest. Only dumps on a signal, by a trigger file or at exit count.
    /// `DIAGNOSE_KEEP=20,500MB` sets both, `20` removes the bound on bytes; `KB`, `MB` and `GB` are
    /// powers of 1,024.
    pub fn keep(mut self, dumps: u64, bytes: u64) -> Self {
        self.keep = (dumps, bytes);
        self
    }

    /// Sets the signal that requests a dump, on Unix; `None` for none. The default is SIGUSR1.
    ///
    /// It needs the feature `signal`, which is on by default. Without it, and on systems without
    /// signals, `install` reports on stderr that no dump follows the signal that was set here or by
    /// `DIAGNOSE_SIGNAL`. [`trigger`](Self::trigger) works everywhere.
    pub fn signal(mut self, signal: impl Into<Option<Signal>>) -> Self {
        self.signal = signal.into();
        self.is_signal_set = true;
        self
    }

    /// Sets a file whose existence requests a dump: the file is removed, and the dump is written.
    /// The path is checked twice a second. This works on any system, even one without signals. A
    /// relative path is one of the working directory at `install`.
    pub fn trigger(mut self, path: impl Into<PathBuf>) -> Self {
        self.trigger = Some(path.into());
        self
    }

    /// Sets the files of a dump: formats, or reports that also choose a view. Default: `svg`,
    /// `txt`, `folded` and `json`. Repetitions are removed. An empty list is reported on stderr,
    /// and the default stays. A format whose feature is off is an error of
    /// [`try_install`](Self::try_install), and the others are written.
    ///
    /// # Examples
    /// ```
    /// use diagnose::{Builder, Format, Report, View};
    ///
    /// let settings = Builder::new().formats([Format::Text, Format::Json]);
    /// let settings = settings.formats([Report::new(Format::Folded).view(View::Busy)]);
    /// ```
    pub fn formats(mut self, formats: impl IntoIterator<Item = impl Into<Report>>) -> Self {
        self.formats.clear();
        for report in formats.into_iter().map(Into::into) {
            // The second file of one name would find the first one in its place.
            if !self.formats.contains(&report) {
                self.formats.push(report);
            }
        }
        self
    }

    /// Also writes the reports when the process ends by returning from `main` or by `exit`. A
    /// runtime that was dropped by then has dropped its tasks: the dump has all their times, but
    /// none of their hangs. The exit waits for the dump, for seconds if a million tasks are alive.
    /// A signal such as SIGTERM ends the process without a dump, unless the program handles it.
    pub fn on_exit(mut self, on_exit: bool) -> Self {
        self.on_exit = on_exit;
        self
    }

    /// Records only functions whose path matches one of these patterns, separated by commas, with
    /// `*` for any characters: `client::*, server::conn::read`. The crate's name is optional.
    /// Tasks, and futures with `.diagnose("name")`, have no path and match by name: `client::*,
    /// conn`. A function that matches in a task that does not is recorded as a root without its
    /// spawn. A list without a pattern is reported on stderr and ignored.
    pub fn only(mut self, only: impl Into<String>) -> Self {
        self.only = Some(only.into());
        self
    }

    /// Records only tasks: futures that no other annotated future polls.
    pub fn tasks_only(mut self, tasks_only: bool) -> Self {
        self.tasks_only = Some(tasks_only);
        self
    }

    /// Sets which wakers are wrapped, for polls from now on. Default: [`Wakers::All`].
    ///
    /// Each poll of a task gets the task's one wrapped waker, which records the wake and forwards
    /// it. It costs about 13 ns a poll. With its first `Pending`, a wait for a recorded resource
    /// gets a waker of its own and a place in a queue. The last lines of `cargo bench -p diagnose
    /// --features tokio --bench locks` show that cost.
    pub fn wakers(mut self, wakers: Wakers) -> Self {
        self.wakers = wakers;
        self
    }

    /// Starts a thread that raises an alarm while something makes no progress for `threshold`, such
    /// as 100 ms. Each alarm is printed on stderr when it begins and when it ends. JSON and full
    /// text reports have the last 64, and drop resolved ones first. Alike ones are raised for the
    /// 1st, 2nd, 4th, 8th … time, once a minute, and if one lasts much longer. They are about:
    ///
    /// - a poll that has not returned, except in `block_in_place`: its task, its running functions,
    ///   its thread, and whether that spins or is blocked;
    /// - all workers of a runtime in such polls, and the number of tasks queued behind them;
    /// - a task that was woken, or spawned on a runtime with workers, and not polled since, and the
    ///   functions that run instead;
    /// - a woken or spawned task while another worker of its runtime is idle: only one worker,
    ///   which is busy, can reach the task;
    /// - each proven or likely verdict, with its chain, once all waits in the chain have lasted for
    ///   the threshold. Verdicts with equal names and places are one alarm.
    ///
    /// Zero turns it off. The second and fourth need a runtime of `diagnose::tokio`.
    ///
    /// # Cost
    /// The thread checks four times per threshold and at least once a second, or less often if a
    /// check takes long or the threshold is below 4 ms. It reads a word or two of each task and
    /// wait that can be late: with 100,000 waiting tasks, at most 1 % of a processor and 5 MB. No
    /// task is stopped or polled.
    ///
    /// While something runs or is queued for longer than the threshold, a check takes a snapshot of
    /// these tasks. While something waits for longer, a check searches the late waits for those
    /// that nothing on record can end. It does so once per threshold while new ones appear, then at
    /// intervals that double up to 10 s. If it finds any, it takes a snapshot of all live tasks and
    /// computes verdicts. Each step takes up to 1 % of a processor, the first up to 50 ms at once.
    ///
    /// # Native stacks
    /// With the feature `native-stacks`, on Linux on x86-64 and aarch64, the first alarm includes
    /// the thread's native stack, without the frames of this crate, the runtime and the standard
    /// library. To take it, the watchdog sends the thread a real-time signal: the last one that the
    /// program neither handles nor blocks in its main thread. The watchdog reserves the signal at
    /// the first stack, and keeps it. The handler only copies registers and stack into preallocated
    /// memory; the watchdog's thread unwinds the copy. The handler runs on one thread at a time. A
    /// thread that blocks the signal gives no stack. Past 1 % of a processor, alarms have none.
    ///
    /// Interrupted system calls restart (`SA_RESTART`), except those that never do: the sleeps,
    /// `poll`, `select`, `epoll_wait`, and reads and writes with a time limit on their socket.
    /// These return early, or with `EINTR`. The standard library retries its own; code that calls
    /// the system directly has to expect it, as with any signal.
    pub fn watchdog(mut self, threshold: impl Into<Option<Duration>>) -> Self {
        self.watchdog = threshold.into().filter(|threshold| !threshold.is_zero());
        self
    }

    /// Sets a function that gets each alarm of the [`watchdog`](Self::watchdog): once when it is
    /// raised, and once more, with [`resolved_at_unix_ms`](Alarm::resolved_at_unix_ms), when it is
    /// resolved.
    ///
    /// Calls run one at a time on a thread of their own, which exists while there are alarms. So
    /// the function may send a message to a pager, or write a dump. A slow function delays only its
    /// own next call; past 64 waiting alarms, further ones are left out. A panic is caught, unless
    /// the program aborts on panics. Alarms left out here still go to stderr, or to the logger, and
    /// to the reports, which keep the last 64.
    ///
    /// # Examples
    /// ```
    /// use std::time::Duration;
    ///
    /// # let folder = std::env::temp_dir().join(format!("diagnose-on-alarm-{}", std::process::id()));
    /// # let settings =
    /// diagnose::Builder::new()
    ///     .watchdog(Duration::from_millis(100))
    ///     .on_alarm(|alarm| println!("{:?} {}", alarm.kind, alarm.sentence()))
    /// #   .dir(&folder).signal(None);
    /// # settings
    ///     .install();
    /// # _ = std::fs::remove_dir(folder);
    /// ```
    pub fn on_alarm(mut self, function: impl Fn(&Alarm) + Send + Sync + 'static) -> Self {
        self.on_alarm = Some(AlarmFunction::new(function));
        self
    }

    /// Records the order of lock acquisitions: each lock acquired while another is held, with owner
    /// and place. Reports list locks that were acquired in both orders, or in a cycle: tasks that
    /// do so concurrently can deadlock. See [`lock_order`](crate::lock_order()).
    ///
    /// # Cost
    /// Off: one relaxed load per acquisition. On: one internal lock per acquisition, and a
    /// process-wide lock for each lock that the owner already holds. Up to 16,384 pairs are
    /// recorded; further ones are counted.
    pub fn lock_order(mut self, on: bool) -> Self {
        self.lock_order = on;
        self
    }

    /// Lists annotated futures as `unpolled` from their construction on, below the span that made
    /// them. By default, a future is listed from its first `Pending` on, a task from its spawn on.
    /// Futures dropped without a poll are counted either way. It applies to later futures.
    ///
    /// # Cost
    /// Off: one load per future. On: about 100 ns for each future, even if it is ready at once, to
    /// add it to a list under a process-wide lock.
    pub fn unpolled(mut self, on: bool) -> Self {
        self.unpolled = on;
        self
    }

    /// Sets the minimum length of a poll listed in the long-polls table of text reports. Default:
    /// 100 µs; `None` omits the table. It is made from histograms and begins at the bucket that
    /// contains this length, so it also lists polls of down to half this length.
    pub fn long_polls(mut self, bound: impl Into<Option<Duration>>) -> Self {
        self.long_polls = bound.into();
        self
    }

    /// Names the program's build: a version, a commit, or both. Reports show it beside host and
    /// time. At most 100 characters are kept.
    ///
    /// # Examples
    /// ```
    /// diagnose::Builder::new().build_id(env!("CARGO_PKG_VERSION")).install();
    /// ```
    pub fn build_id(mut self, build_id: impl Into<String>) -> Self {
        self.build_id = Some(build_id.into());
        self
    }

    /// On a panic in recorded code, also prints the task and the place in its tree on stderr. Off
    /// by default.
    pub fn panic_hook(mut self, on: bool) -> Self {
        self.panic_hook = on;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::{Builder, Duration, Report};
    use crate::Format;

    #[test]
    fn a_format_that_is_named_twice_counts_once() {
        let reports = [Report::from(Format::Text), Format::Json.into(), Format::Text.into()];
        assert_eq!(Builder::new().formats(reports).formats, reports[..2]);
    }

    #[test]
    fn a_threshold_of_zero_switches_the_watchdog_off() {
        assert_eq!(Builder::new().watchdog(Duration::ZERO).watchdog, None);
        assert_eq!(Builder::new().watchdog(Duration::from_nanos(1)).watchdog, Some(Duration::from_nanos(1)));
    }
}
