#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn number(a: bool) -> u32 {
    if a {
        return "text";
    }
    1
}

#[diagnose]
async fn nothing(a: bool) {
    if a {
        return 1;
    }
}

#[diagnose]
async fn opaque(a: bool) -> Vec<impl Sized> {
    if a {
        return vec!["text"];
    }
    1
}

fn main() {}
