#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;
use std::future::{Future, ready};

struct Fields {
    key: u32,
}

fn fields() -> Fields {
    Fields { key: 1 }
}

#[diagnose]
async fn unused_beside_awaits(line: u32, file: &str, at: u32, key: u32) -> u32 {
    ready(fields().key).await
}

#[diagnose]
async fn not_futures(text: &str) {
    text.trim().await;
    (text).await;
    let block = async { text.len().await };
    block.await;
    match text.len().await {
        0 => {}
        _ => missing().await,
    }
}

#[diagnose]
async fn wrong_types() -> u32 {
    let text: String = ready(1).await;
    if ready(1).await {
        return ready("text").await;
    }
    ready(text.len() as u32).await
}

#[diagnose]
async fn wrong_type_at_the_end(text: String) -> u32 {
    ready(text).await
}

#[diagnose]
async fn unused_futures() {
    ready(1);
    async { 1 };
    let _ = async {
        let unused = 1;
        let mut not_mutated = ready(2).await;
        drop(not_mutated);
    };
    (ready(1)).await;
    if (ready(true).await) {}
}

#[diagnose]
async fn unfinished() {
    todo!().await;
    ready(1).await;
}

fn is_send(_: impl Future + Send) {}

#[diagnose]
async fn across() {
    let not_send = std::rc::Rc::new(1);
    ready(()).await;
    drop(not_send);
}

fn asks() {
    is_send(across());
}

fn main() {}
