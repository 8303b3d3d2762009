use diagnose::diagnose;

#[diagnose]
async fn work() -> u32 {
    #[diagnose(name)]
    async {}.await;
    #[diagnose(all)]
    async { 1 }.await
}

fn main() {}
