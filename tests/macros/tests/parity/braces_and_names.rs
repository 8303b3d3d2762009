#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn braces(a: u32) -> u32 {
    let b = { a };
    (b)
}

#[diagnose]
async fn notSnake(someName: u32, (otherName, _): (u32, u32)) -> u32 {
    someName + otherName
}

#[diagnose]
async fn unusedSnake(fooBar: u32) {}

#[diagnose]
async fn returned_parenthesis() -> (u32) {
    1
}

#[deprecated]
struct Old;

#[diagnose]
async fn deprecated() -> Old {
    loop {}
}

fn main() {}
