#[allow(unused_imports)]
use diagnose::diagnose;
use std::future::{Future, ready};
use std::rc::Rc;

trait Store {
    #[allow(async_fn_in_trait)]
    async fn get(&self) -> u32;
    #[allow(async_fn_in_trait)]
    async fn all(&self) -> Vec<u32>;
    fn shared(&self) -> impl Future<Output = u32> + Send;
}

struct Memory;

impl Store for Memory {
    #[diagnose]
    async fn get(&self) -> String {
        ready(String::new()).await
    }

    #[diagnose]
    async fn all(&self) -> Vec<u64> {
        vec![ready(1).await]
    }

    #[diagnose]
    async fn shared(&self) -> u32 {
        let number = Rc::new(1);
        ready(()).await;
        *number
    }
}

#[diagnose]
async fn longer<'a>(a: &'a str, b: &str) -> &'a str {
    ready(()).await;
    if a.len() > b.len() {
        return a;
    }
    b
}

fn main() {}
