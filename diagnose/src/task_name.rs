//! Names of tasks that the program does not name: from the types of their futures.

use std::any;

/// The name of a task from the type of its future: `conn` for `server::conn::{{closure}}`, the
/// future of an async function, and `conn::{block}` for an async block in that future.
pub(crate) fn name_of_future<F>() -> String {
    let (function, closures) = function_of(any::type_name::<F>());
    if closures > 1 { function + "::{block}" } else { function }
}

/// The name of a blocking task from the type of its function or closure.
pub(crate) fn name_of_closure<F>() -> String {
    let (function, closures) = function_of(any::type_name::<F>());
    if closures > 0 { function + "::{closure}" } else { function }
}

/// The function's name in a type, also inside a span, a tracked future or a box, and the number of
/// closures and async blocks around the type in that function. `task` if the type is unknown.
fn function_of(type_name: &str) -> (String, usize) {
    let mut name = type_name;
    // A block that is both annotated and named is a span around a span.
    let around = [
        "core::pin::Pin<",
        "alloc::boxed::Box<",
        "&mut ",
        "diagnose::timed::Timed<",
        "diagnose::tokio_util::task::task_tracker::tracked::TrackedFuture<",
    ];
    while let Some(inside) = around.iter().find_map(|around| name.strip_prefix(around)) {
        name = inside;
    }
    let path = without_arguments(name);
    let is_named = |part: &&str| !part.starts_with("{{") && !part.is_empty();
    let closures = path.rsplit("::").take_while(|part| !is_named(part)).count();
    match path.rsplit("::").find(is_named) {
        Some(function) if !name.starts_with("dyn ") => (function.to_owned(), closures),
        _ => ("task".to_owned(), 0),
    }
}

/// The path at the start of a type's name, without generic arguments and the type of an impl.
fn without_arguments(name: &str) -> String {
    let mut path = String::new();
    let mut depth = 0_u32;
    for char in name.replace("->", "").chars() {
        match char {
            '<' => depth += 1,
            '>' | ',' if depth == 0 => break,
            '>' => depth -= 1,
            _ if depth == 0 => path.push(char),
            _ => {}
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::function_of;

    #[test]
    fn a_task_has_the_name_of_its_function() {
        let cases = [
            ("app::conn::{{closure}}", "conn", 1),
            ("app::main::{{closure}}::{{closure}}", "main", 2),
            ("app::run<app::Job<u8>, fn(u8) -> u8>::{{closure}}::{{closure}}", "run", 2),
            ("<app::Server<u8> as app::Service>::serve::{{closure}}", "serve", 1),
            ("core::pin::Pin<alloc::boxed::Box<app::conn<u8>::{{closure}}, app::Arena>>", "conn", 1),
            ("app::work", "work", 0),
            ("app::Retry<app::conn::{{closure}}>", "Retry", 0),
            ("core::pin::Pin<alloc::boxed::Box<dyn core::future::future::Future<Output = ()>>>", "task", 0),
        ];
        for (of, name, closures) in cases {
            assert_eq!(function_of(of), (name.to_owned(), closures), "{of}");
        }
    }
}
