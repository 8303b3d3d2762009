//! The committed table has the rows of the corpus in order, and counts every wrong run.

use std::fs;
use std::path::Path;

use diagnose_hangs_tests::ALL;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

#[test]
fn the_table_names_the_rows_of_the_corpus() {
    let document = read("docs/hangs.md");
    let rows = document.lines().filter(|line| line.starts_with("| ") && line.contains(" | `"));
    let rows: Vec<String> =
        rows.map(|line| line.split(" | ").take(3).collect::<Vec<_>>().join(" ")).collect();
    let corpus = ALL.iter().flat_map(|section| section.rows);
    let corpus: Vec<String> = corpus
        .map(|row| format!("| {} `{}` {}", row.id, row.name, row.summary.replace('|', "\\|")))
        .collect();
    assert_eq!(
        rows, corpus,
        "run `cargo run --release -p diagnose-hangs-tests -- --markdown --repeat 20 > docs/hangs.md`"
    );
}

/// The cells have texts such as `| wrong 2 times: … |`; the line below, `10320 runs, 2 wrong.`.
#[test]
fn the_table_hides_no_run_that_was_wrong() {
    let document = read("docs/hangs.md");
    let cells = document.split(" | wrong ").skip(1).map(|cell| cell.split(' ').next().unwrap());
    let in_cells: usize = cells.map(|count| count.parse::<usize>().unwrap()).sum();
    let line = document.lines().find(|line| line.ends_with(" wrong.")).unwrap();
    let [runs, wrong] = [0, 2].map(|word| line.split(' ').nth(word).unwrap().parse::<usize>().unwrap());
    assert!(runs >= 20 * document.lines().filter(|line| line.contains(" | `")).count() * 6);
    assert_eq!(wrong, in_cells);
}

#[test]
fn the_readme_links_to_the_table() {
    assert!(read("README.md").contains("(docs/hangs.md)"));
}
