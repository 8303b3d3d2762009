const NAME: &str = "name";

async fn work() {
    diagnose::block!(NAME, async {}).await;
    diagnose::block!(7, async {}).await;
}

fn main() {}
