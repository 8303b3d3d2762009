#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;
use std::future::Future;
use std::pin::Pin;

type Boxed = Pin<Box<dyn Future<Output = u32>>>;

trait Boxes: Future + Sized + 'static {
    fn boxed(self) -> Pin<Box<dyn Future<Output = Self::Output>>> {
        Box::pin(self)
    }
}

impl<F: Future + 'static> Boxes for F {}

#[diagnose]
async fn in_a_closure() -> u32 {
    let boxed: Box<dyn Fn() -> Boxed> = Box::new(|| async { "text" }.boxed());
    boxed().await
}

#[diagnose]
async fn in_a_variable() -> u32 {
    let boxed: Boxed = async { "text" }.boxed();
    boxed.await
}

#[diagnose]
async fn in_an_argument(boxed: Boxed) -> u32 {
    in_an_argument2(
        async {
            boxed.await;
            "text"
        }
        .boxed(),
    )
    .await
}

async fn in_an_argument2(boxed: Boxed) -> u32 {
    boxed.await
}

#[diagnose]
async fn of_the_block() -> u32 {
    let number: u32 = async { 1 };
    let other: u32 = move || async { 1 };
    number + other
}

fn main() {}
