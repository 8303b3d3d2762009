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

macro_rules! borrowed {
    ($value:expr) => {
        &$value.to_string()
    };
}

struct Borrowed<'a> {
    text: &'a String,
}

#[diagnose]
async fn in_a_branch(early: bool) -> usize {
    let text = if early { borrowed!(ready(1).await) } else { &String::new() };
    text.len()
}

#[diagnose]
async fn in_an_arm(early: bool) -> usize {
    let text = match early {
        true => borrowed!(ready(1).await),
        false => &String::new(),
    };
    text.len()
}

#[diagnose]
async fn in_a_list() -> usize {
    let (first, _) = (borrowed!(ready(1).await), 1);
    let all = [borrowed!(ready(1).await), borrowed!(ready(2).await)];
    first.len() + all[0].len()
}

#[diagnose]
async fn in_a_struct() -> usize {
    let borrowed = Borrowed { text: borrowed!(ready(1).await) };
    borrowed.text.len()
}

macro_rules! text {
    ($value:expr) => {
        $value.as_str()
    };
}

#[diagnose]
async fn of_a_receiver_in_a_list() -> usize {
    let (_, number) = (text!(ready(String::new()).await), 1);
    number
}

macro_rules! timed {
    ($($tokens:tt)*) => {
        $($tokens)*
    };
}

#[diagnose]
async fn of_a_block_in_a_list() -> u32 {
    let (number, _) = (timed!(async move { ready(1).await }.await), 1);
    number
}

struct Session;

impl Session {
    async fn abort(_: u32) {}
}

#[diagnose]
async fn aborts_no_process() -> u32 {
    Session::abort(1).await;
    ready(2).await
}

macro_rules! plus {
    ($value:expr) => { match $value { Ok(value) => value, Err(()) => 0 } + 1 };
}

#[diagnose]
async fn in_braces(key: Option<u32>) -> u32 {
    match key {
        Some(key) => plus! { ready(Ok::<u32, ()>(key)).await },
        None => 0,
    }
}

fn main() {}
