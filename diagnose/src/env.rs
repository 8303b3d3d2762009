//! Reads the `DIAGNOSE*` environment variables. Nothing is reported here, because the first poll of
//! a program may run this; `env_values` reports invalid values.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::os;
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
    Some((!is_off(&value)).then(|| ServeAddress::from(value)))
}

/// `DIAGNOSE_TRIGGER=/run/app.dump|off`.
#[allow(clippy::option_option)] // As in `serve`.
pub(crate) fn trigger() -> Option<Option<PathBuf>> {
    let path = path("DIAGNOSE_TRIGGER")?;
    Some((!path.to_str().is_some_and(is_off)).then_some(path))
}

/// Returns whether the value of a variable that is an address or a path switches it off.
fn is_off(value: &str) -> bool {
    parse_switch(value) == Some(false) || value.eq_ignore_ascii_case("none")
}

/// `DIAGNOSE_SERVE_TOKEN`.
pub(crate) fn serve_token() -> Option<ServeToken> {
    text("DIAGNOSE_SERVE_TOKEN").map(ServeToken)
}

/// The value of a variable that is set and not empty.
pub(crate) fn text(name: &str) -> Option<String> {
    let value = variable(name)?;
    let value = value.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// The value of a variable that is a path, unchanged even if it is not UTF-8.
pub(crate) fn path(name: &str) -> Option<PathBuf> {
    variable(name).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The value of a variable; `None` in a set-user-ID program. Any user may start such a program with
/// variables that name files, which it would write or remove with the rights of its owner.
fn variable(name: &str) -> Option<OsString> {
    if os::has_rights_of_another() { None } else { std::env::var_os(name) }
}

/// The value of a variable that is a switch. A value that is neither on nor off counts as not set:
/// this may run in a user's poll, where nothing is printed.
pub(crate) fn switch(name: &str) -> Option<bool> {
    text(name).as_deref().and_then(parse_switch)
}

pub(crate) fn parse_switch(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "1" | "on" | "true" | "yes" => Some(true),
        "0" | "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_off, parse_switch};

    #[test]
    fn a_switch_is_spelled_in_the_usual_ways() {
        assert_eq!(parse_switch("ON"), Some(true));
        assert_eq!(parse_switch("1"), Some(true));
        assert_eq!(parse_switch("off"), Some(false));
        assert_eq!(parse_switch("0"), Some(false));
        assert_eq!(parse_switch("maybe"), None);
    }

    #[test]
    fn an_address_or_a_path_is_switched_off_in_the_usual_ways_too() {
        assert!(is_off("off") && is_off("None") && is_off("0"));
        assert!(!is_off("./off") && !is_off("127.0.0.1:6070"));
    }
}
