#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;
use std::future::{Future, ready};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

async fn forever() -> ! {
    loop {
        ready(()).await
    }
}

fn setup() {}

#[diagnose]
async fn last_statement() {
    setup();
    forever().await;
}

#[diagnose]
async fn after_an_early_return(early: bool) {
    if early {
        return;
    }
    setup();
    forever().await;
}

#[diagnose]
async fn in_a_branch(early: bool) {
    if early {
        setup();
        forever().await;
    }
    setup();
}

#[diagnose]
async fn in_an_arm(number: u32) {
    match number {
        0 => {
            setup();
            forever().await;
        }
        _ => setup(),
    }
}

#[diagnose]
async fn in_a_loop() {
    loop {
        setup();
        forever().await;
    }
}

#[diagnose]
async fn in_let_else(number: Option<u32>) -> u32 {
    let Some(number) = number else {
        setup();
        forever().await;
    };
    number
}

#[diagnose]
async fn in_a_block() {
    let block = async {
        setup();
        forever().await;
    };
    block.await
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

#[diagnose]
fn boxed_future(_number: u32) -> BoxFuture<'static, u32> {
    unimplemented!()
}

#[diagnose]
fn boxed_future_or_exit(number: u32) -> BoxFuture<'static, u32> {
    loop {
        if number == 1 {
            std::process::exit(1);
        }
    }
}

struct Unfinished;

#[diagnose]
impl Future for Unfinished {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<u32> {
        unimplemented!()
    }
}

struct Endless<T>(T);

#[diagnose]
impl<T: Future<Output = u32> + Unpin> Future for Endless<T> {
    type Output = u32;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u32> {
        loop {
            ready!(Pin::new(&mut self.0).poll(context));
        }
    }
}

macro_rules! give_up {
    ($reason:expr) => {
        return Err($reason)
    };
}

async fn reason() -> u32 {
    ready(1).await
}

#[diagnose]
async fn macro_as_an_arm(number: Option<u32>) -> Result<u32, u32> {
    let number = match number {
        Some(number) => number,
        None => give_up!(reason().await),
    };
    Ok(number)
}

#[diagnose]
async fn macro_as_the_value() -> Result<u32, u32> {
    give_up!(reason().await)
}

#[diagnose]
async fn macro_in_else(early: bool) -> Result<u32, u32> {
    let number = if early { 1 } else { give_up!(reason().await) };
    Ok(number)
}

#[diagnose]
async fn macro_in_let_else(number: Option<u32>) -> Result<u32, u32> {
    let Some(number) = number else { give_up!(reason().await) };
    Ok(number)
}

#[diagnose]
async fn macro_as_a_closure(early: bool) -> Result<u32, u32> {
    let closure = async move || give_up!(if early { reason().await } else { 1 });
    let result: Result<u32, u32> = closure().await;
    result
}

fn main() {}
