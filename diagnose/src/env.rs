//! The `DIAGNOSE*` environment variables, each read in one function.

use std::path::PathBuf;
use std::time::Duration;

use crate::keep::Keep;
use crate::pattern::Pattern;
use crate::serve_address::{ServeAddress, ServeToken};

/// `DIAGNOSE=off|on`.
pub(crate) fn enabled() -> Option<bool> {
    switch("DIAGNOSE")
}

/// `DIAGNOSE_ONLY='client::*'`.
pub(crate) fn only() -> Option<Pattern> {
    text("DIAGNOSE_ONLY").as_deref().and_then(Pattern::parse)
}

/// `DIAGNOSE_TASKS_ONLY=1`.
pub(crate) fn tasks_only() -> bool {
    switch("DIAGNOSE_TASKS_ONLY") == Some(true)
}

/// `DIAGNOSE_SERVE=127.0.0.1:6070|/run/app.sock|off`.
#[allow(clippy::option_option)] // The outer `None` means not set, the inner one `off`.
pub(crate) fn serve() -> Option<Option<ServeAddress>> {
    let value = text("DIAGNOSE_SERVE")?;
    let is_off = parse_switch(&value) == Some(false) || value.eq_ignore_ascii_case("none");
    Some((!is_off).then(|| ServeAddress::from(value)))
}

/// `DIAGNOSE_SERVE_TOKEN`.
pub(crate) fn serve_token() -> Option<ServeToken> {
    text("DIAGNOSE_SERVE_TOKEN").map(ServeToken)
}

/// The value of a variable that is set and not empty.
pub(crate) fn text(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    let value = value.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// The value of a variable that is a path, unchanged even if it is not UTF-8.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// `DIAGNOSE_KEEP=20,500MB`. An invalid value is reported on stderr.
pub(crate) fn keep(name: &str) -> Option<Keep> {
    let value = text(name)?;
    let keep = Keep::parse(&value);
    if keep.is_none() {
        crate::say::say!(
            "diagnose: ignoring {name}=`{value}`: expected a number of dumps, of bytes, or both, such as `20`, \
             `500MB` or `20,500MB`, or `off`"
        );
    }
    keep
}

/// The value of a variable that is a switch. A value that is neither on nor off counts as not set:
/// this may run in a user's poll, where nothing is printed.
pub(crate) fn switch(name: &str) -> Option<bool> {
    text(name).as_deref().and_then(parse_switch)
}

/// Reports the switches whose value is neither on nor off.
pub(crate) fn check_switches() {
    for name in
        ["DIAGNOSE", "DIAGNOSE_TASKS_ONLY", "DIAGNOSE_ON_EXIT", "DIAGNOSE_LOCK_ORDER", "DIAGNOSE_UNPOLLED"]
    {
        if let Some(value) = text(name).filter(|value| parse_switch(value).is_none()) {
            crate::say::say!("diagnose: ignoring {name}=`{value}`: expected `on` or `off`");
        }
    }
}

/// The value of a variable that is a duration, such as `100ms`, or `off`. An invalid value is
/// reported on stderr.
#[allow(clippy::option_option)] // The outer `None` means not set, the inner one `off`.
pub(crate) fn duration(name: &str) -> Option<Option<Duration>> {
    let value = text(name)?;
    let parsed = parse_duration(&value);
    if parsed.is_none() {
        crate::say::say!(
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

fn parse_switch(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "1" | "on" | "true" | "yes" => Some(true),
        "0" | "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse_switch;

    #[test]
    fn a_switch_is_spelled_in_the_usual_ways() {
        assert_eq!(parse_switch("ON"), Some(true));
        assert_eq!(parse_switch("1"), Some(true));
        assert_eq!(parse_switch("off"), Some(false));
        assert_eq!(parse_switch("0"), Some(false));
        assert_eq!(parse_switch("maybe"), None);
    }

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
