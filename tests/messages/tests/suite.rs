//! The macro's messages for mistakes: one per file, named after it.
//!
//! A package of its own, because each of its dependencies is checked once more. A form that the
//! macro accepts is in `tests/macros`: beside one here, they would be built.
//!
//! After an intended change of the messages, run the command below, and review the difference:
//! `TRYBUILD=overwrite cargo test -p diagnose-messages-tests`

#[test]
fn mistakes_give_the_expected_errors() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
