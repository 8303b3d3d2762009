//! Arms of one task: one of them sets a future aside that has what it waits for, and the others go
//! on.

use std::pin::pin;

use diagnose::{FutureExt as _, diagnose};

use super::ms;
use crate::drop_in::tokio;
use crate::row::{Section, likely, row};
use tokio::sync::Mutex;
use tokio::time::{interval, sleep, timeout};

pub(super) const SECTION: Section = Section {
    file: file!(),
    text: include_str!("arms.rs"),
    rows: &[
        row!(
            "X18",
            guard_set_aside_in_an_arm,
            "a future with the lock is set aside in an arm of a join!, whose other arm ticks"
        )
        .is(likely("futurelock").detail("holding")),
        row!(
            "Y16",
            guard_set_aside_under_a_timeout,
            "a future with the lock is set aside in an arm of a join!, under a timeout"
        ),
        row!(
            "Y17",
            guard_set_aside_in_a_select,
            "a future with the lock is set aside in an arm of a select!, whose other arm ends"
        ),
        row!("Y18", guard_set_aside_for_a_while, "an arm of a join! sets a future aside, and polls it again"),
    ],
};

async fn ticks() {
    let mut interval = interval(ms(10));
    loop {
        interval.tick().await;
    }
}

#[diagnose]
async fn keep(lock: &Mutex<()>) {
    let _guard = lock.lock().await;
    sleep(ms(600)).await;
}

/// Waits for the lock that a future has which it has set aside.
#[diagnose]
async fn lock_twice(lock: &Mutex<()>) {
    let mut first = pin!(keep(lock));
    tokio::select! {
        biased; () = &mut first => {}
        () = sleep(ms(10)) => {
            let _guard = lock.lock().await;
        }
    }
}

#[diagnose]
async fn guard_set_aside_in_an_arm() {
    let lock = Mutex::new(());
    let works = async {
        let slow = async {
            let _guard = lock.lock().await; // holds
            sleep(ms(6_000)).await;
        };
        let mut slow = pin!(slow.diagnose("slow"));
        tokio::select! {
            biased; () = &mut slow => {}
            () = sleep(ms(10)) => {
                let _guard = lock.lock().await; // waits
            }
        }
    };
    let ticks = ticks();
    tokio::join!(works, ticks);
}

#[diagnose]
async fn guard_set_aside_under_a_timeout() {
    let lock = Mutex::new(());
    let both = async {
        let (works, ticks) = (lock_twice(&lock), ticks());
        tokio::join!(works, ticks);
    };
    timeout(ms(1_200), both).await.unwrap_err();
}

#[diagnose]
async fn guard_set_aside_in_a_select() {
    let lock = Mutex::new(());
    let both = async {
        tokio::select! {
            () = lock_twice(&lock) => {}
            () = sleep(ms(1_200)) => {}
        }
    };
    let ends = sleep(ms(50));
    tokio::join!(both, ends);
}

#[diagnose]
async fn guard_set_aside_for_a_while() {
    let lock = Mutex::new(());
    let works = async {
        let mut first = pin!(keep(&lock));
        let is_done = tokio::select! {
            biased; () = &mut first => true,
            () = sleep(ms(10)) => false,
        };
        sleep(ms(1_200)).await;
        if !is_done {
            first.await;
        }
    };
    let waits = async {
        sleep(ms(20)).await;
        let _guard = lock.lock().await;
    };
    tokio::join!(works, waits);
}
