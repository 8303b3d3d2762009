//! The output: the only room of this crate that writes code. Elsewhere `quote!` only puts tokens of the user's together.
//!
//! ```text
//! #[diagnose]                              fn get(key: u64) -> impl Future<Output = Option<u64>> {
//! async fn get(key: u64) -> Option<u64> {      static BODY: Body<(Site,)> = …;
//!     map().await.get(&key)           ──▶      Timed::new(Span::new(&BODY.site, Label::NONE), async move {
//! }                                                _ = &key;                      // captures
//!                                                  if false { return … }         // the type, for inference
//!                                                  { map().await.get(&key) }     // the body, once; see `awaiting`
//!                                              })
//!                                          }
//! ```
//! The function becomes one that returns the future, because an `async fn` around another would store the arguments
//! twice. `impl Future` carries the edition of this crate, so it captures all lifetimes in any caller's edition, as an
//! `async fn` does.
//!
//! - `asynchronous`: an `async fn`, as above; with `arguments` and `output` for its two ends.
//! - `returning`: a function that returns a future.
//! - `frames`: a plain function, one that only drives an executor, and the polls of a hand-written future.
//! - `block`: an async block or closure inside a function.
//! - `awaiting`: an await point inside any of these.
//! - `parts`: what they share: the static, the label, a body with something before it.

mod arguments;
mod asynchronous;
mod awaiting;
mod block;
mod frames;
mod output;
mod parts;
mod returning;

pub(crate) use arguments::named_lifetime;
pub(crate) use asynchronous::asynchronous;
pub(crate) use awaiting::{
    Place, arm, awaited, borrowed_arm, ended, macro_awaited, macro_statement, point, through,
};
pub(crate) use block::{block, closure, inline};
pub(crate) use frames::{Ready, driving, polled, synchronous};
pub(crate) use returning::returning;
