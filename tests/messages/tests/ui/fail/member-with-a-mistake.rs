use diagnose::diagnose;

struct Store;

#[diagnose]
impl Store {
    #[diagnose(lable = "x")]
    async fn get(&self) {}

    async fn set(&self) {}
}

fn main() {
    drop((Store.get(), Store.set()));
}
