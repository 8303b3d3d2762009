#![no_std]
#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

extern crate alloc;

use alloc::boxed::Box;
use alloc::string::String;
use core::future::{Future, ready};
use core::pin::Pin;
use core::task::{Context, Poll};

#[diagnose(label = "{a} {b}")]
async fn labeled(a: u32, (b, _): (u32, u32)) -> String {
    ready(a + b).await;
    String::new()
}

#[diagnose]
fn boxed(a: u32) -> Pin<Box<dyn Future<Output = u32>>> {
    if a == 0 {
        return Box::pin(ready(0));
    }
    Box::pin(async move { ready(a).await })
}

#[diagnose(label = "{a}")]
fn frame(a: u32) -> u32 {
    a
}

struct Done;

#[diagnose]
impl Future for Done {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

fn main() {
    extern crate std;
}
