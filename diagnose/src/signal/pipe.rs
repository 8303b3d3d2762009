//! The pipe between the signal handler and the thread that writes dumps, through signal-hook.
//!
//! signal-hook's own iterators panic if the pipe is broken, as by a daemon that closes all
//! descriptors. That would run the program's panic hook, or end the program.

use std::ffi::c_int;
use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;

pub(super) use signal_hook::iterator::backend::Handle;
use signal_hook::iterator::backend::{PollResult, SignalDelivery, SignalIterator};
use signal_hook::iterator::exfiltrator::SignalOnly;

use crate::say::say;

/// The reader of the pipe.
pub(super) type Arrivals = SignalDelivery<UnixStream, SignalOnly>;

/// Handles the signal from now on: each one writes a byte into the pipe.
pub(super) fn open(signal: c_int) -> io::Result<(Arrivals, Handle)> {
    let (read, write) = UnixStream::pair()?;
    let pipe = Arrivals::with_pipe(read, write, SignalOnly, [signal])?;
    let handle = pipe.handle();
    Ok((pipe, handle))
}

/// Calls `action` after each signal, until the pipe is closed.
pub(super) fn act_on(pipe: Arrivals, action: impl Fn()) {
    let handle = pipe.handle();
    let mut signals = SignalIterator::new(pipe);
    loop {
        match signals.poll_signal(&mut wait) {
            PollResult::Signal(_) => action(),
            PollResult::Closed => return,
            // It was closed after signal-hook had looked.
            PollResult::Pending | PollResult::Err(_) if handle.is_closed() => return,
            PollResult::Pending | PollResult::Err(_) => {
                say!(
                    "diagnose: the program has closed the pipe of the signal handler: no signal writes a dump now"
                );
                // Its descriptors may be those of other files by now, which stay open.
                return std::mem::forget(signals);
            }
        }
    }
}

/// Waits for a byte. Returns `false` if there will be none.
fn wait(pipe: &mut UnixStream) -> io::Result<bool> {
    loop {
        match pipe.read(&mut [0]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read.map(|bytes| bytes > 0),
        }
    }
}
