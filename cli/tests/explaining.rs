//! What `diagnose explain` says about findings and verdicts.

use std::fs;

use crate::support::run;

#[test]
fn a_finding_is_explained_by_the_id_that_reports_show() {
    for id in ["contended", "(contended)", "docs/findings.md#contended"] {
        let text = run(&["explain", id]).ok();
        assert!(text.starts_with("**Says:** \"the RwLock created at src/store.rs:12"), "{id}: {text}");
        for part in ["**Cause:**", "**Next:**", "**Silent when:**"] {
            assert!(text.contains(part), "{id}: {text}");
        }
        assert!(!text.contains("\n## "), "one section: {text}");
    }
    for id in ["futurelock", "stuck.futurelock"] {
        assert!(run(&["explain", id]).ok().contains("**Fix:**"), "{id}");
    }
    let refused = run(&["explain", "lock"]).refusal();
    assert!(refused.contains("`lock` is no finding or verdict; `diagnose explain` lists them"), "{refused}");
}

#[test]
fn the_list_has_every_section_with_an_id_and_no_other() {
    let list = run(&["explain"]).ok();
    let listed: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let read = |page: &str| {
        let path = format!("{}/../docs/{page}.md", env!("CARGO_MANIFEST_DIR"));
        fs::read_to_string(path).expect("it is in the repository")
    };
    let pages = [read("findings"), read("verdicts")];
    let headings = pages.iter().flat_map(|page| page.lines()).filter_map(|line| line.strip_prefix("## "));
    let ids: Vec<&str> = headings.filter(|heading| heading.starts_with(char::is_lowercase)).collect();
    assert_eq!(listed, ids);
    assert!(list.lines().all(|line| line.chars().count() <= 101), "{list}");
}
