use diagnose::diagnose;

trait Work {
    #[diagnose]
    async fn work(&self);
}

impl Work for () {
    async fn work(&self) {}
}

fn main() {}
