//! Methods that borrow the value they are called on, by name.
//!
//! ```text
//! jobs.push(job);      a method of what the lock protects: the guard stays
//! jobs.store_in(&slot) a trait of the program's own may take the guard itself
//! ```
//! Which of the two a method is, only its type says, and a macro sees none. A name that std or
//! tokio gives to a method that borrows is taken for one: a trait that takes the guard under such a
//! name would hide the method behind the guard from all code.

use proc_macro2::Ident;

use crate::acquired::is_one_of;

/// Methods that borrow, and take nothing out.
#[rustfmt::skip]
const BORROWING: &[&str] = &[
    // Collections, strings and options: to look at what is in them.
    "as_bytes", "as_deref", "as_path", "as_ref", "as_slice", "as_str", "back", "binary_search", "binary_search_by",
    "binary_search_by_key", "capacity", "chars", "chunks", "contains", "contains_key", "count", "ends_with", "eq", "first",
    "first_key_value", "fmt", "front", "get", "get_key_value", "intersection", "is_disjoint", "is_empty", "is_err", "is_none",
    "is_ok", "is_some", "is_subset", "is_superset", "iter", "keys", "last", "last_key_value", "len", "lines", "ne",
    "partial_cmp", "peek", "range", "starts_with", "to_string", "trim", "union", "values", "windows",
    // To put something into a collection, or change its order.
    "clear", "dedup", "dedup_by_key", "extend", "extend_from_slice", "fill", "insert_str", "push", "push_back", "push_front",
    "push_str", "reserve", "resize", "resize_with", "retain", "reverse", "rotate_left", "rotate_right", "shrink_to_fit", "sort",
    "sort_by", "sort_by_key", "sort_unstable", "sort_unstable_by_key", "truncate", "write_fmt", "write_str",
    // To give access to it.
    "append", "as_deref_mut", "as_mut", "as_mut_slice", "back_mut", "borrow", "borrow_mut", "clone", "clone_from", "cloned",
    "concat", "copied", "entry", "first_mut", "front_mut", "get_many_mut", "get_mut", "get_or_insert", "get_or_insert_with",
    "iter_mut", "join", "last_mut", "make_contiguous", "peek_mut", "range_mut", "retain_mut", "split_at", "split_at_mut", "swap",
    "to_owned", "to_vec", "values_mut",
    // Numbers and atomics.
    "abs", "checked_add", "checked_sub", "cmp", "compare_exchange", "fetch_add", "fetch_max", "fetch_min", "fetch_or",
    "fetch_sub", "load", "saturating_add", "saturating_sub", "store", "wrapping_add", "wrapping_sub",
    // Files and sockets.
    "accept", "consume", "flush", "local_addr", "peer_addr", "read_buf", "read_exact", "read_line", "read_to_end",
    "read_to_string", "readable", "rewind", "seek", "set_len", "shutdown", "sync_all", "sync_data", "writable", "write_all",
    // Locks, channels, timers and tasks.
    "abort", "abort_all", "acquire", "acquire_many", "add_permits", "available_permits", "blocking_recv", "blocking_send",
    "borrow_and_update", "cancel", "cancelled", "changed", "close", "closed", "deadline", "elapsed", "has_changed",
    "is_cancelled", "is_closed", "is_elapsed", "is_finished", "join_next", "lock", "notified", "notify_last", "notify_one",
    "notify_waiters", "period", "read", "receiver_count", "recv", "recv_many", "reset", "resubscribe", "same_channel", "send",
    "send_if_modified", "send_modify", "send_replace", "send_timeout", "sender_count", "spawn", "strong_count", "subscribe",
    "tick", "try_acquire", "try_join_next", "try_lock", "try_read", "try_recv", "try_reserve", "try_send", "try_write",
    "upgradable_read", "wait", "wait_for", "write",
];

/// Those that move something out of a container.
#[rustfmt::skip]
const TAKING: &[&str] = &[
    "drain", "extract_if", "insert", "next", "next_back", "pop", "pop_back", "pop_first", "pop_front", "pop_last", "remove",
    "remove_entry", "replace", "split_first", "split_last", "split_off", "swap_remove", "take", "try_next",
];

/// Methods of any value, of guards, or of traits for these, that move what they are called on.
#[rustfmt::skip]
const MOVING: &[&str] = &[
    "apply", "boxed", "conv", "downgrade", "into", "into_mapped", "pipe", "tap", "try_conv", "try_into", "upgrade",
];

/// Methods of an `Option` or a `Result` that move what they are called on.
#[rustfmt::skip]
const PASSING_ON: &[&str] = &[
    "and", "and_then", "context", "err", "filter", "inspect", "into_inner", "into_iter", "into_ok", "map", "map_err",
    "map_or", "map_or_else", "ok", "ok_or", "ok_or_else", "or", "or_else", "unwrap_or", "unwrap_or_default",
    "unwrap_or_else", "with_context", "xor", "zip",
];

/// What a method does with what it is called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Borrows it.
    Borrows,
    /// Borrows it, and may take something out of it.
    Takes,
    /// Moves what is in an `Option` or a `Result`.
    PassesOn,
    Moves,
    /// Its name does not say.
    Unknown,
}

impl Method {
    pub(crate) fn of(name: &Ident) -> Self {
        if is_one_of(BORROWING, name) {
            Self::Borrows
        } else if is_one_of(TAKING, name) {
            Self::Takes
        } else if is_one_of(PASSING_ON, name) {
            Self::PassesOn
        } else if is_one_of(MOVING, name) || name.to_string().starts_with("into_") {
            Self::Moves
        } else {
            Self::Unknown
        }
    }
}
