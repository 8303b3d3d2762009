//! The forms that the macro accepts, and its messages for mistakes: one per file, named after it.
//!
//! After a wanted change of words: `TRYBUILD=overwrite cargo test -p diagnose-macros-tests ui`, and
//! read them.

#[test]
fn forms_are_accepted_and_mistakes_refused_in_these_words() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
