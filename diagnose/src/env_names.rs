//! The names of this crate's environment variables, and a suggestion for an unknown name.

use diagnose_reports::sort::sort;

use crate::say::say;

/// All variables. The documentation of [`Builder`](crate::Builder) lists them with their meaning.
const NAMES: [&str; 16] = [
    "DIAGNOSE",
    "DIAGNOSE_BUILD",
    "DIAGNOSE_DIR",
    "DIAGNOSE_FORMATS",
    "DIAGNOSE_KEEP",
    "DIAGNOSE_LOCK_ORDER",
    "DIAGNOSE_LONG_POLLS",
    "DIAGNOSE_ONLY",
    "DIAGNOSE_ON_EXIT",
    "DIAGNOSE_SERVE",
    "DIAGNOSE_SERVE_TOKEN",
    "DIAGNOSE_SIGNAL",
    "DIAGNOSE_TASKS_ONLY",
    "DIAGNOSE_TRIGGER",
    "DIAGNOSE_UNPOLLED",
    "DIAGNOSE_WATCHDOG",
];
/// How many unknown names are reported.
const MAX_UNKNOWN: usize = 8;

/// Reports the variables that begin with `DIAGNOSE_` and set nothing.
pub(crate) fn check_names() {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let mut unknown: Vec<String> = names.filter(|name| is_unknown(name)).collect();
    sort(&mut unknown);
    for name in unknown.iter().take(MAX_UNKNOWN) {
        say!("diagnose: ignoring {name}: there is no such setting; did you mean {}?", nearest(name));
    }
}

/// Case counts, as for every variable; a name in other letters is still meant for this crate.
fn is_unknown(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    (upper.starts_with("DIAGNOSE_") || upper == "DIAGNOSE") && !NAMES.contains(&name)
}

/// Returns the variable with the fewest edits to `name`.
fn nearest(name: &str) -> &'static str {
    let upper = name.to_ascii_uppercase();
    NAMES.iter().min_by_key(|known| distance(known, &upper)).copied().unwrap_or("DIAGNOSE")
}

/// The number of insertions, removals and replacements that make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    // Row by row: the distances of the beginning of `a` to each beginning of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (number, from) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], number + 1);
        for (column, to) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{NAMES, distance, is_unknown, nearest};

    #[test]
    fn a_misspelled_name_is_unknown_and_gets_a_suggestion() {
        for (name, near) in [
            ("DIAGNOSE_FORMAT", "DIAGNOSE_FORMATS"),
            ("DIAGNOSE_WATCH_DOG", "DIAGNOSE_WATCHDOG"),
            ("DIAGNOSE_ONEXIT", "DIAGNOSE_ON_EXIT"),
            ("diagnose_dir", "DIAGNOSE_DIR"),
            ("DIAGNOSE_LOCKORDER", "DIAGNOSE_LOCK_ORDER"),
        ] {
            assert!(is_unknown(name), "{name}");
            assert_eq!(nearest(name), near);
        }
    }

    #[test]
    fn names_of_this_crate_and_of_others_are_not_unknown() {
        assert!(NAMES.iter().all(|name| !is_unknown(name)));
        assert!(!is_unknown("DIAGNOSER") && !is_unknown("PATH") && !is_unknown("MY_DIAGNOSE_DIR"));
    }

    #[test]
    fn the_distance_counts_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn the_documentation_lists_every_name() {
        let documentation = include_str!("config.rs");
        for name in NAMES {
            assert!(documentation.contains(&format!("/// | `{name}")), "{name}");
        }
    }
}
