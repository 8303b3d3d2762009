//! A path of thousands of functions is written in a moment, and on the default stack.

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn a_path_of_thousands_of_functions_is_dumped_in_each_format() {
    let output = output(&mut command(env!("CARGO_BIN_EXE_deep")), Duration::from_secs(60));
    let stdout = String::from_utf8_lossy(&output.stdout);
    let sizes: Vec<(&str, u64)> = stdout
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(format, bytes)| (format, bytes.parse().expect("a number")))
        .collect();
    let formats: Vec<&str> = sizes.iter().map(|(format, _)| *format).collect();
    assert_eq!(formats, ["folded", "svg", "txt", "json"], "{output:?}");
    // A line per path would be 3,000 × 3,000 names, 100 MB.
    assert!(sizes.iter().all(|&(_, bytes)| (1_000..8 << 20).contains(&bytes)), "{sizes:?}");
}
