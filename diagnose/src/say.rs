//! What the crate says on stderr. No caller waits for that: a thread of its own writes it.
//!
//! ```text
//! say!   ──▶ queue, up to 256 KiB ──▶ thread `diagnose-stderr`, while there is something to write
//! ```
//! Stderr may be a pipe that nobody empties, and other threads may hold its lock while they wait for that. Dumps and alarms
//! go on all the same: what finds no room in the queue is counted, and the count is said once there is room again. At the end
//! of the process the queue is written, unless stderr does not move for a second. Where stderr is closed, nothing fails. What a
//! program's names and labels would do to a terminal is taken out.

use std::collections::VecDeque;
use std::io::Write as _;
use std::sync::Once;
use std::thread;
use std::time::{Duration, Instant};

use crate::exit;
use crate::sync::Mutex;

/// Bytes that wait to be written at most.
const MAX_BYTES: usize = 256 << 10;
/// How long the end of the process waits for a stderr that does not move.
const LIMIT: Duration = Duration::from_secs(1);

static QUEUE: Mutex<Queue> =
    Mutex::new(Queue { texts: VecDeque::new(), bytes: 0, lost: 0, written: 0, writer: None });

/// What waits to be written.
struct Queue {
    texts: VecDeque<String>,
    /// Their length in all, and of the one that is being written.
    bytes: usize,
    /// Texts that found no room, since the last time that this was said.
    lost: u64,
    /// Texts that were written.
    written: u64,
    /// The process whose thread writes; `None` if no thread does. In a forked child the parent's thread does not exist.
    writer: Option<u32>,
}

/// Says a line, later.
macro_rules! say {
    ($($part:tt)*) => { $crate::say::later(format!($($part)*)) };
}
pub(crate) use say;

/// Says a line now, on this thread, which waits for stderr. For the panic hook: the panic's own message has just done so too.
macro_rules! say_now {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        // `eprintln!` would panic if it cannot be written.
        let _ = writeln!(std::io::stderr(), "{}", diagnose_reports::clean_lines(&format!($($part)*)));
    }};
}
pub(crate) use say_now;

/// Puts a text into the queue.
pub(crate) fn later(text: String) {
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| exit::register(flush));
    let mut queue = QUEUE.lock();
    if queue.bytes + text.len() > MAX_BYTES && queue.bytes > 0 {
        queue.lost += 1;
        return;
    }
    queue.bytes += text.len();
    queue.texts.push_back(text);
    let process = std::process::id();
    if queue.writer == Some(process) {
        return;
    }
    // Without a thread it stays in the queue, and the next text tries again.
    let thread = thread::Builder::new().name("diagnose-stderr".to_owned()).spawn(write);
    queue.writer = thread.is_ok().then_some(process);
}

/// Writes what is in the queue, until it is empty.
fn write() {
    while let Some(text) = next() {
        let _ = writeln!(std::io::stderr(), "{}", diagnose_reports::clean_lines(&text));
        let mut queue = QUEUE.lock();
        queue.bytes = queue.bytes.saturating_sub(text.len());
        queue.written += 1;
    }
}

fn next() -> Option<String> {
    let mut queue = QUEUE.lock();
    if let Some(text) = queue.texts.pop_front() {
        return Some(text);
    }
    if queue.lost > 0 {
        let lost = std::mem::take(&mut queue.lost);
        return Some(format!("diagnose: {lost} messages were lost, because stderr was blocked"));
    }
    queue.writer = None;
    None
}

/// Waits until all is written, or stderr has not moved for a second.
pub(crate) fn flush() {
    let (mut written, mut since) = (0, Instant::now());
    loop {
        let queue = QUEUE.lock();
        if queue.writer != Some(std::process::id()) {
            return;
        }
        if queue.written != written {
            (written, since) = (queue.written, Instant::now());
        }
        drop(queue);
        if since.elapsed() >= LIMIT {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}
