use diagnose::diagnose;

#[diagnose]
fn work() -> std::pin::Pin<Box<dyn Future<Output = u32> + Send>> {
    Box::pin(std::future::ready(1))
}

fn main() {}
