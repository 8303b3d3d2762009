//! `futures::channel::mpsc`: channels that record the owners and waits of their ends.
//!
//! The wait of a sink or stream is shown at the awaiting place, or where the channel was created.

mod make;
mod receiver;
mod recv;
mod sender;
mod unbounded;

pub use self::make::{channel, unbounded};
pub use self::receiver::{Receiver, UnboundedReceiver};
pub use self::recv::Recv;
pub use self::sender::Sender;
pub use self::unbounded::UnboundedSender;
pub use ::futures::channel::mpsc::*;
