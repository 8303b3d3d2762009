//! The programs, one file each.
//!
//! Each file has one macro with the whole source in it, because an attribute and the path of a crate can be parameters of
//! nothing else. The number of threads is fixed in each.

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
