//! A label is formatted once per call, over the arguments, before the body has them.

use std::cell::Cell;
use std::fmt;

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

struct Counted<'a>(&'a Cell<u32>);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.set(self.0.get() + 1);
        f.write_str("counted")
    }
}

#[diagnose(label = "{counted}")]
async fn once(counted: Counted<'_>) {
    pause().await;
    let _ = counted;
}

#[test]
fn a_label_is_formatted_once_per_call() {
    let count = Cell::new(0);
    run(once(Counted(&count)));
    assert_eq!(count.get(), 1);
    drop(once(Counted(&count)));
    assert_eq!(count.get(), 2);
    assert_eq!(calls("once"), ["1 once{counted}"]);
}

/// Only the label uses the argument, and no warning says that it is unused.
#[diagnose(label = "id={id:>3} {name:?}")]
async fn only_in_the_label(id: u32, name: &str) {
    pause().await;
}

#[test]
fn a_label_is_a_use_of_an_argument() {
    run(only_in_the_label(7, "x"));
    assert_eq!(calls("only_in_the_label"), ["1 only_in_the_label{id=  7 \"x\"}"]);
}

struct Path<T>(T);

/// A handler takes its arguments apart.
#[diagnose(label = "{id} {name:?} {key} {last}")]
async fn takes_apart(
    Path(mut id): Path<u32>,
    (ref name, _): (String, Counted<'_>),
    &Path(key): &Path<u8>,
    last: u32,
) -> usize {
    pause().await;
    id += last;
    name.len() + id as usize + usize::from(key)
}

#[test]
fn a_label_may_mention_what_a_pattern_binds() {
    let arguments = (String::from("x"), Counted(&Cell::new(0)));
    assert_eq!(run(takes_apart(Path(7), arguments, &Path(3), 2)), 1 + 9 + 3);
    assert_eq!(calls("takes_apart"), ["1 takes_apart{7 \"x\" 3 2}"]);
}

/// Like a date with a wrong format.
struct Unformattable;

impl fmt::Display for Unformattable {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Err(fmt::Error)
    }
}

#[diagnose(label = "{date}")]
async fn books(date: Unformattable) -> u32 {
    pause().await;
    let Unformattable = date;
    3
}

#[test]
fn a_label_that_panics_leaves_the_call_as_it_is() {
    assert_eq!(run(books(Unformattable)), 3);
    assert_eq!(calls("books"), ["1 books{[its label panicked]}"]);
}

/// The user's arguments may have the names that the generated code uses.
#[diagnose(label = "{site} {expected} {type}", name = "hygienic")]
async fn hygiene(site: u32, expected: u32, r#type: u32) -> u32 {
    pause().await;
    site + expected + r#type
}

#[diagnose(label = "{site} {frame}")]
fn hygienic_frame(site: u32, frame: u32) -> u32 {
    site + frame
}

#[test]
fn generated_names_do_not_collide() {
    assert_eq!(run(hygiene(1, 2, 3)), 6);
    assert_eq!(hygienic_frame(4, 5), 9);
    assert_eq!(calls("hygienic"), ["1 hygienic{1 2 3}"]);
    assert_eq!(calls("hygienic_frame"), ["1 hygienic_frame{4 5}"]);
}

struct Server(u32);

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "server {}", self.0)
    }
}

impl Server {
    #[diagnose(label = "{self}")]
    async fn of_self(&mut self) {
        self.0 += 1;
    }
}

#[test]
fn a_label_may_name_self() {
    run(Server(1).of_self());
    assert_eq!(calls("of_self"), ["1 of_self{server 1}"]);
}

#[diagnose]
async fn labeled_block(of: u32) -> u32 {
    #[diagnose(name = "labeled block", label = "{of}")]
    async move { of }.await
}

#[test]
fn the_label_of_a_block_can_use_variables_in_scope() {
    assert_eq!(run(labeled_block(9)), 9);
    assert_eq!(calls("labeled block"), ["1 labeled block{9} < labeled_block"]);
}
