//! `futures::channel::mpsc`: channels whose senders, receivers and waits are on record.
//!
//! What waits as a sink or a stream is shown where its task awaits it, or where the channel was made, if that is not known.

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
