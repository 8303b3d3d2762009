//! Two tasks that lock two accounts in opposite order: `cargo run --release --example deadlock`.
//!
//! The verdict is proven: it names both tasks, both locks, and the four lines. A watchdog would
//! have raised it as an alarm. `DIAGNOSE_LOCK_ORDER=1` would report the two orders after a run that
//! was lucky, in which both transfers end; here, neither does.

use std::sync::Arc;
use std::time::Duration;

use diagnose::{diagnose, tokio};
use tokio::sync::{Barrier, Mutex};

#[derive(Clone)]
struct Account {
    balance: Arc<Mutex<i64>>,
}

/// Locks the paying account, and then the paid one. Two transfers in opposite directions each hold
/// the lock that the other needs.
#[diagnose]
async fn transfer(from: Account, to: Account, both_begun: Arc<Barrier>) {
    let mut paying = from.balance.lock().await;
    both_begun.wait().await;
    let mut paid = to.balance.lock().await;
    *paying -= 10;
    *paid += 10;
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    diagnose::install();
    let account = || Account { balance: Arc::new(Mutex::new(100)) };
    let (alice, bob) = (account(), account());
    let both_begun = Arc::new(Barrier::new(2));
    let transfers = [
        tokio::spawn(transfer(alice.clone(), bob.clone(), Arc::clone(&both_begun))),
        tokio::spawn(transfer(bob, alice, both_begun)),
    ];

    // The timeout ends the request, but not the tasks that it spawned: they keep hanging.
    let limit = tokio::time::timeout(Duration::from_millis(500), async {
        for transfer in transfers {
            let _ = transfer.await;
        }
    });
    assert!(limit.await.is_err(), "the transfers block each other");
    for verdict in diagnose::snapshot().verdicts() {
        println!("{verdict}\n");
    }
    println!("{}", diagnose::waiters());
}
