//! The names of the attribute's arguments, and what it says about a wrong one.
//!
//! Shared by both modes, so that code which one of them refuses gets the same message from the
//! other.

pub(crate) const ACCEPTED: &str = "expected one of `name = \"…\"`, `label = \"…\"`, `root`, `all`, `skip`, `awaits = false`, \
                                   `crate = path::to::diagnose`";

/// Without `all`, which applies to functions.
pub(crate) const ACCEPTED_BY_BLOCK: &str = "expected one of `name = \"…\"`, `label = \"…\"`, `root`, `skip`, `awaits = false`, \
                                            `crate = path::to::diagnose`";

pub(crate) const NOT_FOR_ALL: &str = "`all` is for an impl block, a trait or a module";
pub(crate) const CONST_FUNCTION: &str =
    "a `const fn` cannot be timed: it may run in the compiler; time the function that calls it";
pub(crate) const WITHOUT_BODY: &str = "`#[diagnose]` needs a body to time; put it on the implementations";

pub(crate) fn unknown(key: &str, accepted: &str) -> String {
    format!("unknown argument `{key}`, {accepted}")
}

pub(crate) fn twice(key: &str) -> String {
    format!("argument `{key}` is given twice")
}

/// The message for an argument without its value, such as `a string literal`.
pub(crate) fn needs_value(key: &str, value: &str) -> String {
    format!("`{key}` needs {value}: `{key} = …`")
}

pub(crate) fn no_value(key: &str) -> String {
    format!("`{key}` takes no value")
}

pub(crate) fn not_text(key: &str) -> String {
    format!("expected a string literal for `{key}`")
}

pub(crate) fn not_boolean(key: &str) -> String {
    format!("expected `true` or `false` for `{key}`: `{key} = false`")
}

pub(crate) fn of_one_function(key: &str) -> String {
    format!("`{key}` applies to one function; put it on the function")
}

pub(crate) fn not_a_function(kind: &str) -> String {
    format!(
        "`#[diagnose]` cannot time {kind}, expected a function, an impl block, a trait or an inline module"
    )
}
