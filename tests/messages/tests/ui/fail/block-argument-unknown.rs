use diagnose::diagnose;

#[diagnose]
async fn work() -> u32 {
    #[diagnose]
    async {}.await;
    #[diagnose(nmae = "typo")]
    async { 1 }.await
}

fn main() {}
