//! The `DIAGNOSE*` environment variables, each read in one function.

use crate::pattern::Pattern;

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

/// The value of a variable that is set and not empty.
pub(crate) fn text(name: &str) -> Option<String> {
    let value = std::env::var_os(name)?;
    let value = value.to_string_lossy().trim().to_owned();
    (!value.is_empty()).then_some(value)
}

/// A variable that is a switch. A value that is neither on nor off counts as not set: it may be read in a user's poll,
/// where nothing is said.
pub(crate) fn switch(name: &str) -> Option<bool> {
    text(name).as_deref().and_then(parse_switch)
}

/// Says which switches are set to something that is neither on nor off.
#[cfg(feature = "reports")]
pub(crate) fn check_switches() {
    for name in ["DIAGNOSE", "DIAGNOSE_TASKS_ONLY", "DIAGNOSE_ON_EXIT"] {
        if let Some(value) = text(name).filter(|value| parse_switch(value).is_none()) {
            crate::say::say!(
                "diagnose: {name}=`{value}` is not understood, expected `on` or `off`; it is ignored"
            );
        }
    }
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
}
