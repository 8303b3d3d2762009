//! Applies the settings of a [`Builder`], overridden by the environment.

use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use diagnose_reports::{Error, Report};

use crate::config::{Builder, Signal, Wakers, default_formats};
use crate::install_error::InstallError;
use crate::keep::Keep;
use crate::pattern::Pattern;
use crate::say::{self, say};
use crate::{
    alarms, dump, env, env_names, env_values, exit, identity, label, live, panics, serve, signal, snapshot,
    switch, trigger, waits, watchdog,
};

/// Installs the defaults: SIGUSR1 writes the reports into the working directory.
///
/// Equivalent to `Builder::new().install()`, so `DIAGNOSE*` variables apply. Call it first in
/// `main`: before that, SIGUSR1 terminates the process. The signal needs the feature `signal`,
/// which is on by default, and a Unix system. Elsewhere SIGUSR1 writes nothing, and
/// `DIAGNOSE_TRIGGER` names a file that requests a dump.
///
/// # Examples
/// ```
/// diagnose::install();
/// ```
/// After `kill -USR1 <pid>`, stderr shows:
/// ```text
/// diagnose: wrote /srv/app/diagnose-web1-20261122T123456.789Z-4711-1.svg
/// diagnose: wrote /srv/app/diagnose-web1-20261122T123456.789Z-4711-1.txt
/// diagnose: wrote /srv/app/diagnose-web1-20261122T123456.789Z-4711-1.folded
/// diagnose: wrote /srv/app/diagnose-web1-20261122T123456.789Z-4711-1.json
/// ```
pub fn install() {
    Builder::new().install();
}

/// The process that settings are installed in; 0 before that. A forked child has the settings of
/// its parent, and none of its threads.
static INSTALLED_IN: AtomicU32 = AtomicU32::new(0);

impl Builder {
    /// Applies the settings, overridden by the environment. Like
    /// [`try_install`](Self::try_install), but prints an error on stderr and continues.
    pub fn install(self) {
        if let Err(error) = self.try_install() {
            say!("diagnose: {error}");
        }
    }

    /// Applies the settings, overridden by the environment. Recording stays on or off unless one of
    /// them sets it.
    ///
    /// A process that was forked after `install`, as by a daemon, has none of the threads that
    /// answer signals, watch or serve: install the settings there again. If other threads recorded
    /// at the fork, the child records nothing, and its snapshots say so.
    ///
    /// If the calling thread blocks the signal that requests a dump, the program may read that
    /// signal itself, as from a `signalfd`. Then the signal writes no dump until a thread of the
    /// program accepts it, and stderr says so.
    ///
    /// # Errors
    /// Settings are already installed in this process, or a part could not be installed: the signal
    /// already has a handler, its thread cannot start, the folder for dumps cannot be created, the
    /// feature of a format is off, or the address or the token of the server is refused. Returns
    /// the first such error, and prints any others on stderr; all other parts apply.
    pub fn try_install(self) -> Result<(), InstallError> {
        let process = process::id();
        if INSTALLED_IN.swap(process, Relaxed) == process {
            return Err(InstallError::AlreadyInstalled);
        }
        self.apply()
    }

    /// Like [`try_install`](Self::try_install), but replaces installed settings. A setting that is
    /// not given gets its default again, except whether recording is on.
    ///
    /// # Errors
    /// A part could not be installed; all others apply. Further errors are printed on stderr.
    pub fn reinstall(self) -> Result<(), InstallError> {
        INSTALLED_IN.store(process::id(), Relaxed);
        self.apply()
    }

    fn apply(self) -> Result<(), InstallError> {
        // Called before anything is created that a forked child must not inherit, such as a
        // server's socket.
        #[cfg(unix)]
        crate::fork::watch();
        label::when_out(snapshot::free_numbers_soon);
        env_values::report_invalid();
        env_names::check_names();
        if let Some(enabled) = env::enabled().or(self.enabled) {
            switch::set_enabled(enabled);
        }
        if env::only().is_none() {
            let only = self.only.as_deref().and_then(Pattern::parse);
            if let (Some(list), None) = (&self.only, &only) {
                say!("diagnose: ignoring `Builder::only({list:?})`: it names no function");
            }
            switch::set_only(only);
        }
        switch::set_tasks_only(env::switch("DIAGNOSE_TASKS_ONLY").or(self.tasks_only).unwrap_or(false));
        let dir = here(env::path("DIAGNOSE_DIR").unwrap_or(self.dir));
        let made =
            diagnose_reports::create_folder(&dir).map_err(|error| InstallError::Dir(dir.clone(), error));
        let (dumps, bytes) = self.keep;
        let keep = env_values::keep("DIAGNOSE_KEEP").unwrap_or(Keep { dumps, bytes });
        let formats = env::text("DIAGNOSE_FORMATS").and_then(|formats| parse_formats(&formats));
        let (reports, lacking) = match formats {
            Some(reports) => (reports, Vec::new()),
            None => writable(self.formats),
        };
        let lacking = lacking.into_iter().map(|error| Err(InstallError::Format(error)));
        let of_env = env::text("DIAGNOSE_SIGNAL").and_then(|name| parse_signal(&name));
        let is_signal_set = of_env.is_some() || self.is_signal_set;
        let wanted = of_env.unwrap_or(self.signal);
        let on_exit = env::switch("DIAGNOSE_ON_EXIT").unwrap_or(self.on_exit);
        if on_exit {
            let (dir, reports) = (dir.clone(), reports.clone());
            exit::at_exit(move || dump::dump_set(&dir, &reports, keep), say::flush);
        } else {
            exit::clear();
        }
        let write = move || dump::dump_set(&dir, &reports, keep);
        live::set_wakers(self.wakers != Wakers::Off, self.wakers == Wakers::All);
        switch::set_lists_unpolled(env::switch("DIAGNOSE_UNPOLLED").unwrap_or(self.unpolled));
        waits::lock_order::set_on(env::switch("DIAGNOSE_LOCK_ORDER").unwrap_or(self.lock_order));
        panics::install(self.panic_hook);
        identity::set_build(self.build_id);
        snapshot::set_long_polls(
            env_values::duration("DIAGNOSE_LONG_POLLS").unwrap_or(self.long_polls).unwrap_or_default(),
        );
        alarms::set_callback(self.on_alarm);
        watchdog::watch(env_values::duration("DIAGNOSE_WATCHDOG").unwrap_or(self.watchdog));
        trigger::watch(env::trigger().unwrap_or(self.trigger).map(here), write.clone());
        let served =
            serve::set_up(env::serve().unwrap_or(self.serve), env::serve_token().or(self.serve_token));
        let listens = signal::listen(wanted, is_signal_set, write);
        let mut errors = [listens, made].into_iter().chain(lacking).chain([served]).filter_map(Result::err);
        let first = errors.next();
        for other in errors {
            say!("diagnose: {other}");
        }
        first.map_or(Ok(()), Err)
    }
}

/// Returns the path in the current working directory, which the program may leave later.
fn here(path: PathBuf) -> PathBuf {
    let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
    std::path::absolute(&path).unwrap_or(path)
}

/// Splits reports into those that this build can write, and the errors of the others. If there are
/// none, the default takes their place; an empty list is reported on stderr.
fn writable(reports: Vec<Report>) -> (Vec<Report>, Vec<Error>) {
    if reports.is_empty() {
        say!("diagnose: ignoring `Builder::formats`: it names no format");
    }
    let (mut written, mut errors) = (Vec::new(), Vec::new());
    for report in reports {
        match Report::try_from(report.to_string().as_str()) {
            Ok(_) => written.push(report),
            Err(error) => errors.push(error),
        }
    }
    (if written.is_empty() { default_formats() } else { written }, errors)
}

/// Parses a list of reports such as `svg,busy.svg,txt`. Names that are unknown or not in this build
/// are reported on stderr, as is an empty list. Returns `None` if no report is left.
fn parse_formats(list: &str) -> Option<Vec<Report>> {
    let names: Vec<&str> = list.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        say!("diagnose: ignoring DIAGNOSE_FORMATS=`{list}`: it names no format");
    }
    let mut reports = Vec::new();
    for name in names {
        match Report::try_from(name) {
            Ok(report) if reports.contains(&report) => {}
            Ok(report) => reports.push(report),
            Err(error) => say!("diagnose: DIAGNOSE_FORMATS: {error}"),
        }
    }
    (!reports.is_empty()).then_some(reports)
}

#[allow(clippy::option_option)] // Not understood, or understood as "none": two different things.
/// Parses a signal's name. Returns `None` if it is unknown, `Some(None)` for "no signal".
fn parse_signal(name: &str) -> Option<Option<Signal>> {
    let upper = name.to_ascii_uppercase();
    match upper.strip_prefix("SIG").unwrap_or(&upper) {
        "USR1" => Some(Some(Signal::Usr1)),
        "USR2" => Some(Some(Signal::Usr2)),
        "QUIT" => Some(Some(Signal::Quit)),
        "NONE" | "OFF" => Some(None),
        _ => {
            say!("diagnose: ignoring DIAGNOSE_SIGNAL=`{name}`: expected USR1, USR2, QUIT or none");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use diagnose_reports::Format;

    use super::{Signal, default_formats, parse_formats, parse_signal, writable};

    #[test]
    fn a_format_whose_feature_is_off_is_an_error_and_the_others_are_written() {
        let all = [Format::Html, Format::Text, Format::Svg, Format::Pprof];
        let (written, errors) = writable(all.map(Into::into).to_vec());
        assert!(written.iter().all(|report| Format::all().any(|format| format == report.format)));
        assert_eq!(written.len() + errors.len(), all.len());
        for error in errors {
            assert!(error.to_string().contains(" is not in this build: it needs the feature "), "{error}");
        }
        assert_eq!(writable(Vec::new()).0, default_formats());
    }

    #[test]
    fn a_signal_goes_by_its_name_with_or_without_sig() {
        assert_eq!(parse_signal("USR1"), Some(Some(Signal::Usr1)));
        assert_eq!(parse_signal("sigquit"), Some(Some(Signal::Quit)));
        assert_eq!(parse_signal("none"), Some(None));
        assert_eq!(parse_signal("KILL"), None);
    }

    #[test]
    fn an_unknown_format_does_not_take_the_others_with_it() {
        let reports = parse_formats("txt, gif, busy.folded").expect("two are known");
        let names: Vec<String> = reports.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["txt", "busy.folded"]);
        assert_eq!(parse_formats(" ,,, "), None);
    }
}
