#[diagnose]
async fn selects() {
    let (a, b) = tokio::join!(one(), async { two().await });
    tokio::select! {
        biased;
        Some(item) = stream.next(), if open().await => item.close().await,
        _ = &mut timeout => { late().await }
        else => {}
    }
    futures::select! {
        item = stream.next() => item,
        _ = timeout => {}
        complete => return,
    }
    select! {
        _ = timeout => {}
        item = stream.next() => item,
    }
    select! { recv(a) -> b => b.await }
    let all = async || tokio::join!(one(), two());
    let text = async |key| format!("{}", get(key).await);
    let list = Some(futures::select_biased! { item = stream.next() => item });
}
