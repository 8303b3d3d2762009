//! The house rules. Each rule has to find a small bad source first.

use diagnose_tidy::{Source, is_comment, sources, words};

/// Files that may contain `unsafe`. The head of each gives its reason.
const UNSAFE: [&str; 24] = [
    "diagnose/src/clock/counter.rs",
    "diagnose/src/exit.rs",
    "diagnose/src/fork.rs",
    "diagnose/src/live/forward.rs",
    "diagnose/src/live/waker.rs",
    "diagnose/src/os.rs",
    "diagnose/src/live/loom.rs",
    "diagnose/src/pool/loom.rs",
    "diagnose/src/signal/semaphore.rs",
    "diagnose/src/signal_mask.rs",
    "diagnose/src/tree/link.rs",
    "diagnose/src/tree/loom.rs",
    "diagnose/src/waits/lazy_wait.rs",
    "diagnose/src/watchdog/native_stack/alt_stack.rs",
    "diagnose/src/watchdog/native_stack/interrupt.rs",
    "diagnose/src/wrap/owned.rs",
    "tests/abuse/src/bin/clock.rs",
    "tests/abuse/src/bin/exits.rs",
    "tests/abuse/src/bin/forks.rs",
    "tests/abuse/src/bin/interrupts.rs",
    "tests/abuse/src/bin/signals.rs",
    "tests/abuse/src/bin/waker.rs",
    "tests/process/src/cpu.rs",
    "tests/serve/src/bin/serves.rs",
];

/// Checks that the rule finds each of the bad sources, given as path and text, and none in the
/// workspace.
fn check(rule: &str, bad: &[(&str, &str)], breaks: impl Fn(&Source) -> bool) {
    for (path, text) in bad {
        assert!(breaks(&Source::new(path, text)), "{rule}: {path} is bad, and is not found");
    }
    let broken: Vec<String> =
        workspace().into_iter().filter(|source| breaks(source)).map(|source| source.path).collect();
    assert!(broken.is_empty(), "{rule}: {broken:#?}");
}

fn workspace() -> Vec<Source> {
    let sources: Vec<Source> = sources().into_iter().filter(|source| !is_material(source)).collect();
    assert!(sources.len() > 50, "the workspace is found");
    sources
}

/// Sources that tests read as input: programs with mistakes, and input of the macro.
fn is_material(source: &Source) -> bool {
    let folders = ["/ui/", "/parity/", "/fixture/", "diagnose-macros/src/tests/"];
    folders.iter().any(|folder| source.path.contains(folder))
}

#[test]
fn every_file_begins_with_its_documentation() {
    let bad = [("diagnose/src/a.rs", "use std::fmt;\n//! A file.\n")];
    check("a file begins with `//!`", &bad, |source| !source.text.starts_with("//!"));
}

#[test]
fn mod_files_hold_no_behavior() {
    let bad = [
        ("diagnose/src/a/mod.rs", "//! A.\n\nfn hidden() {}\n"),
        ("diagnose/src/a/mod.rs", "//! A.\n\npub fn shown() {}\n"),
        ("diagnose/src/a/mod.rs", "//! A.\n\npub(crate) const fn shown() {}\n"),
        ("reports/src/a/mod.rs", "//! A.\n\nimpl A {\n}\n"),
        ("reports/src/a/mod.rs", "//! A.\n\nunsafe impl<T> Send for A<T> {}\n"),
        ("diagnose/src/lib.rs", "//! A.\n\npub async fn shown() {}\n"),
    ];
    check("no functions in `mod.rs`, and in `lib.rs` of the library", &bad, |source| {
        let is_index = source.path.contains("/src/") && source.path.ends_with("/mod.rs");
        let is_root = source.path == "diagnose/src/lib.rs" || source.path == "reports/src/lib.rs";
        (is_index || is_root) && source.code().any(is_behavior)
    });
}

/// Whether a function or an implementation begins on this line, outside of every block.
fn is_behavior(line: &str) -> bool {
    let visibility = ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "extern", "default"];
    let is_abi = |word: &str| word.starts_with('"');
    let mut words = line.split(' ').skip_while(|word| visibility.contains(word) || is_abi(word));
    let word = words.next().unwrap_or_default();
    word == "fn" || word == "impl" || word.starts_with("impl<")
}

#[test]
fn files_stay_small() {
    let long = "//! A.\n".repeat(401);
    let bad = [("diagnose/src/a.rs", long.as_str())];
    check("at most 400 lines", &bad, |source| source.text.lines().count() > 400);
}

#[test]
fn comments_wrap_at_100_columns() {
    let long = "word ".repeat(20);
    let bad = [
        ("diagnose/src/a.rs", format!("//! A {long}.\n")),
        ("tests/a/src/b.rs", format!("//! A.\n\nfn b() {{\n    // {long}\n}}\n")),
        ("reports/src/c.rs", format!("//! ```text\n//! {long}\n//! ```\n//! {long}\n")),
    ];
    let bad = bad.each_ref().map(|(path, text)| (*path, text.as_str()));
    check("comments wrap", &bad, |source| long_comments(&source.text).next().is_some());
}

/// The lines of comments that are too long. Code, tables and drawings are as wide as they have to
/// be.
fn long_comments(text: &str) -> impl Iterator<Item = &str> {
    let mut is_in_code = false;
    text.lines().filter(move |line| {
        let words = line.trim_start().trim_start_matches(['/', '!']).trim();
        is_in_code = is_comment(line) && (is_in_code ^ words.starts_with("```"));
        let is_prose = !is_in_code && !words.starts_with(['|', '[']) && !words.contains("  ");
        is_comment(line) && is_prose && line.chars().count() > 100
    })
}

#[test]
fn unsafe_code_is_only_where_it_is_accounted_for() {
    let bad = [
        ("diagnose/src/a.rs", "    let one = unsafe { *pointer };\n"),
        ("diagnose/src/a.rs", "    let one = unsafe{*pointer};\n"),
        ("reports/src/a.rs", "pub unsafe trait A {}\n"),
        ("tests/a/src/lib.rs", "unsafe extern \"C\" {\n"),
        ("tests/a/src/lib.rs", "#[unsafe(no_mangle)]\n"),
    ];
    check("`unsafe` only in the listed files", &bad, |source| {
        let is_listed = UNSAFE.contains(&source.path.as_str());
        // These folders name the keyword, or have `unsafe` functions as a user's program does.
        let is_about_it = [
            "diagnose-macros/",
            "tests/macros/",
            "tests/messages/",
            "tests/edition",
            "tests/real-crates/",
            "tests/tidy/",
        ];
        let is_about_it = is_about_it.iter().any(|folder| source.path.starts_with(folder));
        uses_unsafe(source) && !is_listed && !is_about_it
    });
    let sources = workspace();
    let listed = |path: &str| sources.iter().find(|source| source.path == path);
    let gone: Vec<&str> = UNSAFE.into_iter().filter(|path| !listed(path).is_some_and(uses_unsafe)).collect();
    assert_eq!(gone, [""; 0], "the list names no file without `unsafe`");
}

fn uses_unsafe(source: &Source) -> bool {
    source.code().any(|line| words(line.split("//").next().unwrap_or_default(), "unsafe").next().is_some())
}

#[test]
fn every_ordering_that_is_not_relaxed_names_its_partner() {
    let bad = [
        ("diagnose/src/a.rs", "fn put() {\n    self.at.store(1, Ordering::Release);\n}\n"),
        ("diagnose/src/a.rs", "// Release, to be safe.\nself.at.store(1, Release);\n"),
        ("diagnose/src/a.rs", "fence(SeqCst);\n"),
        ("diagnose/src/a.rs", "self.at.swap(1, AcqRel) == 1\n"),
    ];
    check("a comment above says what it pairs with", &bad, |source| {
        let is_recorder = source.path.starts_with("diagnose/src/");
        is_recorder && lines_without_a_partner(&source.text).next().is_some()
    });
    let good = "// Release pairs with the Acquire of `get`.\nself.at.store(1, Ordering::Release);\n";
    assert_eq!(lines_without_a_partner(good).next(), None);
}

/// The lines with an ordering whose partner no comment in the few lines above names.
fn lines_without_a_partner(text: &str) -> impl Iterator<Item = &str> {
    const NEAR: usize = 6;
    let lines: Vec<&str> = text.lines().collect();
    let is_ordering = |line: &str| {
        let orders = ["Acquire", "Release", "AcqRel", "SeqCst"];
        let is_argument = |word: &str, at: usize| line[at + word.len()..].starts_with([')', ',']);
        orders.iter().any(|word| words(line, word).any(|at| is_argument(word, at)))
            && ["store(", "load(", "swap(", "compare_exchange", "fetch_", "fence(", "self.change("]
                .iter()
                .any(|call| line.contains(call))
    };
    let is_named = |line: &&str| is_comment(line) && line.to_lowercase().contains("pairs with");
    let bare = (0..lines.len()).filter(|&at| {
        let above = &lines[at.saturating_sub(NEAR)..at];
        !is_comment(lines[at])
            && is_ordering(lines[at])
            && !above.iter().any(|line| is_named(line) || line.contains("same reason"))
    });
    bare.map(|at| lines[at]).collect::<Vec<_>>().into_iter()
}

/// Files that may use the standard library's sort and its ordered collections: the one sort, the
/// saved format, and a range.
const SORTS: [&str; 3] =
    ["reports/src/sort.rs", "reports/src/model/task.rs", "diagnose/src/snapshot/confined.rs"];

#[test]
fn sorts_and_ordered_maps_are_compiled_once() {
    let bad = [
        ("reports/src/a.rs", "    rows.sort_by_key(|row| row.name);\n"),
        ("reports/src/a.rs", "    rows[1..].sort_unstable();\n"),
        ("diagnose/src/snapshot/a.rs", "use std::collections::BTreeMap;\n"),
        ("diagnose/src/watchdog/a.rs", "    let seen = BTreeSet::new();\n"),
    ];
    check("through `sort` and `ordered` of the reports", &bad, |source| {
        let folders = ["reports/src/", "diagnose/src/snapshot/", "diagnose/src/watchdog/"];
        let is_held = folders.iter().any(|folder| source.path.starts_with(folder));
        let is_test = source.path.ends_with("tests.rs") || SORTS.contains(&source.path.as_str());
        let mut code = source.code().take_while(|line| !line.starts_with("mod tests {"));
        is_held
            && !is_test
            && code.any(|line| [".sort(", ".sort_", "BTree"].iter().any(|it| line.contains(it)))
    });
}

#[test]
fn every_test_runs() {
    let bad = [
        ("tests/a/tests/it.rs", "fn it_works() {}\n"),
        ("tests/a/tests/deeper/it.rs", "// #[test]\nfn it_works() {}\n"),
        ("reports/tests/it.rs", "#[cfg(test)]\nfn it_works() {}\n"),
    ];
    check("a file of tests has a test", &bad, |source| {
        let marks = ["#[test]", "#[tokio::test]", "#[tokio::test(", "proptest!"];
        is_file_of_tests(&source.path)
            && !source.code().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
    });
    let ignores = [concat!("#[ig", "nore"), concat!(", ig", "nore)]"), concat!(", ig", "nore =")];
    let ignored = ignores.map(|mark| ("diagnose/src/a.rs", mark));
    check("no test is ignored", &ignored, |source| {
        source.code().any(|line| ignores.iter().any(|mark| line.contains(mark)))
    });
}

/// Whether a file is in or below a folder `tests` of a package, and must have tests. Shared files
/// and heads of programs need none.
fn is_file_of_tests(path: &str) -> bool {
    let path = path.strip_prefix("tests/").unwrap_or(path);
    let is_shared = path.contains("/support/") || path.ends_with("/main.rs") || path.ends_with("/mod.rs");
    path.contains("/tests/") && !is_shared
}

#[test]
fn every_file_is_part_of_a_crate() {
    let sources = workspace();
    let lost = |sources: &[Source]| -> Vec<String> {
        // A file that tests and benches share is declared by its path.
        let sharing: Vec<&Source> = sources.iter().filter(|it| it.text.contains("#[path = ")).collect();
        let lost = sources.iter().filter(|source| !is_declared(source, sources, &sharing));
        lost.map(|source| source.path.clone()).collect()
    };
    assert_eq!(lost(&sources), [""; 0], "each file is a root, or has a `mod` of its name beside or above it");

    let index = Source::new("tests/a/tests/deeper/main.rs", "//! A.\n\nmod found;\n// mod lost;\n");
    let [found, forgotten] =
        ["found", "lost"].map(|name| Source::new(&format!("tests/a/tests/deeper/{name}.rs"), ""));
    assert_eq!(lost(&[index, found, forgotten]), ["tests/a/tests/deeper/lost.rs"]);

    let index = Source::new("tests/a/tests/main.rs", "//! A.\n\nmod found;\n");
    let [found, forgotten] =
        ["found", "lost"].map(|name| Source::new(&format!("tests/a/tests/{name}.rs"), ""));
    assert_eq!(lost(&[index, found, forgotten]), ["tests/a/tests/lost.rs"]);
    assert_eq!(lost(&[Source::new("tests/a/tests/program.rs", "")]), [""; 0]);
}

/// Test programs beside a `main.rs` that the manifest names. Each is the only test of its process,
/// for a reason in the manifest.
const ALONE: [&str; 2] = ["tests/process/tests/allocations.rs", "tests/process/tests/truth.rs"];

fn is_declared(source: &Source, sources: &[Source], sharing: &[&Source]) -> bool {
    let parts: Vec<&str> = source.path.split('/').collect();
    let [folders @ .., file] = &parts[..] else { return false };
    let folder = folders.last().copied().unwrap_or_default();
    let is_root = ["lib.rs", "main.rs", "build.rs"].contains(file);
    if is_root || ["bin", "benches", "examples"].contains(&folder) || ALONE.contains(&source.path.as_str()) {
        return true;
    }
    if folder == "tests" {
        // Cargo finds each file as a program, unless a `main.rs` has the others as its modules.
        let main = format!("{}/main.rs", folders.join("/"));
        let declaration = format!("mod {};", file.trim_end_matches(".rs"));
        let mut mains = sources.iter().filter(|other| other.path == main);
        return mains.all(|main| main.text.lines().any(|line| line == declaration));
    }
    // `mod.rs` has the name of its folder, and is declared in the folder above.
    let (name, folders) = match *file {
        "mod.rs" => (folder, &folders[..folders.len() - 1]),
        _ => (file.trim_end_matches(".rs"), folders),
    };
    let beside = folders.join("/");
    let above = folders[..folders.len().saturating_sub(1)].join("/");
    let declarations = [format!("mod {name};"), format!("mod r#{name};"), format!("{name}.rs\"]")];
    let is_near = |other: &&Source| {
        let in_folder = other.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        in_folder == beside || in_folder == above
    };
    let mut near = sources.iter().filter(is_near).chain(sharing.iter().copied());
    let is_declaration = |line: &str| declarations.iter().any(|it| line.ends_with(it)) && !is_comment(line);
    near.any(|other| other.text.lines().any(is_declaration))
}

#[test]
fn every_test_of_the_recorder_has_a_process_of_its_own() {
    let bad = [("tests/poll/tests/a.rs", "#[test]\nfn it() {}")];
    check("`isolated!` in every test of `tests/poll`", &bad, |source| {
        let lines: Vec<&str> = source.code().map(str::trim_start).collect();
        let count = |text: &str| lines.iter().filter(|line| **line == text).count();
        source.path.starts_with("tests/poll/tests/") && count("#[test]") != count("isolated!();")
    });
}

#[test]
fn no_test_of_the_recorder_waits_by_the_clock() {
    let bad = [("tests/poll/tests/a.rs", "    std::thread::sleep(limit);\n")];
    check("no sleep in `tests/poll`", &bad, |source| {
        source.path.starts_with("tests/poll/") && source.text.contains("sleep")
    });
}

#[test]
fn no_mark_of_unfinished_work_is_left() {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("dbg", "!("), concat!("todo", "!(")];
    let bad = marks.map(|mark| ("diagnose/src/a.rs", mark));
    check("no marks of unfinished work", &bad, |source| marks.iter().any(|mark| source.text.contains(mark)));
}

#[test]
fn only_the_room_expand_writes_code() {
    let bad = [
        ("diagnose-macros/src/a.rs", "    quote!(&mut #future)\n"),
        ("diagnose-macros/src/a.rs", "    quote_spanned!(span=> #future.await)\n"),
        ("diagnose-macros/src/a.rs", "    let no: Item = parse_quote!(#[allow(unused)]);\n"),
        ("diagnose-macros/src/a.rs", "    quote! {\n        let a = #a;\n    }\n"),
    ];
    check("elsewhere `quote!` puts tokens of the user's together", &bad, |source| {
        let is_macro = source.path.starts_with("diagnose-macros/src/");
        is_macro && !source.path.contains("/expand/") && source.code().any(writes_code)
    });
    assert!(!writes_code("        quote!(#(#attrs)* #before #sig #block)"));
}

/// Whether a line quotes more than variables, or begins a quotation that continues on the next
/// line.
fn writes_code(line: &str) -> bool {
    if line.contains("parse_quote!") || line.contains("quote_spanned!") {
        return true;
    }
    line.split("quote!").skip(1).any(|quoted| {
        if !quoted.starts_with('(') {
            return true;
        }
        let mut depth = 0;
        let end = quoted.find(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth == 0
        });
        let Some(quoted) = end.map(|end| &quoted[..end]) else { return true };
        let parts = quoted.split(['(', ')', ' ', '*', ',']);
        parts.filter(|part| !part.is_empty()).any(|part| !part.starts_with('#'))
    })
}

/// Whether the package has a library or a program without tests for which Cargo builds and runs a
/// test program nevertheless.
fn has_empty_test_program(package: &str, manifest: &str, sources: &[Source]) -> bool {
    let inside = |source: &&Source| source.path.starts_with(&format!("{package}/src/"));
    let own: Vec<&Source> = sources.iter().filter(inside).collect();
    let is_root =
        |path: &str| path.ends_with("/lib.rs") || path.ends_with("/main.rs") || path.contains("/bin/");
    let roots = own.iter().filter(|source| is_root(&source.path)).count();
    let without = manifest.lines().filter(|line| *line == "test = false").count();
    without < roots && !own.iter().any(|source| source.text.contains("#[test]"))
}

#[test]
fn no_test_program_is_built_that_has_no_test() {
    let source = |text| [Source::new("tests/a/src/lib.rs", text)];
    assert!(has_empty_test_program("tests/a", "[package]", &source("//! A library.")));
    assert!(!has_empty_test_program("tests/a", "[lib]\ntest = false", &source("//! A library.")));
    assert!(!has_empty_test_program("tests/a", "[package]", &source("#[test]\nfn a() {}")));

    let tests = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let folders = std::fs::read_dir(tests).expect("the folder is there");
    let names =
        folders.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned());
    let manifest = |name: &String| std::fs::read_to_string(format!("{tests}/{name}/Cargo.toml")).ok();
    let packages: Vec<_> = names.filter_map(|name| manifest(&name).map(|text| (name, text))).collect();
    assert!(packages.len() > 20, "{} packages", packages.len());
    let sources = workspace();
    let empty = packages
        .iter()
        .filter(|(name, text)| has_empty_test_program(&format!("tests/{name}"), text, &sources));
    assert_eq!(empty.map(|(name, _)| name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn build_output_is_ignored_wherever_a_build_puts_it() {
    let ignored = include_str!("../../../.gitignore");
    let is_ignored = ignored.lines().any(|line| line == "target/");
    assert!(is_ignored, "a benchmark writes into a folder `target` of its package");
}
