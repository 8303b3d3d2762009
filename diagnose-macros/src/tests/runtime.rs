#[diagnose]
#[tokio::main]
async fn main() {
    serve().await;
}
