#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn moved(a: String) -> String {
    let b = a;
    drop(b);
    a
}

#[diagnose]
async fn not_mutable(a: Vec<u32>) {
    a.push(1);
}

#[diagnose]
async fn two_borrows(a: &mut Vec<u32>) {
    let first = &mut a[0];
    a.push(1);
    *first = 1;
}

#[diagnose]
async fn out_of_reference(a: &String) -> String {
    *a
}

fn main() {}
