//! Polls of tasks on one thread: the total of a tree's roots.
//!
//! ```text
//! polls of a root = its own + those below that pass through it − those that stop on their way up
//! ```
//! Synchronous roots are not tasks: a `main` that runs an executor is busy all the time. A task
//! that a nested executor polls is a root too, and its time is not counted twice.

use super::node::Node;
use super::poll_totals::PollSum;
use super::thread::{Tree, is_nested};
use crate::clock;
use crate::site::SiteKind;
use crate::sync::{AtomicU64, Ordering};

/// A total at an earlier moment, from which a thread's polls count.
#[derive(Debug, Default)]
pub(super) struct RootPollsBefore {
    busy: AtomicU64,
    polls: AtomicU64,
}

impl Tree {
    /// Number and length of all polls of tasks since the lease, or since the last reset, up to now.
    /// A poll that ends meanwhile may be missing.
    #[cfg(feature = "tokio")]
    pub(crate) fn root_polls(&'static self) -> PollSum {
        let PollSum { busy, polls } = self.all_root_polls(true);
        let before = &self.before;
        PollSum {
            busy: busy.saturating_sub(before.busy.load(Ordering::Relaxed)),
            polls: polls.saturating_sub(before.polls.load(Ordering::Relaxed)),
        }
    }

    /// Starts a new total. A running poll counts in it, from now on.
    #[cold]
    pub(crate) fn restart_root_polls(&'static self) {
        self.before.busy.store(self.all_root_polls(true).busy, Ordering::Relaxed);
        self.before.polls.store(self.all_root_polls(false).polls, Ordering::Relaxed);
    }

    fn all_root_polls(&'static self, with_running: bool) -> PollSum {
        let mut sum = PollSum::default();
        for root in self.root.children().filter(|root| root.site.kind != SiteKind::Sync) {
            let now = clock::now();
            let Some(times) = root.read(now, || now) else { continue };
            sum.busy = sum.busy.wrapping_add(times.busy);
            sum.polls = sum.polls.wrapping_add(times.polls);
            if let (true, Some((_, length))) = (with_running, times.running) {
                sum.busy = sum.busy.wrapping_add(length);
                sum.polls = sum.polls.wrapping_add(1);
            }
            let counts_nested = !root.may_be_outside_of_tasks();
            add_below(root, now, (counts_nested, with_running), &mut sum);
        }
        sum
    }
}

/// Adds what passes from below through `node`, and so through the root. Wraps in between. Polls of
/// nested tasks are polls beside those of the root, unless the root is no task itself.
fn add_below(node: &'static Node, now: u64, (counts_nested, with_running): (bool, bool), sum: &mut PollSum) {
    for child in node.children() {
        let Some(times) = child.read(now, || now) else { continue };
        if is_nested(child.site) {
            let running = times.running.map_or(0, |(_, length)| length);
            sum.busy = sum.busy.wrapping_sub(times.busy).wrapping_sub(running);
            if !counts_nested {
                let running = u64::from(with_running && times.running.is_some());
                sum.polls = sum.polls.wrapping_sub(times.polls).wrapping_sub(running);
            }
            continue;
        }
        sum.busy = sum.busy.wrapping_add(times.through.busy);
        sum.polls = sum.polls.wrapping_add(times.through.polls);
        add_below(child, now, (counts_nested, with_running), sum);
    }
    if let Some(stopped) = node.stopped() {
        let (stopped, _, _) = stopped.read();
        sum.busy = sum.busy.wrapping_sub(stopped.busy);
        sum.polls = sum.polls.wrapping_sub(stopped.polls);
    }
}
