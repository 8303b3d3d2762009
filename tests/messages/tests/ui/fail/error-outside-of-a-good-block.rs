use diagnose::diagnose;

#[diagnose(wrong)]
async fn work() -> u32 {
    #[diagnose]
    async { 1 }.await
}

async fn caller() -> u32 {
    work().await
}

fn main() {}
