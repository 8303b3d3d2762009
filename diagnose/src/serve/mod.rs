//! The built-in server: reports of the running program over HTTP, off by default.
//!
//! One thread of its own serves all clients, with sockets that never block:
//!
//! ```text
//! listener ─▶ up to 32 connections ─▶ head ≤ 8 KiB, within 5 s ─▶ access ─▶ page ─▶ written, closed
//!                   │                                                        │
//!                   └ full: the slowest one is closed                        └ shared for a second
//! ```
//! The thread may use at most a fiftieth of one processor, besides making the pages themselves. So
//! a flood of requests waits in the system's queue, and the program goes on as before. A page is
//! made once and shared by all clients of the same second. Clients can only read: the server
//! answers GET and HEAD, and neither changes anything.
//!
//! ```text
//! page      what a path and its query ask for
//! shared    the last snapshot and the pages made of it
//! respond   the public function: a path in, a response out, without any network
//! token     comparison in constant time, and the encodings of a token
//! request   a request's head, and who may ask
//! budget    how much of a processor the thread may use
//! own_socket  a socket, while its descriptor is its own
//! listener  TCP and Unix sockets
//! bodies    how much memory the responses may take that clients have not taken yet
//! client    one connection, from its first byte to its last
//! server    the thread
//! ```

mod bodies;
mod budget;
mod client;
mod listener;
mod own_socket;
mod page;
mod request;
mod respond;
mod server;
mod shared;
mod token;

#[cfg(unix)]
pub(crate) use listener::close_in_child;
pub use respond::{Response, respond};
pub use server::serve_address;
pub(crate) use server::set_up;
