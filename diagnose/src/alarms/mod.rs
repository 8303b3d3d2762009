//! The alarms so far, and where each new alarm goes.
//!
//! ```text
//! raised     the list in reports; where each new alarm goes
//! callback   the function of `Builder::on_alarm`, on a thread of its own
//! ```

mod callback;
mod raised;

pub(crate) use callback::{has_owning_callback, set_callback};
pub(crate) use raised::{alarm, alarms, raise, resolve};
