#[diagnose]
async fn get(key: u64) -> Option<u64> {
    map().await.get(&key)
}
