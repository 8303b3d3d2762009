//! The marked lines of the programs.

use diagnose_hangs_tests::ALL;
use diagnose_hangs_tests::source::{function, marks};

#[test]
fn a_function_ends_with_the_brace_at_the_margin() {
    let text = "async fn a() {}\n\nasync fn b() {\n    if true {\n    }\n}\nasync fn c() {\n}\n";
    assert_eq!(function(text, "b"), Some(3..=6));
    assert_eq!(function(text, "d"), None);
}

#[test]
fn every_program_that_hangs_marks_where_it_waits() {
    for section in ALL {
        for row in section.rows {
            let marks = marks(section, row);
            assert_eq!(row.finding.is_none(), marks.waits.is_empty(), "{}: {marks:?}", row.name);
        }
    }
}

#[test]
fn names_of_programs_are_unique() {
    let mut names: Vec<_> = ALL.iter().flat_map(|section| section.rows).map(|row| row.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}
