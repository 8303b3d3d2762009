//! Reads environment variables whose invalid values are reported on stderr, during `install`.

use std::time::Duration;

use crate::env::{parse_switch, text};
use crate::keep::Keep;
use crate::pattern::Pattern;
use crate::say::say;

/// `DIAGNOSE_KEEP=20,500MB`. An invalid value is reported on stderr.
pub(crate) fn keep(name: &str) -> Option<Keep> {
    let value = text(name)?;
    let keep = Keep::parse(&value);
    if keep.is_none() {
        say!(
            "diagnose: ignoring {name}=`{value}`: expected a number of dumps, of bytes, or both, such as `20`, \
             `500MB` or `20,500MB`, or `off`"
        );
    }
    keep
}

/// Reports switches whose value is neither on nor off, and a `DIAGNOSE_ONLY` without functions.
/// Reading them reports nothing, because it may happen in a poll.
pub(crate) fn report_invalid() {
    for name in
        ["DIAGNOSE", "DIAGNOSE_TASKS_ONLY", "DIAGNOSE_ON_EXIT", "DIAGNOSE_LOCK_ORDER", "DIAGNOSE_UNPOLLED"]
    {
        if let Some(value) = text(name).filter(|value| parse_switch(value).is_none()) {
            say!("diagnose: ignoring {name}=`{value}`: expected `on` or `off`");
        }
    }
    if let Some(list) = text("DIAGNOSE_ONLY").filter(|list| Pattern::parse(list).is_none()) {
        say!("diagnose: ignoring DIAGNOSE_ONLY=`{list}`: it names no function");
    }
}

/// The value of a variable that is a duration, such as `100ms`, or `off`. An invalid value is
/// reported on stderr.
#[allow(clippy::option_option)] // The outer `None` means not set, the inner one `off`.
pub(crate) fn duration(name: &str) -> Option<Option<Duration>> {
    let value = text(name)?;
    let parsed = parse_duration(&value);
    if parsed.is_none() {
        say!(
            "diagnose: ignoring {name}=`{value}`: expected a duration such as `100ms`, `50us` or `2s`, or `off`"
        );
    }
    parsed
}

#[allow(clippy::option_option)] // As in `duration`.
fn parse_duration(value: &str) -> Option<Option<Duration>> {
    if parse_switch(value) == Some(false) {
        return Some(None);
    }
    let end = value.find(|character: char| !character.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    let number: u64 = number.parse().ok()?;
    let duration = match unit.trim() {
        "us" | "µs" => Duration::from_micros(number),
        "ms" => Duration::from_millis(number),
        "s" => Duration::from_secs(number),
        _ => return None,
    };
    Some(Some(duration).filter(|duration| !duration.is_zero()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_duration_has_a_unit() {
        use std::time::Duration;

        assert_eq!(super::parse_duration("100ms"), Some(Some(Duration::from_millis(100))));
        assert_eq!(super::parse_duration("50 us"), Some(Some(Duration::from_micros(50))));
        assert_eq!(super::parse_duration("2s"), Some(Some(Duration::from_secs(2))));
        assert_eq!(super::parse_duration("off"), Some(None));
        assert_eq!(super::parse_duration("0ms"), Some(None));
        assert_eq!(super::parse_duration("100"), None);
        assert_eq!(super::parse_duration("ms"), None);
    }
}
