//! A task panics three levels deep, while another continues.

use diagnose::diagnose;
use diagnose_scenarios_tests::runtime::Runtime;

#[diagnose(root, label = "user={user}")]
async fn conn(user: u32) -> u32 {
    tokio::task::yield_now().await;
    read(user).await
}

#[diagnose]
async fn read(user: u32) -> u32 {
    tokio::task::yield_now().await;
    parse(user)
}

#[diagnose]
fn parse(user: u32) -> u32 {
    assert_ne!(user, 7, "no user has seven");
    user
}

fn main() {
    diagnose::Builder::new().signal(None).panic_hook(true).install();
    Runtime::TokioCurrent.run(async {
        let tasks = [tokio::spawn(conn(6)), tokio::spawn(conn(7))];
        for task in tasks {
            println!("{}", task.await.is_ok());
        }
    });
    // Outside of every task.
    let _ = std::panic::catch_unwind(|| panic!("in main"));
}
