//! Calls the function of `Builder::on_alarm`, on a thread of its own.
//!
//! ```text
//! call   ──▶ queue, up to `MAX_QUEUED` alarms ──▶ thread `diagnose-alarm`, while there are alarms
//! ```
//! The function belongs to the program: it may block, panic, or never return. None of that affects
//! the watchdog, stderr or the reports. Alarms that do not fit into the queue are left out. A panic
//! ends the call; the thread continues with the next alarm.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use diagnose_reports::model::Alarm;

use crate::config::AlarmFunction;
use crate::own_thread;
use crate::say::say;
use crate::signal_mask::as_program;
use crate::sync::Mutex;

/// Maximum number of alarms that wait for the function.
const MAX_QUEUED: usize = 64;

static CALLBACK: Mutex<Callback> =
    Mutex::new(Callback { function: None, queue: VecDeque::new(), caller: None });

/// Whether the function owns anything that needs a drop, such as a guard or a sender.
static OWNS: AtomicBool = AtomicBool::new(false);

struct Callback {
    function: Option<AlarmFunction>,
    queue: VecDeque<Alarm>,
    /// Id of the process whose thread calls; `None` if no thread does. In a forked child the
    /// parent's thread does not exist.
    caller: Option<u32>,
}

/// Sets the function that gets each alarm from now on.
pub(crate) fn set_callback(function: Option<AlarmFunction>) {
    OWNS.store(function.as_ref().is_some_and(|it| it.owns), Relaxed);
    let previous = std::mem::replace(&mut CALLBACK.lock().function, function);
    // Dropped without the lock, because this may run code of the program.
    drop(previous);
}

/// Returns whether there is a function that may own something a task waits for, such as a guard,
/// and may release it when called.
pub(crate) fn has_owning_callback() -> bool {
    OWNS.load(Relaxed)
}

/// Queues an alarm for the function, if there is one.
pub(super) fn call(alarm: &Alarm) {
    let mut callback = CALLBACK.lock();
    let process = std::process::id();
    if callback.caller.is_some_and(|caller| caller != process) {
        // This is a forked child: the queued alarms are its parent's.
        callback.queue.clear();
    }
    if callback.function.is_none() {
        return;
    }
    if callback.queue.len() < MAX_QUEUED {
        callback.queue.push_back(alarm.clone());
    }
    if callback.caller == Some(process) {
        return;
    }
    // If no thread can be started, the alarm stays in the queue, and the next alarm tries again.
    let thread = own_thread::spawn("diagnose-alarm", run);
    callback.caller = thread.is_ok().then_some(process);
}

/// Calls the function until the queue is empty.
fn run() {
    while let Some((function, alarm)) = own_thread::work(next) {
        if let Err(payload) =
            catch_unwind(AssertUnwindSafe(|| as_program(move || (function.function)(&alarm))))
        {
            // The payload's own drop may panic too.
            std::mem::forget(payload);
            own_thread::work(|| {
                say!(
                    "diagnose: the function of `Builder::on_alarm` panicked; it is called again for the next \
                     alarm"
                );
            });
        }
    }
}

fn next() -> Option<(AlarmFunction, Alarm)> {
    let mut callback = CALLBACK.lock();
    let alarm = callback.queue.pop_front();
    let next = callback.function.clone().zip(alarm);
    if next.is_none() {
        callback.queue.clear();
        callback.caller = None;
    }
    next
}
