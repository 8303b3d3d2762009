#[diagnose]
fn main() {
    let body = async {
        serve().await;
    };
    let body = {
        if false {
            let _: &dyn ::core::future::Future<Output = ()> = &body;
        }
        body
    };
    {
        return build().expect("a runtime").block_on(body);
    }
}
