//! The futures, streams and sinks of senders and receivers.

pub use super::receiving::{RecvFut, RecvStream};
pub use super::sending::{SendFut, SendSink};
