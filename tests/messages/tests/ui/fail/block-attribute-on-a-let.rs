use diagnose::diagnose;

#[diagnose]
async fn work() -> u32 {
    #[diagnose]
    let block = async { 1 };
    block.await
}

fn main() {}
