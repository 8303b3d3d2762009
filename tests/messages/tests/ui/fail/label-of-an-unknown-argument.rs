use diagnose::diagnose;

#[diagnose(label = "user={usr}")]
async fn work(user: u32) {
    let _ = user;
}

fn main() {}
