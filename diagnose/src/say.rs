//! Writes the crate's messages to stderr, on a thread of its own. So no caller waits for stderr.
//! A logger or subscriber of the program gets them instead, if there is one: see `events`.
//!
//! ```text
//! say!   ──▶ queue, up to 256 KiB ──▶ thread `diagnose-stderr`, while there is something to write
//! ```
//! Stderr may be a pipe that no process reads, and other threads may hold its lock while they wait
//! for it. Dumps and alarms go on all the same. Messages that find no room in the queue are
//! counted, and the count is printed once there is room again. The end of the process waits for
//! the thread, unless stderr accepts nothing for a second. If no thread could be started, it writes
//! the queue itself, as far as stderr accepts it. If stderr is closed, nothing fails. Control
//! characters in a program's names and labels are removed before they reach the terminal.

use std::collections::VecDeque;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use diagnose_reports::model::Alarm;

use crate::events::{self, Message};
use crate::exit;
use crate::os;
use crate::own_thread;
use crate::signal_mask::with_write_errors;
use crate::sync::{Mutex, MutexGuard};

/// Maximum number of queued bytes.
const MAX_BYTES: usize = 256 << 10;
/// Maximum number of bytes per write: POSIX's least `PIPE_BUF`. A pipe that is ready for a write
/// takes as many at once, and does not block.
const PIPE_BYTES: usize = 512;
/// How long the end of the process waits while stderr accepts nothing.
const LIMIT: Duration = Duration::from_secs(1);
/// The time between two looks at the queue.
const PAUSE: Duration = Duration::from_millis(1);

static QUEUE: Mutex<UnwrittenTexts> =
    Mutex::new(UnwrittenTexts { texts: VecDeque::new(), bytes: 0, lost: 0, written: 0, writer: None });

/// The process that has queued texts: in a forked child, nobody may ever release the queue.
static QUEUED_IN: AtomicU32 = AtomicU32::new(0);

/// The texts that are not written yet.
struct UnwrittenTexts {
    texts: VecDeque<Message>,
    /// Length of the queued texts and of the one being written, in bytes.
    bytes: usize,
    /// Number of texts that found no room since this was last printed.
    lost: u64,
    /// Number of texts written.
    written: u64,
    /// Id of the process whose thread writes; `None` if no thread does. In a forked child the
    /// parent's thread does not exist.
    writer: Option<u32>,
}

/// Queues a line for stderr. Line breaks in quoted text, such as the value of a variable, are
/// removed.
macro_rules! say {
    ($($part:tt)*) => { $crate::say::line(&format!($($part)*)) };
}
pub(crate) use say;

/// Writes a line on this thread, which waits for stderr. This is for the panic hook: the panic's
/// own message has just been written the same way.
macro_rules! say_now {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        // `eprintln!` would panic if the write fails.
        let _ = $crate::signal_mask::with_write_errors(|| {
            writeln!(std::io::stderr(), "{}", diagnose_reports::clean_lines(&format!($($part)*)))
        });
    }};
}
pub(crate) use say_now;

/// Calls `run` like [`own_thread::work`]. If it panics, which is a defect of this crate or of what
/// it calls, the thread says so and goes on.
pub(crate) fn work_or_say<R>(what: &str, run: impl FnOnce() -> R) -> Option<R> {
    let result = catch_unwind(AssertUnwindSafe(|| own_thread::work(run)));
    let forget_and_say = |payload| {
        // The payload's own drop may panic too.
        std::mem::forget(payload);
        own_thread::work(|| say!("diagnose: cannot complete {what}: it panicked"));
    };
    result.map_err(forget_and_say).ok()
}

/// Queues a line.
pub(crate) fn line(text: &str) {
    queue(Message::Text(diagnose_reports::clean_line(text)));
}

/// Queues an alarm. `words` say how long a resolved one lasted.
pub(crate) fn alarm(alarm: Alarm, words: String) {
    queue(Message::Alarm { alarm, words });
}

fn queue(text: Message) {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| exit::register(flush));
    QUEUED_IN.store(std::process::id(), Relaxed);
    let Some(mut queue) = lock() else { return };
    if queue.writer.is_some_and(|writer| writer != std::process::id()) {
        // A forked child: its parent writes these.
        queue.texts.clear();
        (queue.bytes, queue.lost) = (0, 0);
    }
    if queue.bytes + text.len() > MAX_BYTES && queue.bytes > 0 {
        queue.lost += 1;
    } else {
        queue.bytes += text.len();
        queue.texts.push_back(text);
    }
    // If no thread can be started, the text stays in the queue, and the next text tries again.
    start_writer(&mut queue);
}

/// Starts the thread that writes the queue, if there is none. Returns whether there is one.
fn start_writer(queue: &mut UnwrittenTexts) -> bool {
    let process = std::process::id();
    if queue.writer != Some(process) {
        let thread = own_thread::spawn("diagnose-stderr", || write(usize::MAX, || true));
        queue.writer = thread.is_ok().then_some(process);
    }
    queue.writer.is_some()
}

/// Writes the queue until it is empty, or until `may_go_on` returns false before a write of `most`
/// bytes.
fn write(most: usize, may_go_on: impl Fn() -> bool) {
    while let Some(text) = own_thread::work(next) {
        // A logger is the program's, and may panic.
        let is_taken = catch_unwind(AssertUnwindSafe(|| events::emit(&text))).unwrap_or_else(|payload| {
            // The payload's own drop may panic too.
            std::mem::forget(payload);
            false
        });
        if !is_taken {
            let line = format!("{}\n", diagnose_reports::clean_lines(&text.text()));
            for part in line.as_bytes().chunks(most) {
                if !may_go_on() {
                    return;
                }
                let _ = with_write_errors(|| std::io::stderr().write_all(part));
            }
        }
        own_thread::work(|| {
            let mut queue = QUEUE.lock();
            queue.bytes = queue.bytes.saturating_sub(text.len());
            queue.written += 1;
        });
    }
}

fn next() -> Option<Message> {
    let mut queue = QUEUE.lock();
    if let Some(text) = queue.texts.pop_front() {
        return Some(text);
    }
    if queue.lost > 0 {
        let lost = std::mem::take(&mut queue.lost);
        let text = format!("diagnose: {lost} messages were lost, because stderr was blocked");
        return Some(Message::Text(text));
    }
    queue.writer = None;
    None
}

/// Waits until the queue is written, or until stderr has accepted nothing for a second. Without a
/// thread, writes it here.
pub(crate) fn flush() {
    if QUEUED_IN.load(Relaxed) != std::process::id() {
        return;
    }
    let (mut written, mut since) = (0, Instant::now());
    loop {
        let Some(mut queue) = lock() else { return };
        let is_written = queue.writer.is_none() && queue.texts.is_empty();
        // A forked child has its parent's texts.
        if is_written || queue.writer.is_some_and(|writer| writer != std::process::id()) {
            return;
        }
        if !start_writer(&mut queue) {
            drop(queue);
            return write(PIPE_BYTES, os::accepts_stderr);
        }
        if queue.written != written {
            (written, since) = (queue.written, Instant::now());
        }
        drop(queue);
        if since.elapsed() >= LIMIT {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Locks the queue. `None` if it stays locked for a second: in a forked child by a thread that does
/// not exist there, or by this very thread, whose signal handler ends the process. Later calls do
/// not wait again.
fn lock() -> Option<MutexGuard<'static, UnwrittenTexts>> {
    static GIVEN_UP_IN: AtomicU32 = AtomicU32::new(0);
    let (process, began) = (std::process::id(), Instant::now());
    loop {
        match QUEUE.try_lock() {
            None if GIVEN_UP_IN.load(Relaxed) == process => return None,
            None if began.elapsed() < LIMIT => thread::sleep(PAUSE),
            None => GIVEN_UP_IN.store(process, Relaxed),
            queue => return queue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{QUEUE, QUEUED_IN, Relaxed, flush, line};

    // this thread  ├ has the queue ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┤
    //                 ├ flush ┤ as in a child   ├ line ┤ ├ flush ┤ as in a handler: a second each
    #[test]
    fn the_end_of_a_process_does_not_wait_for_a_queue_that_nobody_releases() {
        let held = QUEUE.lock();
        QUEUED_IN.store(std::process::id() + 1, Relaxed);
        flush();
        line("this text is lost");
        assert_eq!(QUEUED_IN.load(Relaxed), std::process::id());
        flush();
        assert!(!held.texts.iter().any(|text| text.text() == "this text is lost"));
    }
}
