use diagnose::diagnose;

#[diagnose]
fn first<'a, T>(values: &'a [T]) -> Option<&'a T> {
    let value = values.first()?;
    Some(value)
}

fn main() {
    assert_eq!(first(&[7]), Some(&7));
}
