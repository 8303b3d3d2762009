#[allow(unused_imports)]
use diagnose::diagnose;
use std::fmt::Display;
use std::future::{Future, ready};
use std::pin::Pin;

fn only_called_by_dead_code() {}

#[diagnose]
async fn plain(a: u32) -> u32 {
    only_called_by_dead_code();
    a
}

#[diagnose]
async fn pattern((a, b): (u32, u32)) -> u32 {
    a + b
}

#[diagnose]
async fn never() -> ! {
    loop {}
}

#[diagnose]
async fn opaque() -> impl Display {
    1
}

#[diagnose]
fn returned() -> impl Future<Output = u32> {
    async { 1 }
}

#[diagnose]
fn returned_early(early: bool) -> impl Future<Output = u32> {
    if early {
        return ready(1);
    }
    ready(2)
}

#[diagnose]
fn boxed_early(early: bool) -> Pin<Box<dyn Future<Output = u32>>> {
    if early {
        return Box::pin(ready(1));
    }
    Box::pin(ready(2))
}

#[diagnose]
fn boxed_before() -> Pin<Box<dyn Future<Output = u32>>> {
    let future = Box::pin(ready(1));
    future
}

#[diagnose]
fn frame() -> u32 {
    1
}

struct S;

impl S {
    #[diagnose]
    async fn method(&self) {}
}

#[diagnose]
#[expect(dead_code)]
async fn expected() {}

fn main() {}
