//! Functions that compile without the attribute compile with it, and do the same.

use std::fmt::Debug;
use std::future::{Future, ready};
use std::io;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::pin::Pin;

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

struct Inbox {
    name: &'static str,
    messages: Vec<u32>,
}

impl Inbox {
    async fn take(&mut self) -> Option<u32> {
        pause().await;
        self.messages.pop()
    }
}

// A future that borrows through `&mut`, from a body that may end early.
#[diagnose]
impl Inbox {
    fn next(&mut self) -> impl Future<Output = Option<u32>> + '_ {
        assert!(!self.name.is_empty(), "{:?}, return?", self.name);
        self.take()
    }

    fn first<'a>(
        &'a mut self,
        into: &'a mut [u32],
    ) -> Pin<Box<dyn Future<Output = io::Result<usize>> + Send + 'a>> {
        if into.is_empty() {
            return Box::pin(async { Ok(0) });
        }
        Box::pin(async move {
            into[0] = self.take().await.unwrap_or_default();
            Ok(1)
        })
    }

    fn early(&mut self, number: Option<u32>) -> impl Future<Output = Option<u32>> + '_ {
        let _ = number.map(|it| format!("{it:?}"));
        macro_rules! it {
            ($it:expr) => {
                $it
            };
        }
        it!(self.take())
    }
}

#[test]
fn a_returned_future_may_borrow_from_a_mutable_argument() {
    let mut inbox = Inbox { name: "inbox", messages: vec![1, 2, 3] };
    assert_eq!(run(inbox.next()), Some(3));
    assert_eq!(run(inbox.early(None)), Some(2));
    let mut into = [0];
    assert_eq!(run(inbox.first(&mut into)).unwrap(), 1);
    assert_eq!((run(inbox.first(&mut [])).unwrap(), into), (0, [1]));
}

macro_rules! not_zero {
    ($number:expr) => {
        if $number == 0 {
            return ready(Err("zero"));
        }
    };
}

#[diagnose]
fn inverse(number: u32) -> impl Future<Output = Result<u32, &'static str>> {
    not_zero!(number);
    ready(Ok(60 / number))
}

macro_rules! line_of_caller {
    () => {
        Location::caller().line()
    };
}

#[diagnose]
#[track_caller]
fn called_at() -> impl Future<Output = u32> {
    let line = line_of_caller!();
    ready(line)
}

#[test]
fn a_macro_may_end_a_function_or_ask_for_its_caller() {
    assert_eq!((run(inverse(0)), run(inverse(20))), (Err("zero"), Ok(3)));
    assert_eq!(run(called_at()), line!());
}

type Job<'a> = Pin<Box<dyn Future<Output = u32> + 'a>>;

trait Executor {
    fn block_on(&self, job: Job<'_>) -> u32;
}

struct Real;

impl Executor for Real {
    fn block_on(&self, job: Job<'_>) -> u32 {
        run(job)
    }
}

struct Alias(Box<dyn Executor>);

#[diagnose(all)]
impl Executor for Alias {
    fn block_on(&self, job: Job<'_>) -> u32 {
        self.0.block_on(job)
    }
}

#[diagnose]
fn drives(executor: &dyn Executor) -> u32 {
    executor.block_on(Box::pin(async {
        pause().await;
        7
    }))
}

#[test]
fn an_executor_may_take_boxed_futures_only() {
    assert_eq!((drives(&Real), drives(&Alias(Box::new(Real)))), (7, 7));
}

macro_rules! give_up {
    ($reason:expr) => {
        return Err($reason)
    };
}

async fn reason() -> &'static str {
    pause().await;
    "none"
}

#[diagnose]
async fn found(id: Option<u32>) -> Result<u32, &'static str> {
    let Some(id) = id else {
        give_up!(reason().await);
    };
    match id {
        0 => {
            give_up!(reason().await);
        }
        id => Ok(id),
    }
}

#[test]
fn an_unknown_macro_may_leave_the_body_at_the_end_of_a_block() {
    assert_eq!([None, Some(0), Some(1)].map(|id| run(found(id))), [Err("none"), Err("none"), Ok(1)]);
}

trait Handler {
    fn handle(&self) -> u32;
}

impl Handler for u32 {
    fn handle(&self) -> u32 {
        *self
    }
}

#[diagnose]
async fn handles(handler: Box<dyn Handler + Send>) -> u32 {
    let twice = async |(_, handler): (u32, Box<dyn Handler + Send>)| {
        let first = handler.handle();
        pause().await;
        first + handler.handle()
    };
    twice((1, handler)).await
}

#[test]
fn an_async_closure_that_takes_a_part_of_its_argument_may_be_sent() {
    fn sent<F: Send>(future: F) -> F {
        future
    }
    assert_eq!(run(sent(handles(Box::new(4_u32)))), 8);
}

#[derive(Debug)]
enum Returned {
    Yes,
}

fn diverging() -> Returned {
    Returned::Yes
}

#[diagnose]
async fn never_returns() -> ! {
    pause().await;
    panic!("{:?}", diverging())
}

/// The message of the panic that ends `call`.
fn message(call: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(call)).expect_err("it panics");
    *panic.downcast::<String>().expect("a formatted message")
}

#[test]
fn a_body_that_never_ends_sees_the_names_of_the_program() {
    assert_eq!(message(|| run(async { never_returns().await })), "Yes");
}

#[diagnose]
async fn asserts() {
    assert!({
        let number = async { 2 }.await;
        pause().await;
        number > 3
    });
}

#[test]
fn an_assertion_shows_the_code_of_the_program() {
    let message = catch_unwind(|| run(asserts())).expect_err("it panics");
    let message = message
        .downcast_ref::<String>()
        .cloned()
        .unwrap_or_else(|| String::from(*message.downcast_ref::<&str>().expect("a message")));
    assert!(message.contains("pause().await") && !message.contains("diagnose"), "{message}");
}

#[diagnose(label = "{name} {number}")]
#[allow(clippy::needless_borrowed_reference)]
async fn labeled((&number, name): (&u32, String), &(ref rest, _): &(String, u32)) -> usize {
    pause().await;
    name.len() + rest.len() + usize::try_from(number).unwrap_or_default()
}

#[test]
fn a_label_may_name_a_variable_beside_a_reference_in_a_pattern() {
    assert_eq!(run(labeled((&5, String::from("a")), &(String::from("b"), 1))), 7);
}

trait Service {
    #[expect(async_fn_in_trait, reason = "the trait is private")]
    #[diagnose]
    async fn serve(&self) -> u32 {
        pause().await;
        3
    }
}

impl Service for () {}

#[expect(clippy::manual_async_fn, reason = "as in a trait")]
#[diagnose]
fn by_hand(text: impl Debug) -> impl Future<Output = String> {
    async move { format!("{text:?}") }
}

#[test]
fn lints_about_the_form_of_a_function_may_be_expected() {
    assert_eq!((run(().serve()), run(by_hand(1))), (3, String::from("1")));
}

macro_rules! line_after {
    ($value:expr) => {
        ($value, line!()).1
    };
}

/// Lines of macros as the body of an arm and of a closure, less that of the first.
#[diagnose]
async fn lines_of_macros() -> [u32; 5] {
    let first = line!();
    let in_an_arm = match Some(first) {
        Some(_) => line!(),
        None => unreachable!(),
    };
    let in_braces = match Some(first) {
        Some(_) => line_after! { pause().await },
        None => 0,
    };
    let in_a_closure = Some(first).map_or(0, |_| line!());
    let (in_a_list, _) = (line_after!(pause().await), 1);
    [0, in_an_arm - first, in_braces - first, in_a_closure - first, in_a_list - first]
}

#[test]
fn a_macro_has_the_line_of_the_program() {
    assert_eq!(run(lines_of_macros()), [0, 2, 6, 9, 10]);
}
