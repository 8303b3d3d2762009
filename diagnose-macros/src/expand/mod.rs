//! Generates the output. Only this module writes code: elsewhere `quote!` only joins the user's
//! tokens.
//!
//! ```text
//! #[diagnose]
//! async fn get(key: u64) -> Option<u64> { map().await.get(&key) }
//!   ▼
//! fn get(key: u64) -> impl Future<Output = Option<u64>> {
//!     static BODY: Body<(Site,)> = …;
//!     Timed::new(Span::new(&BODY.site, Label::NONE), async move {
//!         _ = &key;                      // captures
//!         if false { return … }          // the type, for inference
//!         { map().await.get(&key) }      // the body, once; see `awaiting`
//!     })
//! }
//! ```
//! The function becomes one that returns the future, because an `async fn` around another would
//! store the arguments twice. `impl Future` has the edition of this crate. So it captures all
//! lifetimes in any caller's edition, as an `async fn` does.
//!
//! - `asynchronous`: an `async fn`, as above; with `arguments` and `output` for its two ends.
//! - `returning`: a function that returns a future.
//! - `frames`: a plain function, one that only drives an executor, and the polls of a hand-written
//!   future.
//! - `block`: an async block or closure inside a function.
//! - `awaiting`: an await point inside any of these.
//! - `json`: the derive macro of the reports.
//! - `parts`: shared by all: the static, the label, a body with statements added at its start.

mod arguments;
mod asynchronous;
mod awaiting;
mod block;
mod frames;
mod json;
mod output;
mod parts;
mod returning;

pub(crate) use arguments::named_lifetime;
pub(crate) use asynchronous::asynchronous;
pub(crate) use awaiting::{
    ArmKind, AwaitPlace, allow_unreachable, arm, awaited, borrowed_arm, ended, macro_awaited, macro_end,
    macro_statement, point, through,
};
pub(crate) use block::{block, closure, inline};
pub(crate) use frames::{Ready, driving, polled, synchronous};
pub(crate) use json::to_json;
pub(crate) use returning::returning;
