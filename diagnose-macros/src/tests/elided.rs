#[diagnose]
async fn join<'a, T>(
    first: &'a str,
    texts: impl Iterator<Item = impl Into<Cow<'_, T>>> + '_,
    other: &str,
    write: impl Fn(&str) -> &str,
) -> &'a str {
    first
}
