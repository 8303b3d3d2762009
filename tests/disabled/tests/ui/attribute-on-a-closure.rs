use diagnose::diagnose;

#[diagnose]
async fn work() -> u32 {
    let closure = #[diagnose]
    async || 1;
    closure().await
}

fn main() {}
