//! Types of the reports that exist without the feature `on` too: the crate of the reports is not
//! compiled then, so they are written twice.

use diagnose_tidy::sources;

/// The names of variants and of rules: `Contended = "contended",`.
fn names_of_rules(text: &str) -> Vec<&str> {
    let is_name = |line: &&str| {
        let parts = line.strip_suffix("\",").and_then(|line| line.split_once(" = \""));
        parts.is_some_and(|(variant, name)| variant.starts_with(char::is_uppercase) && !name.contains(' '))
    };
    text.lines().map(str::trim).filter(is_name).collect()
}

#[test]
fn rules_of_findings_have_the_same_names_in_both_modes() {
    let text = |path: &str| {
        let source = sources().into_iter().find(|source| source.path == path);
        source.expect("it is in the workspace").text
    };
    let (on, off) = (text("reports/src/analysis/findings/rule.rs"), text("diagnose/src/off/model/rule.rs"));
    let names = names_of_rules(&on);
    assert!(names.len() > 20 && names.contains(&"Contended = \"contended\","), "{names:?}");
    assert_eq!(names, names_of_rules(&off));
}
