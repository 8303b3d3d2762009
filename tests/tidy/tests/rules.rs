//! The house rules.

use diagnose_tidy::{Source, sources};

/// Files where `unsafe` may stand, each for a reason in its head.
const UNSAFE: [&str; 19] = [
    "diagnose/src/clock/counter.rs",
    "diagnose/src/exit.rs",
    "diagnose/src/fork.rs",
    "diagnose/src/live/forward.rs",
    "diagnose/src/live/waker.rs",
    "diagnose/src/os.rs",
    "diagnose/src/pool/loom.rs",
    "diagnose/src/tree/link.rs",
    "diagnose/src/tree/loom.rs",
    "diagnose/src/waits/lazy_wait.rs",
    "diagnose/src/watchdog/interrupt.rs",
    "diagnose/src/watchdog/native_stack/alt_stack.rs",
    "diagnose/src/watchdog/native_stack/interrupt.rs",
    "diagnose/src/wrap/owned.rs",
    "tests/abuse/src/bin/clock.rs",
    "tests/abuse/src/bin/forks.rs",
    "tests/abuse/src/bin/interrupts.rs",
    "tests/abuse/src/bin/waker.rs",
    "tests/process/src/cpu.rs",
];

fn check(rule: &str, breaks: impl Fn(&Source) -> bool) {
    let sources: Vec<Source> = sources().into_iter().filter(|source| !is_material(source)).collect();
    assert!(sources.len() > 50, "the workspace is found");
    let broken: Vec<String> =
        sources.into_iter().filter(|source| breaks(source)).map(|source| source.path).collect();
    assert!(broken.is_empty(), "{rule}: {broken:#?}");
}

/// What tests are fed with: programs with mistakes in them, what goes into the macro.
fn is_material(source: &Source) -> bool {
    ["/ui/", "/parity/", "diagnose-macros/src/tests/"].iter().any(|folder| source.path.contains(folder))
}

fn code(source: &Source) -> impl Iterator<Item = &str> {
    source.text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn every_file_says_what_it_is() {
    check("a file begins with `//!`", |source| !source.text.starts_with("//!"));
}

#[test]
fn mod_files_hold_documentation_and_re_exports_only() {
    check("no functions in `mod.rs`", |source| {
        source.path.ends_with("/mod.rs")
            && source.path.contains("/src/")
            && code(source).any(|line| line.starts_with("fn ") || line.starts_with("impl"))
    });
}

#[test]
fn files_stay_small() {
    check("at most 400 lines", |source| source.text.lines().count() > 400);
}

#[test]
fn unsafe_stands_where_it_is_accounted_for() {
    check("`unsafe` only in the listed files", |source| {
        let is_listed = UNSAFE.contains(&source.path.as_str());
        let is_about_it =
            ["diagnose-macros/", "tests/macros/", "tests/edition", "tests/real-crates/", "tests/tidy/"];
        let is_about_it = is_about_it.iter().any(|folder| source.path.starts_with(folder));
        let marks = ["unsafe {", "unsafe impl", "unsafe fn"];
        let uses = code(source).any(|line| marks.iter().any(|what| line.contains(what)));
        uses && !is_listed && !is_about_it
    });
}

#[test]
fn every_test_runs() {
    check("a file of tests has a test", |source| {
        let mut parts = source.path.rsplit('/');
        let is_test = parts.next() != Some("main.rs") && parts.next() == Some("tests");
        is_test && !["#[test]", "test]", "proptest!"].iter().any(|what| source.text.contains(what))
    });
    let sources = sources();
    check("a file of tests is a module of the `main.rs` beside it", |source| {
        let Some((folder, file)) = source.path.rsplit_once('/') else { return false };
        let main = sources.iter().find(|it| it.path == format!("{folder}/main.rs"));
        let module = format!("mod {};", file.trim_end_matches(".rs"));
        main.filter(|_| file != "main.rs" && folder.ends_with("/tests"))
            .is_some_and(|main| code(main).all(|line| line != module))
    });
    check("no test is ignored", |source| {
        let ignore = concat!("#[ig", "nore");
        code(source).any(|line| line.contains(ignore))
    });
}

#[test]
fn every_test_of_the_recorder_has_a_process_of_its_own() {
    check("`isolated!` in every test of `tests/poll`", |source| {
        let lines: Vec<&str> = code(source).map(str::trim_start).collect();
        let count = |what: &str| lines.iter().filter(|line| **line == what).count();
        source.path.starts_with("tests/poll/tests/") && count("#[test]") != count("isolated!();")
    });
}

#[test]
fn no_test_of_the_recorder_waits_by_the_clock() {
    check("no sleep in `tests/poll`", |source| {
        source.path.starts_with("tests/poll/") && source.text.contains("sleep")
    });
}

#[test]
fn nothing_is_left_to_do() {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("dbg", "!("), concat!("todo", "!(")];
    check("no marks of unfinished work", |source| marks.iter().any(|mark| source.text.contains(mark)));
}

#[test]
fn build_output_is_ignored_wherever_a_build_puts_it() {
    let ignored = include_str!("../../../.gitignore");
    assert!(
        ignored.lines().any(|line| line == "target/"),
        "a benchmark writes into a folder `target` of its package"
    );
}
