//! The programs, one file each.
//!
//! Each file is one macro with the whole source in it, because only a macro can take an attribute
//! and a crate's path as parameters. Each program fixes its number of threads.

mod actors;
mod cache;
mod fan_out;
mod full_channel;
mod hits;
mod news;
mod one_mutex;
mod pipeline;
mod short_tasks;
mod storm;
mod table;

pub use self::table::PROGRAMS;
