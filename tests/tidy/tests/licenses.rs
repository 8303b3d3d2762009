//! All dependencies have permissive licenses, or one of the exceptions named here.

use std::process::Command;

/// The lists of licenses, in the format of `cargo deny`.
const RULES: &str = include_str!("../../../.deny.toml");

/// The quoted words of the line of `.deny.toml` that begins with `key`.
fn listed(key: &str) -> Vec<&'static str> {
    let line = RULES.lines().find_map(|line| line.strip_prefix(key)).expect("the key is there");
    line.split('"').skip(1).step_by(2).collect()
}

/// Licenses that require attribution at most.
fn allowed() -> Vec<&'static str> {
    listed("allow = ")
}

/// Crates with another license: name and license of each.
fn exceptions() -> Vec<[&'static str; 2]> {
    listed("exceptions = ").chunks(2).filter_map(|pair| pair.try_into().ok()).collect()
}

/// An SPDX expression, or one with the `/` of older manifests.
struct Expression<'a> {
    words: Vec<&'a str>,
}

impl<'a> Expression<'a> {
    fn new(text: &'a str) -> Self {
        let mut words = Vec::new();
        for word in text.split_inclusive(['(', ')', '/', ' ']) {
            let mark = word.strip_suffix(['(', ')', '/', ' ']).unwrap_or(word);
            words.extend(
                [mark, &word[mark.len()..]].iter().map(|word| word.trim()).filter(|it| !it.is_empty()),
            );
        }
        words.reverse();
        Self { words }
    }

    fn take(&mut self, wanted: &[&str]) -> bool {
        let is_next = self.words.last().is_some_and(|word| wanted.contains(word));
        is_next && self.words.pop().is_some()
    }

    fn any(&mut self) -> bool {
        let mut is_allowed = self.all();
        while self.take(&["OR", "/"]) {
            is_allowed |= self.all();
        }
        is_allowed
    }

    fn all(&mut self) -> bool {
        let mut is_allowed = self.one();
        while self.take(&["AND"]) {
            is_allowed &= self.one();
        }
        is_allowed
    }

    fn one(&mut self) -> bool {
        if self.take(&["("]) {
            return self.any() & self.take(&[")"]);
        }
        let is_allowed = self.words.pop().is_some_and(|word| allowed().contains(&word));
        if self.take(&["WITH"]) {
            // An exception only allows more.
            self.words.pop();
        }
        is_allowed
    }
}

fn is_allowed(licence: &str) -> bool {
    let mut expression = Expression::new(licence);
    expression.any() && expression.words.is_empty()
}

#[test]
fn every_crate_has_a_permissive_license_or_is_named() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--all-features", "--target", "all", "--edges", "normal,build,dev"])
        .args(["--prefix", "none", "--format", "{p}|{l}"])
        .output()
        .expect("cargo starts");
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).expect("it is text");
    let lines: Vec<(&str, &str)> = tree.lines().filter_map(|line| line.split_once('|')).collect();
    assert!(lines.len() > 100, "{} crates", lines.len());
    let others = lines.iter().filter_map(|(package, licence)| {
        let name = package.split(' ').next()?;
        let licence = licence.trim_end_matches(" (*)");
        (!is_allowed(licence) && !exceptions().contains(&[name, licence]))
            .then(|| format!("{package}: {licence:?}"))
    });
    assert_eq!(others.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_license_expression_is_allowed_if_one_choice_in_it_is() {
    for licence in ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND Unicode-3.0"] {
        assert!(is_allowed(licence), "{licence}");
    }
    assert!(is_allowed("Apache-2.0 WITH LLVM-exception OR GPL-3.0"));
    for licence in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND GPL-3.0", "MIT MIT"] {
        assert!(!is_allowed(licence), "{licence}");
    }
}

#[test]
fn every_published_package_has_the_texts_of_its_licenses() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut published = Vec::new();
    for package in ["cli", "diagnose", "diagnose-macros", "examples", "examples/library", "reports"] {
        let read = |file: &str| std::fs::read_to_string(format!("{root}/{package}/{file}"));
        if read("Cargo.toml").expect("a manifest").contains("publish = false") {
            continue;
        }
        published.push(package);
        for file in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let text = std::fs::read_to_string(format!("{root}/{file}")).expect("the text of the license");
            assert_eq!(read(file).ok(), Some(text), "{package}/{file}");
        }
    }
    assert_eq!(published, ["cli", "diagnose", "diagnose-macros", "reports"]);
}
