use diagnose::diagnose;

struct Store;

#[diagnose(name = "store")]
impl Store {
    async fn get(&self) {}
}

fn main() {
    drop(Store.get());
}
