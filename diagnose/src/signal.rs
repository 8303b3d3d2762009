//! A dump on a signal, on a thread of its own: a runtime that is stuck must still be dumped.
//!
//! The handler itself only writes one byte into a pipe (signal-hook does that); this thread reads it and does the
//! rest. Signals that arrive while a dump is being written are one further dump.

use crate::config::Signal;

/// Listens for `signal`, instead of what was listened for before.
#[cfg(all(unix, feature = "signal"))]
pub(crate) fn listen(signal: Option<Signal>, action: impl Fn() + Send + 'static) {
    use crate::say::say;
    use crate::sync::Mutex;

    use signal_hook::iterator::{Handle, Signals};

    static LISTENER: Mutex<Option<Handle>> = Mutex::new(None);
    let mut listener = LISTENER.lock();
    if let Some(previous) = listener.take() {
        previous.close();
    }
    let Some(signal) = signal else { return };
    let result = Signals::new([number(signal)]).and_then(|mut signals| {
        *listener = Some(signals.handle());
        let thread = std::thread::Builder::new().name("diagnose-signal".to_owned());
        thread.spawn(move || {
            for _ in &mut signals {
                action();
            }
        })
    });
    if let Err(error) = result {
        say!("diagnose: cannot listen for {signal:?}: {error}");
    }
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

/// There are no signals here.
#[cfg(not(all(unix, feature = "signal")))]
pub(crate) fn listen(_signal: Option<Signal>, _action: impl Fn() + Send + 'static) {}
