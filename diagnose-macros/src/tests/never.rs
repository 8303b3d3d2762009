#[diagnose]
async fn serve() -> ! {
    loop {
        accept().await;
    }
}
