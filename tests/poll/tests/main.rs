//! The tests of the recorder, one behavior per file.
//!
//! They are one program, because linking takes longer than running most of them. The recorder, its
//! switches and the manual clock are global, and most tests compare the whole snapshot. So each
//! test begins with `isolated!` and runs in its own process.

mod after_another_task;
mod awaits;
mod awaits_arms;
mod awaits_cancelled;
mod awaits_elsewhere;
mod awaits_in_macros;
mod awaits_listed_elsewhere;
mod awaits_of_boxes;
mod blocks_and_named_futures;
mod busy_and_idle;
mod cancelled;
mod clock_readings;
mod concurrent_snapshots;
mod detached;
mod dropped_elsewhere;
mod dropped_with_children;
mod full_trees;
mod futures_unordered;
mod hand_written;
mod histogram;
mod instrumented;
mod join;
mod labels;
mod latency;
mod latency_elsewhere;
mod latency_quantiles;
mod latency_switched;
mod made_elsewhere;
mod migration;
mod moved_out_of_select;
mod nested_executor;
mod never_polled;
mod next_await;
mod node_bound;
mod open_queue;
mod panic_in_poll;
mod passes_through;
mod passing_ends;
mod poll_after_ready;
mod polled_as_often;
mod ready_at_once;
mod recursion;
mod reset;
mod reset_of_threads;
mod reset_while_running;
mod root_dropped_inside;
mod still_running;
mod sums;
mod switched_and_moved;
mod switched_anywhere;
mod switched_in_between;
mod switched_in_recursion;
mod switched_off;
mod sync_fn;
mod task_inside_itself;
mod thread_teardown;
mod trees_are_reused;
mod unpolled_delay;
mod unpolled_on_a_new_thread;
mod waits_for_others;
mod wakers;
mod wakers_anywhere;
