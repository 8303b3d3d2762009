#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;
use std::future::ready;

async fn forever() -> ! {
    loop {
        ready(()).await
    }
}

fn setup() {}

#[diagnose]
async fn last_statement() {
    setup();
    forever().await;
}

#[diagnose]
async fn after_an_early_return(early: bool) {
    if early {
        return;
    }
    setup();
    forever().await;
}

#[diagnose]
async fn in_a_branch(early: bool) {
    if early {
        setup();
        forever().await;
    }
    setup();
}

#[diagnose]
async fn in_an_arm(number: u32) {
    match number {
        0 => {
            setup();
            forever().await;
        }
        _ => setup(),
    }
}

#[diagnose]
async fn in_a_loop() {
    loop {
        setup();
        forever().await;
    }
}

#[diagnose]
async fn in_let_else(number: Option<u32>) -> u32 {
    let Some(number) = number else {
        setup();
        forever().await;
    };
    number
}

#[diagnose]
async fn in_a_block() {
    let block = async {
        setup();
        forever().await;
    };
    block.await
}

fn main() {}
