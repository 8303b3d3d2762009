//! The forms that the macro accepts, and its messages for mistakes: one per file, named after it.
//!
//! After an intended change of the messages, run the command below, and review the difference:
//! `TRYBUILD=overwrite cargo test -p diagnose-macros-tests ui`

#[test]
fn valid_forms_compile_and_mistakes_give_the_expected_errors() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
