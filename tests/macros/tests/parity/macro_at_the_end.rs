#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;
use std::cell::RefCell;
use std::future::ready;

macro_rules! statements {
    ($($tokens:tt)*) => {
        $($tokens)*
    };
}

#[diagnose]
async fn statements_at_the_end(text: &RefCell<String>) -> usize {
    if text.borrow().is_empty() {
        statements! {
            let one = ready(1).await;
            text.borrow_mut().push_str(&one.to_string());
        }
    }
    statements! {
        let by = ready(1).await;
        text.borrow().len() + by
    }
}

#[diagnose]
async fn temporary_of_the_value(text: &RefCell<String>) -> usize {
    let length = {
        statements! { drop(ready(1).await); text.borrow().as_str() }
    }
    .len();
    length
}

#[diagnose]
async fn borrows_a_local() -> usize {
    let text = RefCell::new(String::new());
    statements! { drop(ready(1).await); text.borrow().len() }
}

#[diagnose]
async fn never_ends() -> u32 {
    statements! { drop(ready(1).await); loop {} }
}

#[diagnose]
async fn returns(early: bool) -> u32 {
    if early {
        statements! { let one = ready(1).await; return one; }
    }
    statements! { return ready(1).await; }
}

#[diagnose]
async fn after_the_end() -> u32 {
    statements! { return ready(1).await; drop(1) }
}

#[diagnose]
async fn wrong_value() -> u32 {
    statements! { let one = ready(1).await; drop(one); }
}

#[diagnose]
async fn unused(text: &str) {
    let _ = text;
    {
        #[allow(unused_variables)]
        statements! { let unused = ready(1).await; }
    }
    statements! { let unused = ready(1).await; }
}

fn main() {}
