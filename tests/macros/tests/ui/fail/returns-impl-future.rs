use diagnose::diagnose;

#[diagnose]
fn work() -> impl Future<Output = u32> {
    std::future::ready(1)
}

async fn caller() -> u32 {
    work().await
}

fn main() {}
