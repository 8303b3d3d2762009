//! The share of the wanted CPU time that the workers got; without workers on record, the threads
//! that have polled.

use crate::model::{Snapshot, Worker};

/// The CPU time that a worker may need to park and to unpark, for each poll.
const PARK_NS: u64 = 10_000;

/// The CPU time of all workers, from their start or the last reset.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct CpuShare {
    /// ns on a CPU.
    pub(super) cpu_ns: u64,
    /// ns in which a worker could have run, and another thread or process had the CPU.
    pub(super) delayed_ns: u64,
    /// The most of `delayed_ns` that can have been inside polls.
    pub(super) delayed_in_polls_ns: u64,
    /// `delayed_ns` of the worker that was delayed most.
    pub(super) most_delayed_ns: u64,
    /// Whether both times are known for all workers; without workers, for all recorded threads.
    pub(super) is_known: bool,
    /// Whether there are workers on record.
    pub(super) is_of_workers: bool,
}

impl CpuShare {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let mut share = Self { is_of_workers: !snapshot.workers.is_empty(), ..Self::default() };
        share.is_known = share.is_of_workers || !snapshot.threads.is_empty();
        for worker in &snapshot.workers {
            share.add(worker.cpu_ns.zip(worker.delayed_ns), delayed_in_polls_ns(worker));
        }
        if !share.is_of_workers {
            for thread in &snapshot.threads {
                // When it was parked is unknown: it may have waited for a CPU in polls alone.
                let in_polls_ns = thread.delayed_ns.unwrap_or(0);
                share.add(thread.cpu_ns.zip(thread.delayed_ns), in_polls_ns);
            }
        }
        share
    }

    fn add(&mut self, times_ns: Option<(u64, u64)>, delayed_in_polls_ns: u64) {
        let (cpu_ns, delayed_ns) = times_ns.unwrap_or_default();
        self.cpu_ns = self.cpu_ns.saturating_add(cpu_ns);
        self.delayed_ns = self.delayed_ns.saturating_add(delayed_ns);
        self.delayed_in_polls_ns = self.delayed_in_polls_ns.saturating_add(delayed_in_polls_ns);
        self.most_delayed_ns = self.most_delayed_ns.max(delayed_ns);
        self.is_known &= times_ns.is_some();
    }

    /// Returns whether workers waited for a CPU so often that the length of a poll says little.
    pub(super) fn is_scarce(&self) -> bool {
        self.delayed_ns > self.cpu_ns / 4
    }

    /// Returns whether the workers got less than a tenth of the CPU time that they wanted. The
    /// length of a poll says nothing then.
    pub(super) fn is_starved(&self) -> bool {
        self.delayed_ns / 9 > self.cpu_ns
    }

    /// The wall time that work with this CPU time takes on this machine: at most ten times as long,
    /// and longer by at most the time for which workers waited for a CPU.
    pub(super) fn stretched(&self, ns: u64) -> u64 {
        self.stretched_by(ns, self.delayed_ns)
    }

    /// Like [`stretched`](Self::stretched), for a time inside one poll: only waits for a CPU that
    /// can lie in polls make it longer.
    pub(super) fn stretched_poll(&self, ns: u64) -> u64 {
        self.stretched_by(ns, self.delayed_in_polls_ns)
    }

    fn stretched_by(&self, ns: u64, delayed_ns: u64) -> u64 {
        let wanted = u128::from(self.cpu_ns) + u128::from(delayed_ns);
        let stretched = (u128::from(ns) * wanted).checked_div(u128::from(self.cpu_ns)).unwrap_or(0);
        // Workers that hardly work, as where all calls hang, wait for a CPU at each wake. No wait
        // is longer by more than all of these.
        let most = ns.saturating_mul(10).min(ns.saturating_add(delayed_ns));
        u64::try_from(stretched).unwrap_or(u64::MAX).clamp(ns, most)
    }

    /// Returns whether the times are those of the recording: threads may be older than it, and so
    /// may the times of a snapshot of an earlier version after a reset.
    pub(super) fn fits(&self, snapshot: &Snapshot) -> bool {
        let most_ns = capacity_ns(snapshot);
        self.is_known
            && self.is_of_workers
            && self.cpu_ns.saturating_add(self.delayed_ns) <= most_ns.saturating_add(most_ns / 10)
    }
}

/// The most time that a worker can have waited for a CPU inside polls. A worker that is woken and
/// waits for a CPU is still parked: that wait is in no poll.
///
/// ```text
/// parked ·····|▒ woken, waits for a CPU ▒|██ CPU ██▒ waits ▒██ CPU ██| parked ·····
///                                        |────── not parked ─────────|
/// ```
/// If the thread is older than the recording, CPU times may exceed the time that it was not parked.
/// Then it is all of `delayed_ns`.
fn delayed_in_polls_ns(worker: &Worker) -> u64 {
    let (cpu_ns, delayed_ns) = (worker.cpu_ns.unwrap_or(0), worker.delayed_ns.unwrap_or(0));
    let unparked_ns = worker.listed_ns.saturating_sub(worker.parked_ns);
    let parks_ns = worker.polls.saturating_mul(PARK_NS);
    match unparked_ns.checked_sub(cpu_ns) {
        Some(off_cpu_ns) if worker.listed_ns > 0 => delayed_ns.min(off_cpu_ns.saturating_add(parks_ns)),
        _ => delayed_ns,
    }
}

/// The most CPU time, in ns, that workers can have needed to park and to unpark; without workers on
/// record, the threads that have polled tasks.
pub(super) fn parks_ns(snapshot: &Snapshot) -> u64 {
    let workers = snapshot.workers.iter().map(|worker| worker.polls);
    let roots = snapshot.nodes.iter().filter(|node| node.parent.is_none() && snapshot.workers.is_empty());
    let polls = workers.chain(roots.map(|root| root.polls)).fold(0, u64::saturating_add);
    polls.saturating_mul(PARK_NS)
}

/// The time of all workers since the recording started, or of one worker if none is known.
pub(super) fn capacity_ns(snapshot: &Snapshot) -> u64 {
    snapshot.elapsed_ns.saturating_mul(snapshot.workers.len().max(1) as u64)
}
