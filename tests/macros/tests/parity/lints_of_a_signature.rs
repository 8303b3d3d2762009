#![warn(missing_docs, unreachable_pub)]
#![allow(dead_code)]
//! A program.

mod inner {
    #[allow(unused_imports)]
    use diagnose::diagnose;

    #[diagnose]
    pub async fn seven() -> u32 {
        7
    }

    #[diagnose]
    pub async fn nothing() {}

    #[diagnose]
    pub async fn bounded<T>(_: T)
    where
        T: Send,
    {
    }
}

fn main() {}
