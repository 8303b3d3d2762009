//! The future borrows from every argument and type, as that of an `async fn` does.

use diagnose::diagnose;
use diagnose_macros_tests::{pause, run};

#[diagnose]
async fn of_two(a: &str, b: &mut String) -> usize {
    pause().await;
    b.push_str(a);
    b.len()
}

#[diagnose]
async fn longer<'a: 'b, 'b>(a: &'a str, b: &'b str) -> (&'a str, &'b str) {
    pause().await;
    if a.len() > b.len() { (a, a) } else { (a, b) }
}

#[diagnose]
async fn of_types<T: AsRef<str>, U>(a: T, b: &U) -> usize
where
    U: Iterator<Item = T> + Clone,
{
    pause().await;
    a.as_ref().len() + b.clone().map(|it| it.as_ref().len()).sum::<usize>()
}

struct View<'a>(&'a str);

impl View<'_> {
    #[diagnose]
    async fn starts_with(&self, start: &str) -> bool {
        pause().await;
        self.0.starts_with(start)
    }
}

/// Takes a function from references to futures, such as an annotated function.
async fn call<F: AsyncFn(&str, &mut String) -> usize>(f: F) -> usize {
    let mut text = String::from("a");
    f("bc", &mut text).await + text.len()
}

#[test]
fn lifetimes_are_captured() {
    let mut text = String::from("x");
    {
        let short = String::from("y");
        assert_eq!(run(of_two(&short, &mut text)), 2);
        assert_eq!(run(longer("abc", &short)), ("abc", "abc"));
        assert_eq!(run(of_types(short.as_str(), &["z", "zz"].into_iter())), 4);
        assert!(run(View(&short).starts_with("y")));
    }
    assert_eq!(run(call(of_two)), 6);
}
