//! `name`, raw identifiers, `skip` and `crate`.

use diagnose::diagnose;
use diagnose_macros_tests::{calls, pause, run};

#[diagnose(name = "GET /users/{id}")]
async fn renamed() {}

#[diagnose]
async fn r#match() {}

#[diagnose(skip)]
async fn skipped() -> u32 {
    let block = #[diagnose(name = "in a skipped function")]
    async {
        1
    };
    block.await
}

mod elsewhere {
    pub(super) use ::diagnose as profiler;
}

#[diagnose(crate = elsewhere::profiler)]
async fn other_path() {
    #[diagnose(name = "block of another path")]
    async {}.await;
}

#[diagnose(crate = "elsewhere::profiler", name = "quoted")]
fn other_quoted_path() {}

#[test]
fn a_name_is_shown_as_it_is() {
    run(renamed());
    assert_eq!(calls("GET /users/{id}"), ["1 GET /users/{id}"]);
    assert_eq!(calls("renamed"), [""; 0]);
}

#[test]
fn a_raw_identifier_is_shown_without_its_mark() {
    run(r#match());
    assert_eq!(calls("match"), ["1 match"]);
}

#[test]
fn skip_leaves_function_and_blocks_as_they_are() {
    assert_eq!(run(skipped()), 1);
    assert_eq!(calls("skipped"), [""; 0]);
    assert_eq!(calls("in a skipped function"), [""; 0]);
}

#[test]
fn the_path_of_the_crate_can_be_set() {
    run(other_path());
    other_quoted_path();
    assert_eq!(calls("block of another path"), ["1 block of another path < other_path"]);
    assert_eq!(calls("quoted"), ["1 quoted"]);
}

#[diagnose]
async fn skipped_block() {
    #[diagnose(skip, name = "skipped block")]
    async { pause().await }.await;
}

#[test]
fn a_block_may_be_skipped() {
    run(skipped_block());
    assert_eq!(calls("skipped_block"), ["1 skipped_block"]);
    assert_eq!(calls("skipped block"), [""; 0]);
}

/// A user's constant must not become a pattern in the generated code: hygiene keeps only local
/// variables apart.
#[test]
fn a_constant_of_any_name_may_be_in_scope() {
    #[allow(non_upper_case_globals)]
    const site: u32 = 3;
    #[allow(non_upper_case_globals)]
    const expected: u32 = 4;
    #[diagnose::diagnose(label = "{number}")]
    async fn sum(number: u32) -> u32 {
        site + expected + number
    }
    assert_eq!(futures::executor::block_on(sum(1)), 8);
}
