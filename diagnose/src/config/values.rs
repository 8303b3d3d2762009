//! What settings are set to: signals, wakers, a function for alarms, the default formats.

use std::fmt;
use std::sync::Arc;

use crate::{Alarm, Format, Report};

/// The function of [`Builder::on_alarm`], and whether it owns anything that needs a drop.
#[derive(Clone)]
#[cfg_attr(not(feature = "on"), allow(dead_code))]
pub(crate) struct AlarmFunction {
    pub(crate) function: Arc<dyn Fn(&Alarm) + Send + Sync>,
    pub(crate) owns: bool,
}

impl AlarmFunction {
    pub(crate) fn new<F: Fn(&Alarm) + Send + Sync + 'static>(function: F) -> Self {
        Self { function: Arc::new(function), owns: std::mem::needs_drop::<F>() }
    }
}

impl fmt::Debug for AlarmFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fn(&Alarm)")
    }
}

/// The wakers that diagnose wraps.
///
/// # Examples
/// ```
/// // Saves the cost of a wake, for a program that needs flame graphs only.
/// diagnose::Builder::new().wakers(diagnose::Wakers::Off).install();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Wakers {
    /// None. A task's time in the queue and the task that woke it are unknown.
    Off,
    /// Wakers of tasks.
    Tasks,
    /// Wakers of tasks, and of each future that waits for a recorded lock, channel and so on.
    /// Without these futures' wakers, no wait queue is known, and no verdict relies on one.
    #[default]
    All,
}

/// The signal that requests a dump.
///
/// # Examples
/// ```
/// // The program has its own handler of SIGUSR1.
/// diagnose::Builder::new().signal(diagnose::Signal::Usr2).install();
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Signal {
    /// `SIGUSR1`.
    Usr1,
    /// `SIGUSR2`.
    Usr2,
    /// `SIGQUIT`, as for a Java thread dump. The process continues.
    Quit,
}

/// The default formats of a dump, without `svg` where its feature is off.
pub(crate) fn default_formats() -> Vec<Report> {
    let svg = cfg!(any(feature = "svg", not(feature = "on"))).then_some(Format::Svg);
    svg.into_iter().chain([Format::Text, Format::Folded, Format::Json]).map(Report::from).collect()
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Usr1 => "SIGUSR1",
            Self::Usr2 => "SIGUSR2",
            Self::Quit => "SIGQUIT",
        })
    }
}
