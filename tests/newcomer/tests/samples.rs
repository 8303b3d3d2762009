//! The reports that the README and the crate documentation quote name lines of the examples, as
//! these are now.

const README: &str = include_str!("../../../README.md");
const CRATE: &str = include_str!("../../../diagnose/src/lib.rs");
const STUCK: &str = include_str!("../../../examples/stuck.rs");
const QUICKSTART: &str = include_str!("../../../examples/quickstart.rs");

/// Each place in a text: what stands before it, and its line number.
fn places<'a>(text: &'a str, file: &'a str) -> impl Iterator<Item = (&'a str, usize)> {
    text.lines().flat_map(move |line| {
        line.match_indices(file).filter_map(move |(at, _)| {
            let rest = &line[at + file.len()..];
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let number = rest[..digits].parse().ok()?;
            Some((line[..at].trim_end_matches("examples/"), number))
        })
    })
}

/// The text that the line of a place has to contain, by the words before it.
fn expected(before: &str) -> &str {
    let before = before.trim_end_matches("called from ");
    if before.ends_with("spawned at ") {
        return "spawn(";
    }
    if before.ends_with("created at ") {
        return "::new(";
    }
    if before.ends_with(" at ") || before.ends_with(", ") || before.is_empty() || before == "//! " {
        // The line of an await, or of the arm of a `select!`.
        return " ";
    }
    let expression = before.rsplit_once(" at ").or_else(|| before.rsplit_once("─ "));
    let expression = expression.or_else(|| before.rsplit_once("  ")).map_or(before, |(_, last)| last);
    expression.split('…').next().unwrap_or_default().trim_end_matches(" (")
}

#[test]
fn places_in_quoted_reports_are_lines_of_the_examples() {
    let mut checked = 0;
    for (file, source) in [("stuck.rs:", STUCK), ("quickstart.rs:", QUICKSTART)] {
        for (before, number) in [README, CRATE].into_iter().flat_map(|text| places(text, file)) {
            let line = source.lines().nth(number - 1).unwrap_or_default();
            let expected = expected(before);
            let is_function = line.contains(&format!("fn {expected}"));
            assert!(line.contains(expected) || is_function, "{before}{file}{number} is `{line}`");
            assert!(line.contains(['(', '&']), "{before}{file}{number} is `{line}`");
            checked += usize::from(expected != " ");
        }
    }
    assert!(checked > 12, "the places are found: {checked}");
}
