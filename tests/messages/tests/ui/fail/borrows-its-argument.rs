use diagnose::diagnose;

#[diagnose]
async fn work(text: &str) -> usize {
    text.len()
}

fn caller() -> impl Future<Output = usize> {
    let text = String::new();
    work(&text)
}

fn main() {}
