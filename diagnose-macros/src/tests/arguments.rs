#[diagnose(name = "GET /user", label = "user={user}", root, crate = my::diagnose)]
async fn get(user: u64) {
    work().await;
}
