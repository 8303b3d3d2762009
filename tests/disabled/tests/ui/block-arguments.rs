use diagnose::diagnose;

#[diagnose]
async fn work() {
    #[diagnose(lable = "x")]
    async {}.await;
    #[diagnose(all)]
    async move {}.await;
}

fn main() {}
