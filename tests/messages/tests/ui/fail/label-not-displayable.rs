use diagnose::diagnose;

struct User;

#[diagnose(label = "user={user}")]
async fn work(user: User) {
    let _ = user;
}

fn main() {}
