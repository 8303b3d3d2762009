use diagnose::diagnose;

#[diagnose(all)]
async fn get() {}

fn main() {
    drop(get());
}
