//! The tests of channels, pipes and timers.
//!
//! They are one program, because linking takes longer than running most of them. A test that reads
//! the whole recording, or changes a switch, begins with `isolated!` and runs in its own process.

mod abort_handles;
mod aborted_task;
mod auto_traits;
mod blocked_threads;
mod done_task;
mod empty_channel;
mod full_channel;
mod future_sizes;
mod given_up;
mod lost_records;
mod made_anew;
mod missed_messages;
mod parity_mpsc;
mod parity_time;
mod parity_watch;
mod pipes_and_timers;
mod raw_tasks;
mod switched_off;
mod wakers;
mod yields;
