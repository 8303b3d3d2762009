use diagnose::diagnose;

#[diagnose]
async fn work() {
    #[diagnose(name = "a")]
    other().await;
}

async fn other() {}

fn main() {}
