//! The dependencies of this crate are those of the README's first block.

/// The lines of the block `[dependencies]`, with their features and without versions and paths.
fn dependencies(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.is_empty() && !line.starts_with("```"));
    let without_source = |line: &str| {
        let (name, value) = line.split('#').next()?.split_once(" = ")?;
        let (_, features) = value.split_once("features = ")?;
        Some(format!("{name} {}", features.trim_end()))
    };
    lines.map(|line| without_source(line).unwrap_or_else(|| panic!("{line} names its features"))).collect()
}

#[test]
fn this_crate_has_the_dependencies_of_the_readme() {
    let own = dependencies(include_str!("../Cargo.toml"));
    assert_eq!(own.len(), 2, "{own:?}");
    assert_eq!(dependencies(include_str!("../../../README.md")), own);
}
