#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn to_a_local() -> &'static str {
    let text = String::new();
    text.as_str()
}

#[diagnose]
async fn to_an_argument(text: String) -> &'static str {
    let text = text;
    text.as_str()
}

fn main() {}
