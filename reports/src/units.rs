//! Formats times, counts and shares for people, in fitting units.
//!
//! This module imports no other module, so analyses and writers can share it.

use std::fmt::Write as _;

const UNITS: [(u64, &str); 7] = [
    (1, "ns"),
    (1_000, "µs"),
    (1_000_000, "ms"),
    (1_000_000_000, "s"),
    (60_000_000_000, "min"),
    (3_600_000_000_000, "h"),
    (86_400_000_000_000, "d"),
];

/// Formats a time with three significant digits in the unit that fits: `0 ns`, `999 ns`, `1.00 µs`,
/// `83.4 ms`, `78.5 min`.
#[must_use]
pub fn time(ns: u64) -> String {
    for (unit_ns, unit) in UNITS {
        if ns >= unit_ns.saturating_mul(1000) {
            continue;
        }
        for decimals in [2, 1, 0] {
            if unit_ns == 1 && decimals > 0 {
                continue;
            }
            let scale = 10_u128.pow(decimals);
            let scaled = divide_rounded(u128::from(ns) * scale, u128::from(unit_ns));
            if scaled < 1000 {
                let mut text = decimal(scaled, decimals);
                text.push(' ');
                text.push_str(unit);
                return text;
            }
        }
    }
    format!("{} d", divide_rounded(u128::from(ns), 86_400_000_000_000))
}

/// Formats the length of a recording: `8.02 s`, `5 min 12 s`, `2 h 5 min`, `3 d 4 h`.
pub(crate) fn length(ns: u64) -> String {
    let seconds = divide_rounded(u128::from(ns), 1_000_000_000);
    match seconds {
        0..60 => time(ns),
        60..3_600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3_600 % 24),
    }
}

/// Formats a count with separated thousands: `1,234,567`.
#[must_use]
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a count with its noun: `1 call`, `2 calls`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// Formats a size with three significant digits: `512 B`, `64.0 KiB`, `1.50 MiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    for (shift, unit) in [(0, "B"), (10, "KiB"), (20, "MiB"), (30, "GiB")] {
        for decimals in if shift == 0 { [0, 0, 0] } else { [2, 1, 0] } {
            let scaled = divide_rounded(u128::from(bytes) * 10_u128.pow(decimals), 1 << shift);
            if scaled < if decimals == 0 { 1024 } else { 1000 } {
                return decimal(scaled, decimals) + " " + unit;
            }
        }
    }
    count(bytes >> 40) + " TiB"
}

/// Formats a share in percent with at most three significant digits: `0.40 %`, `33.3 %`, `100 %`;
/// `< 0.01 %` if it would round to zero.
#[must_use]
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 || part == 0 {
        return "0 %".to_owned();
    }
    let scaled = |decimals| divide_rounded(u128::from(part) * 100 * 10_u128.pow(decimals), u128::from(whole));
    if scaled(2) == 0 {
        return "< 0.01 %".to_owned();
    }
    let decimals = [2, 1].into_iter().find(|&decimals| scaled(decimals) < 1_000).unwrap_or(0);
    format!("{} %", decimal(scaled(decimals), decimals))
}

/// Formats a scaled integer: `1234` with two decimals is `12.34`.
fn decimal(scaled: u128, decimals: u32) -> String {
    // This capacity is enough for most numbers with a unit.
    let mut text = String::with_capacity(16);
    let scale = 10_u128.pow(decimals);
    let width = usize::try_from(decimals).unwrap_or(0);
    // Writing to a string cannot fail.
    let _ = match decimals {
        0 => write!(text, "{scaled}"),
        _ => write!(text, "{}.{:0width$}", scaled / scale, scaled % scale),
    };
    text
}

/// Divides, rounding half up.
fn divide_rounded(dividend: u128, divisor: u128) -> u128 {
    (dividend + divisor / 2) / divisor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_significant_digits() {
        let times =
            [0, 1, 999, 1_000, 12_345, 999_499, 999_500, 83_400_000, 4_711_000_000_000, u64::MAX].map(time);
        assert_eq!(
            times,
            [
                "0 ns", "1 ns", "999 ns", "1.00 µs", "12.3 µs", "999 µs", "1.00 ms", "83.4 ms", "78.5 min",
                "213504 d"
            ]
        );
    }

    #[test]
    fn sizes_have_three_significant_digits() {
        let sizes = [0, 1_023, 1_024, 65_536, 1_047_552, 1_572_864, 5 << 30, 3 << 40].map(bytes);
        assert_eq!(
            sizes,
            ["0 B", "1023 B", "1.00 KiB", "64.0 KiB", "1023 KiB", "1.50 MiB", "5.00 GiB", "3 TiB"]
        );
    }

    #[test]
    fn counts_have_thousands_separators() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "call"), counted(2, "call")], ["1 call", "2 calls"]);
    }

    #[test]
    fn shares_say_when_they_are_too_small_to_show() {
        assert_eq!(
            [percent(0, 5), percent(1, 1_000_000), percent(1, 3), percent(5, 5), percent(1, 0)],
            ["0 %", "< 0.01 %", "33.3 %", "100 %", "0 %"]
        );
        let shares = [percent(4, 1_000), percent(999_999, 1_000_000), percent(30, 1), percent(u64::MAX, 1)];
        assert_eq!(shares, ["0.40 %", "100 %", "3000 %", "1844674407370955161500 %"]);
    }

    #[test]
    fn a_long_recording_has_minutes_hours_and_days() {
        let seconds = [8, 59, 60, 312, 7_500, 273_600];
        let lengths = seconds.map(|seconds| length(seconds * 1_000_000_000));
        assert_eq!(lengths, ["8.00 s", "59.0 s", "1 min 0 s", "5 min 12 s", "2 h 5 min", "3 d 4 h"]);
    }
}
