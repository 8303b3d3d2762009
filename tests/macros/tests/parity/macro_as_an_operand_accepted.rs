#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;
use std::future::ready;

struct Pair {
    name: String,
    count: u32,
}

fn pass(pair: &mut Pair, _: u32) -> &mut Pair {
    pair
}

macro_rules! place {
    ($pair:expr, $field:ident, $before:expr) => {
        (*pass(&mut $pair, $before)).$field
    };
}

#[diagnose]
async fn added_to(mut pair: Pair) -> Pair {
    place!(pair, count, ready(1).await) += 1;
    place!(pair, count, ready(1).await) <<= 1;
    pair
}

#[diagnose]
async fn compared(mut pair: Pair, other: String) -> bool {
    place!(pair, name, ready(1).await) == "x"
        || other != place!(pair, name, ready(1).await)
        || place!(pair, name, ready(1).await) < other
}

fn main() {}
