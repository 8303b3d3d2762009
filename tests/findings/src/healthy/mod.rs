//! Healthy services as users write them: no task in them is stuck, slow, wasteful or a risk.

mod actors;
mod compute;
mod connections;
mod idioms;
mod idle;
mod pipeline;
mod web;

use std::future::Future;
use std::pin::Pin;

/// A service that runs until it is dropped.
pub(crate) type Service = fn() -> Pin<Box<dyn Future<Output = ()> + Send>>;

/// The services, by name.
pub(crate) const SERVICES: [(&str, Service); 7] = [
    ("web", || Box::pin(web::run())),
    ("actors", || Box::pin(actors::run())),
    ("pipeline", || Box::pin(pipeline::run())),
    ("connections", || Box::pin(connections::run())),
    ("compute", || Box::pin(compute::run())),
    ("idle", || Box::pin(idle::run())),
    ("idioms", || Box::pin(idioms::run())),
];
