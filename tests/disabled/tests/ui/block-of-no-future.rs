struct Later;

impl std::future::IntoFuture for Later {
    type Output = ();
    type IntoFuture = std::future::Ready<()>;

    fn into_future(self) -> Self::IntoFuture {
        std::future::ready(())
    }
}

async fn work() {
    diagnose::block!(Later).await;
    diagnose::block!("later", Later).await;
}

fn main() {}
