//! The macro's messages for mistakes: one per file, named after it. A form that it accepts is in
//! `valid/`: beside one, each dependency would be built once more, and not only checked.
//!
//! After an intended change of the messages, run the command below, and review the difference:
//! `TRYBUILD=overwrite cargo test -p diagnose-macros-tests ui`

#[test]
fn mistakes_give_the_expected_errors() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
