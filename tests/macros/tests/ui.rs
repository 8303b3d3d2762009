//! What is refused, and in which words: one mistake per file, whose name says it.
//!
//! After a wanted change of words: `TRYBUILD=overwrite cargo test -p diagnose-macros-tests --test ui`, and read them.

#[test]
fn mistakes_are_refused_in_these_words() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
