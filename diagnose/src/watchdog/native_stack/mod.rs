//! The native stack of a thread whose poll does not return.
//!
//! ```text
//! alt_stack   a signal stack for every thread that records
//! interrupt   copies a thread's registers and stack, in a signal handler that does nothing else
//! modules     the unwind tables of the loaded files
//! unwind      from the copy to addresses, on the watchdog's thread
//! lines       from addresses to the lines that are shown
//! ```

mod alt_stack;
mod interrupt;
mod lines;
mod modules;
mod unwind;

pub(crate) use alt_stack::prepare_thread;
pub(super) use lines::of;
pub use lines::{addresses_of, interrupt_thread};
