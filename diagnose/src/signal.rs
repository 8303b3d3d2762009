//! Writes a dump on a signal, on a thread of its own. So a stuck runtime can still be dumped.
//!
//! The handler itself, which is called through signal-hook, only posts a semaphore. This thread
//! waits for it and does the rest. Signals that arrive while a dump is being written cause one
//! further dump. Apple's systems have no such semaphores: there, the handler writes a byte into a
//! pipe.

#[cfg(all(unix, feature = "signal", target_vendor = "apple"))]
mod pipe;
#[cfg(all(unix, feature = "signal", not(target_vendor = "apple")))]
mod semaphore;

#[cfg(all(unix, feature = "signal", target_vendor = "apple"))]
use self::pipe::{Arrivals, Handle, act_on, open};
#[cfg(all(unix, feature = "signal", not(target_vendor = "apple")))]
use self::semaphore::{Arrivals, Handle, act_on, open};
use crate::config::Signal;
use crate::install_error::InstallError;
#[cfg(all(unix, feature = "signal"))]
use crate::own_thread;
#[cfg(all(unix, feature = "signal"))]
use crate::say::say;
#[cfg(all(unix, feature = "signal"))]
use crate::sync::Mutex;

/// Signals that this crate has handled. Their handlers stay, and do nothing while no thread
/// listens.
#[cfg(all(unix, feature = "signal"))]
static OWN: Mutex<Vec<Signal>> = Mutex::new(Vec::new());

/// Returns whether this crate has handled the signal with this number.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn is_own(signal: std::ffi::c_int) -> bool {
    OWN.lock().iter().any(|own| number(*own) == signal)
}

/// `false`: there are no signals here.
#[cfg(not(all(unix, feature = "signal")))]
pub(crate) fn is_own(_signal: std::ffi::c_int) -> bool {
    false
}

/// Listens for `signal` instead of the previous one. `_is_set` says whether the program or the
/// environment names it.
///
/// # Errors
/// The program already handles the signal, or the system refuses.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn listen(
    signal: Option<Signal>,
    _is_set: bool,
    action: impl Fn() + Send + 'static,
) -> Result<(), InstallError> {
    use std::sync::mpsc;

    static LISTENER: Mutex<Option<Handle>> = Mutex::new(None);
    let mut listener = LISTENER.lock();
    if let Some(previous) = listener.take() {
        previous.close();
    }
    let Some(signal) = signal else { return Ok(()) };
    let mut own = OWN.lock();
    if !own.contains(&signal) && crate::os::has_signal_handler(number(signal)) {
        return Err(InstallError::SignalTaken(signal));
    }
    // The thread comes first: a handler without a thread would keep the signal's default action
    // from the program, and do nothing.
    let (hand_over, handed_over) = mpsc::channel::<Arrivals>();
    let listen = move || {
        let Ok(signals) = handed_over.recv() else { return };
        // All other threads may block it by now.
        crate::signal_mask::accept(number(signal));
        act_on(signals, || {
            let _ = crate::say::work_or_say("the dump for a signal", &action);
        });
    };
    let as_error = |error| InstallError::Signal(signal, error);
    own_thread::spawn("diagnose-signal", listen).map_err(as_error)?;
    let (signals, handle) = open(number(signal)).map_err(as_error)?;
    own.push(signal);
    *listener = Some(handle);
    // The thread waits for it.
    let _ = hand_over.send(signals);
    if crate::signal_mask::is_blocked(number(signal)) {
        say!(
            "diagnose: {signal} is blocked in the thread that installs diagnose: it writes no dump until a thread of \
             the program accepts it"
        );
    }
    Ok(())
}

#[cfg(all(unix, feature = "signal"))]
fn number(signal: Signal) -> std::ffi::c_int {
    use signal_hook::consts::signal::{SIGQUIT, SIGUSR1, SIGUSR2};
    match signal {
        Signal::Usr1 => SIGUSR1,
        Signal::Usr2 => SIGUSR2,
        Signal::Quit => SIGQUIT,
    }
}

/// Says that nothing listens for a signal that the program or the environment names.
#[cfg(not(all(unix, feature = "signal")))]
#[allow(clippy::unnecessary_wraps)] // The signature is the same as with signals.
pub(crate) fn listen(
    signal: Option<Signal>,
    is_set: bool,
    _action: impl Fn() + Send + 'static,
) -> Result<(), InstallError> {
    if let Some(words) = unheard(signal, is_set, cfg!(unix)) {
        crate::say::line(&words);
    }
    Ok(())
}

/// Returns the message about a signal that was asked for and that writes no dump.
#[cfg(any(test, not(all(unix, feature = "signal"))))]
fn unheard(signal: Option<Signal>, is_set: bool, has_signals: bool) -> Option<String> {
    let why =
        if has_signals { "this build lacks the feature `signal`" } else { "this system has no signals" };
    let instead = "`Builder::trigger` or DIAGNOSE_TRIGGER names a file that requests one";
    let signal = signal.filter(|_| is_set)?;
    Some(format!("diagnose: {signal} writes no dump, because {why}; {instead}"))
}

#[cfg(test)]
mod tests {
    use super::{Signal, unheard};

    #[test]
    fn only_a_signal_that_was_named_is_missed() {
        assert_eq!(unheard(Some(Signal::Usr1), false, true), None);
        assert_eq!(unheard(None, true, true), None);
        let words = |has_signals| unheard(Some(Signal::Usr2), true, has_signals).unwrap_or_default();
        assert!(
            words(true).starts_with(
                "diagnose: SIGUSR2 writes no dump, because this build lacks the feature `signal`;"
            )
        );
        assert!(words(false).contains("this system has no signals"));
    }
}
