//! The tests of the built-in server. They are one program, because linking takes longer than
//! running them.

mod access;
mod axum_route;
mod limits;
mod pages;
mod sockets;
