#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn nested(a: Option<u32>) -> u32 {
    let b: u32 = {
        match a {
            Some(a) => {
                let c: String = a;
                c.len() as u32
            }
            None => "none",
        }
    };
    b
}

#[diagnose]
async fn method(a: u32) -> usize {
    a.missing()
}

#[diagnose]
async fn argument(a: u32) {
    nested(a).await;
}

#[diagnose]
async fn not_a_future(a: u32) {
    a.await;
}

fn main() {}
