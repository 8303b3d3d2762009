#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

fn is_send<T: Send>(_: T) {}

#[diagnose]
async fn not_send(a: std::rc::Rc<u32>) {
    std::future::ready(()).await;
    drop(a);
}

fn caller() {
    is_send(not_send(std::rc::Rc::new(1)));
}

fn main() {}
