//! The empty snapshot.

use super::{Clock, Dropped, Process, Snapshot, VERSION};

/// An empty snapshot of this version. Saved and read back, it is the same.
impl Default for Snapshot {
    fn default() -> Self {
        Self {
            version: VERSION,
            producer: String::new(),
            process: Process::default(),
            captured_unix_ms: 0,
            elapsed_ns: 0,
            enabled: false,
            merged: 0,
            clock: Clock::default(),
            costs: Vec::new(),
            dropped: Dropped::default(),
            threads: Vec::new(),
            sites: Vec::new(),
            nodes: Vec::new(),
            long_poll_ns: 0,
            alarms: Vec::new(),
            runtimes: Vec::new(),
            workers: Vec::new(),
            blocking_pools: Vec::new(),
            tasks: Vec::new(),
            spans: Vec::new(),
            resources: Vec::new(),
            past_resources: Vec::new(),
            waits: Vec::new(),
            lock_order: None,
            foreign_threads: 0,
            are_threads_unknown: false,
            unrecorded_tasks: 0,
            is_all_recorded: false,
        }
    }
}
