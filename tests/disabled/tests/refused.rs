//! Mistakes that the attribute and the macro refuse without the feature `on`, too: a library that
//! compiles without it should compile in the application that turns it on.
//!
//! After an intended change of the messages, run the command below, and review the difference:
//! `TRYBUILD=overwrite cargo test -p diagnose-disabled-tests --features alone --test refused`

#[cfg(feature = "alone")]
#[test]
fn mistakes_are_refused_without_recording_too() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
