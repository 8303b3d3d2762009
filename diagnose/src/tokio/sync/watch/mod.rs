//! `tokio::sync::watch`: values that are watched, with who watches, who borrows and who may change them on record; the rest
//! is tokio's own.

#![allow(clippy::must_use_candidate)] // A caller is warned where the original warns.

mod receiver;
mod sender;
mod value;

pub use self::receiver::Receiver;
pub use self::sender::{Sender, channel};
pub use self::value::Ref;
pub use ::tokio::sync::watch::*;
