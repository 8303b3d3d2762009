//! The command line, the line that a child prints, and the numbers in the table.

use std::time::Duration;

use diagnose_costs::child::Sample;
use diagnose_costs::options::Options;
use diagnose_costs::program::Way;
use diagnose_costs::programs::PROGRAMS;
use diagnose_costs::rounds::{Measured, table};
use diagnose_costs::summary::median;

fn sample(cpu_ms: u64) -> Sample {
    Sample {
        operations: 1_000,
        cpu: Duration::from_millis(cpu_ms),
        peak_kib: 2_048,
        stated: Duration::from_millis(4),
    }
}

#[test]
fn the_table_has_medians_of_the_ratios_of_each_round() {
    // The machine is half as fast in the second round, and disturbed in the third.
    let rounds = [[10, 15, 10, 30], [20, 30, 20, 60], [10, 90, 10, 90]];
    let rounds = rounds.map(|round| round.map(sample)).to_vec();
    let measured = Measured { program: &PROGRAMS[0], rounds };
    let is_about = |ratio: f64, expected: f64| (ratio - expected).abs() < 1e-9;
    assert!(is_about(measured.ratio(Way::Annotated), 1.5));
    assert!(is_about(measured.ratio(Way::DropIn), 3.0));
    assert!(is_about(measured.stated(Way::Annotated), 0.4), "4 of 5, 10 and 80");
    assert!(!measured.is_as_stated());
    let line =
        "| actors | 1000 | 10000 ns | ±0 % | +50 % | +200 % | 10000 ns, 40000 ns | 0.40, 0.10 | 2, 2, 2 |";
    assert_eq!(table(&[measured]).lines().last(), Some(line));
}

#[test]
fn a_median_of_an_even_number_is_the_middle() {
    assert!((median(&[4.0, 1.0, 3.0, 2.0]) - 2.5).abs() < 1e-9);
    assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
    assert!(median(&[]).is_nan());
}

#[test]
fn the_last_line_of_a_child_is_its_sample() {
    let expected =
        Sample { operations: 7, cpu: Duration::new(1, 20), peak_kib: 300, stated: Duration::from_nanos(9) };
    assert_eq!(Sample::read("anything\n7 1 20 300 9\n"), Some(expected));
    assert_eq!(Sample::read("7 1 20 300\n"), None);
    assert_eq!(Sample::read(""), None);
}

#[test]
fn arguments_are_read_or_refused() {
    let read = |line: &str| Options::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
    let options = read("cache --rounds 3 storm --scale 10").expect("all are known");
    assert_eq!((options.rounds, options.scale, options.instructions), (3, 10, false));
    assert_eq!(options.only, ["cache", "storm"]);
    assert!(read("--rounds 0").is_err());
    assert!(read("--rounds").is_err());
    assert!(read("--nothing").is_err());
}
