#[diagnose]
async fn awaits<T: Source>(source: &T) -> Result<u32, Error> {
    let first = source.get("a")?.next().await?.rest().await;
    let block = async move { first.await };
    let folded = source.fold(0, async |sum, next| sum + next.await).await;
    if let Some(item) = (&mut block).await {
        return Ok(item.await + { folded }.await);
    }
    #[diagnose(skip)]
    async { source.none().await }.await;
    ::std::future::ready(()).await;
    println!("{} {value}", source.name().await, value = 1);
    unknown!(source.name().await);
    source
        .with(|item| {
            item + 1
        })
        .await
}
