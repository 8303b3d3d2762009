//! Guards inside of other values: transactions that own functions return, with the lock behind a
//! static. Most are handed on to a task that is not on record.

use std::sync::{Arc, LazyLock};

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, proven, row};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinHandle;
use tokio::time::sleep;

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("inside.rs"),
    rows: &[
        row!("Y191", guard_in_a_field, "a field of a transaction moves into a task of tokio's own"),
        row!("Y186", rest_of_a_struct, "the rest of a transaction moves into such a task"),
        row!("Y187", guard_in_a_closure, "a closure that has the guard is called, and hands it on"),
        row!("Y188", behind_a_layer, "a layer that delegates returns the transaction"),
        row!("Y189", behind_a_name, "a call that is named by hand returns the transaction"),
        row!("Y190", function_named_lock, "a function of the name `lock` returns the transaction"),
        row!("Y260", guard_of_an_arm, "a guard is taken out of the tuple of join!, and handed on"),
        row!("Y261", guards_in_a_tuple, "the tuple of join! is a variable, and its first guard is handed on"),
        row!("Y262", guard_in_a_block, "a block makes a transaction, whose guard is taken out and handed on"),
        row!("Y263", used_in_another_build, "a method takes a guard, which only another build uses again"),
        row!("X131", transactions_in_place, "two tasks hold transactions, and use their fields")
            .is(proven("cycle"))
            .or(likely("cycle")),
    ],
};

type Rows = LazyLock<Vec<Mutex<u64>>>;

static TABLES: Rows = LazyLock::new(|| (0..11).map(Mutex::new).collect());

struct Transaction {
    rows: MutexGuard<'static, u64>,
    number: u64,
}

#[diagnose]
async fn begin(table: usize) -> Transaction {
    let rows = TABLES[table].lock().await;
    Transaction { rows, number: 1 }
}

/// Keeps it in a task of tokio's own for a while.
fn keep(held: impl Send + 'static) {
    ::tokio::spawn(async move {
        ::tokio::time::sleep(ms(2_500)).await;
        drop(held);
    });
}

/// The task of this handle cannot be aborted: only the await of this body has the handle.
#[diagnose]
async fn joins(task: JoinHandle<()>) {
    task.await.unwrap();
}

async fn guard_in_a_field() {
    #[diagnose]
    async fn refresh() {
        let begun = begin(0).await;
        keep(begun.rows);
        drop(TABLES[0].lock().await);
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn rest_of_a_struct() {
    #[diagnose]
    async fn refresh() {
        let begun = begin(1).await;
        keep(Transaction { number: 2, ..begun });
        drop(TABLES[1].lock().await);
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn guard_in_a_closure() {
    #[diagnose]
    async fn releaser() -> impl FnOnce() + Send {
        let rows = TABLES[2].lock().await;
        move || keep(rows)
    }
    #[diagnose]
    async fn refresh() {
        let release = releaser().await;
        release();
        drop(TABLES[2].lock().await);
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn behind_a_layer() {
    #[diagnose]
    async fn layer(table: usize) -> Transaction {
        begin(table).await
    }
    #[diagnose]
    async fn refresh() {
        let begun = layer(3).await;
        keep(begun);
        drop(TABLES[3].lock().await);
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn behind_a_name() {
    #[diagnose]
    async fn refresh() {
        let begun = begin(4).diagnose("begin").await;
        keep(begun);
        drop(TABLES[4].lock().await);
    }
    tokio::spawn(refresh()).await.unwrap();
}

async fn function_named_lock() {
    struct Database;
    impl Database {
        #[diagnose]
        async fn lock(&self, table: usize) -> Transaction {
            begin(table).await
        }
    }
    #[diagnose]
    async fn refresh(database: Database) {
        let begun = database.lock(5).await;
        assert_eq!(begun.number, 1);
        keep(begun.rows);
        drop(TABLES[5].lock().await);
    }
    tokio::spawn(refresh(Database)).await.unwrap();
}

async fn guard_of_an_arm() {
    #[diagnose]
    async fn refresh() {
        let rows = tokio::join!(TABLES[6].lock(), async { 1 }).0;
        keep(rows);
        drop(TABLES[6].lock().await);
    }
    joins(tokio::spawn(refresh())).await;
}

async fn guards_in_a_tuple() {
    #[diagnose]
    async fn refresh() {
        let both = tokio::join!(TABLES[7].lock(), TABLES[8].lock());
        let rows = both.0;
        keep(rows);
        drop(TABLES[7].lock().await);
    }
    joins(tokio::spawn(refresh())).await;
}

async fn guard_in_a_block() {
    #[diagnose]
    async fn refresh() {
        let begun = {
            let rows = TABLES[9].lock().await;
            Transaction { rows, number: 1 }
        };
        let rows = begun.rows;
        keep(rows);
        drop(TABLES[9].lock().await);
    }
    joins(tokio::spawn(refresh())).await;
}

async fn used_in_another_build() {
    trait Commit {
        fn commit(self);
    }
    impl Commit for MutexGuard<'static, u64> {
        fn commit(self) {
            keep(self);
        }
    }
    #[diagnose]
    async fn refresh() {
        let rows = TABLES[10].lock().await;
        #[cfg(not(miri))]
        rows.commit();
        #[cfg(miri)]
        drop(rows);
        drop(TABLES[10].lock().await);
    }
    joins(tokio::spawn(refresh())).await;
}

async fn transactions_in_place() {
    struct Lent<'a> {
        rows: MutexGuard<'a, u64>,
        changed: u64,
    }
    #[diagnose]
    async fn lend(table: &Mutex<u64>) -> Lent<'_> {
        let rows = table.lock().await; // holds
        Lent { rows, changed: 0 }
    }
    #[diagnose]
    async fn copy(from: Arc<Mutex<u64>>, to: Arc<Mutex<u64>>) {
        let mut lent = lend(&from).await;
        lent.changed += 1;
        sleep(ms(150)).await;
        *to.lock().await += 1; // waits
        *lent.rows += lent.changed;
    }
    let (one, two) = (Arc::default(), Arc::default());
    let there = tokio::spawn(copy(Arc::clone(&one), Arc::clone(&two)));
    let back = tokio::spawn(copy(two, one));
    there.await.unwrap();
    back.await.unwrap();
}
