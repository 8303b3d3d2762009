#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

struct Holder<'a>(&'a str);

impl<'a> Holder<'a> {
    #[diagnose]
    async fn hold(&mut self, text: &str) {
        self.0 = text;
    }
}

#[diagnose]
fn outlives(text: &str) -> impl std::future::Future<Output = usize> + 'static {
    async move { text.len() }
}

fn main() {}
