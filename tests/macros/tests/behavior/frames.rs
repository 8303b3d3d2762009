//! A synchronous function is a frame; nothing else about it changes.

use std::future::{IntoFuture, Ready, ready};
use std::panic::Location;

use diagnose::diagnose;
use diagnose_macros_tests::{calls, run, sites};

#[diagnose]
#[track_caller]
fn caller() -> &'static Location<'static> {
    Location::caller()
}

#[diagnose]
async fn calls_a_frame() -> u32 {
    frame(1)
}

#[diagnose]
fn frame(from: u32) -> u32 {
    use std::ops::Add as _;
    if from == 0 {
        return 1;
    }
    frame(from - 1).add(1)
}

#[diagnose]
extern "C" fn of_another_abi(a: u32) -> u32 {
    a + 1
}

#[diagnose]
fn diverges() -> ! {
    panic!("as it should")
}

#[diagnose]
fn a_list<'a, T: 'a>(of: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
    of.iter()
}

#[test]
fn track_caller_still_reports_the_caller() {
    assert_eq!((caller().file(), caller().line()), (file!(), line!()));
}

#[test]
fn frames_are_children_of_what_calls_them() {
    assert_eq!(run(calls_a_frame()), 2);
    assert_eq!(calls("frame"), ["1 frame < calls_a_frame", "1 frame < frame < calls_a_frame"]);
    assert!(sites("frame")[0].starts_with("sync frame "));
}

#[test]
fn signatures_are_kept() {
    let pointer: extern "C" fn(u32) -> u32 = of_another_abi;
    assert_eq!(pointer(1), 2);
    let diverging: fn() -> ! = diverges;
    assert!(std::panic::catch_unwind(|| diverging()).is_err());
    assert_eq!(a_list(&[1, 2]).sum::<i32>(), 3);
    assert_eq!(calls("diverges"), ["1 diverges"]);
}

struct Gate(u32);

impl Gate {
    fn block_on(&self, number: u32) -> u32 {
        self.0 + number
    }
}

#[diagnose]
fn passes_a_gate(gate: &Gate) -> u32 {
    gate.block_on(3)
}

#[test]
fn a_method_block_on_may_take_a_number() {
    assert_eq!(passes_a_gate(&Gate(1)), 4);
    assert!(sites("passes_a_gate")[0].starts_with("sync "));
}

struct Request(u32);

impl IntoFuture for Request {
    type Output = u32;
    type IntoFuture = Ready<u32>;

    fn into_future(self) -> Ready<u32> {
        ready(self.0)
    }
}

fn block_on<F: IntoFuture>(future: F) -> F::Output {
    run(future.into_future())
}

#[diagnose]
fn drives_a_request(request: Request) -> u32 {
    block_on(request)
}

#[test]
fn an_executor_may_take_what_becomes_a_future() {
    assert_eq!(drives_a_request(Request(3)), 3);
    assert!(sites("drives_a_request")[0].starts_with("fn "));
}

mod puzzle {
    /// Puts a block on top of others.
    pub(super) fn block_on(blocks: u32) -> u32 {
        blocks + 1
    }

    pub(super) fn name_block_on(name: &str) -> usize {
        name.len()
    }
}

#[diagnose]
fn stacks(blocks: u32) -> u32 {
    puzzle::block_on(blocks)
}

#[diagnose]
fn stacks_names(name: &String) -> usize {
    use puzzle::name_block_on as block_on;
    block_on(name)
}

#[test]
fn a_function_block_on_may_take_what_is_no_future() {
    assert_eq!(stacks(1), 2);
    assert_eq!(stacks_names(&"blocks".to_owned()), 6);
}

async fn length(name: &str) -> usize {
    std::future::ready(()).await;
    name.len()
}

#[diagnose]
fn drives_a_borrower() -> usize {
    block_on(length(&1234.to_string()))
}

#[test]
fn temporaries_live_as_long_as_the_future_that_an_executor_drives() {
    assert_eq!(drives_a_borrower(), 4);
    assert_eq!(calls("drives_a_borrower"), ["1 drives_a_borrower"]);
}

struct App {
    port: u16,
}

impl App {
    async fn run(self) -> u16 {
        std::future::ready(self.port).await
    }
}

#[diagnose]
fn runs_an_app() -> u16 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(App { port: 80 }.run())
}

#[test]
fn a_function_may_drive_the_method_of_a_struct_literal() {
    assert_eq!(runs_an_app(), 80);
}
