#[diagnose]
async fn blocks() {
    #[diagnose(name = "first")]
    async { one().await }.await?;
    join!(#[diagnose] async move { two().await }, three());
}
