#[diagnose(awaits = false)]
fn returned(&self) -> BoxFuture<'_, u32> {
    if self.is_done {
        return Box::pin(async { 1 });
    }
    Box::pin(async move {
        let inner = async { two().await };
        inner.await
    })
}
