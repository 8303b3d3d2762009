use diagnose::diagnose;

#[diagnose]
async fn work() {
    async fn bare() {
        let block = #[diagnose]
        async {};
        block.await;
    }
    bare().await;
}

fn main() {}
