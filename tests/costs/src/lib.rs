//! Programs that do next to nothing but wait and wake, each compiled three times from one source.
//!
//! - [`Way::Bare`](program::Way): tokio alone;
//! - [`Way::Annotated`](program::Way): `#[diagnose]` on every async function;
//! - [`Way::DropIn`](program::Way): the same, and `diagnose::tokio` in the place of tokio.
//!
//! The program `diagnose-costs` runs each in processes of its own and prints what the second and the third cost more than
//! the first. What they spend beside the recording is little, so the numbers are an upper bound of what a program pays, and
//! no forecast: `mini-redis` beside this measures a server. Nothing here is a bound that a test holds: what the machine is
//! and what else runs on it decides.

pub mod child;
pub mod count;
pub mod options;
pub mod program;
pub mod programs;
pub mod rounds;
pub mod summary;
