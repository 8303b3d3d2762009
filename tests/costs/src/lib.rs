//! Programs that do little but wait and wake, each compiled three times from one source.
//!
//! - [`Way::Bare`](program::Way): tokio alone;
//! - [`Way::Annotated`](program::Way): `#[diagnose]` on every async function;
//! - [`Way::DropIn`](program::Way): the attribute, and `diagnose::tokio` in place of tokio.
//!
//! The program `diagnose-costs` runs each in its own processes, and prints the extra cost of the
//! second and the third over the first. The programs do little besides what is recorded, so the
//! numbers are an upper bound and no forecast; `mini-redis`, beside this file, measures a server.
//! No test enforces a bound: the numbers depend on the machine and its other load.

pub mod child;
pub mod count;
pub mod options;
pub mod program;
pub mod programs;
pub mod rounds;
pub mod summary;
