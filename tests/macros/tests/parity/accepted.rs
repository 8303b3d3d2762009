#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

use std::fmt::Display;
use std::future::Future;
use std::pin::Pin;

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

struct View<'a>(&'a str);

impl<'a> View<'a> {
    #[diagnose]
    async fn two(&self, a: &str, _b: &mut String) -> usize {
        std::future::ready(self.0.len() + a.len()).await
    }

    #[diagnose]
    async fn borrowed(&self, _a: &str) -> &'a str {
        self.0
    }
}

#[diagnose]
async fn elided_in_path(view: View<'_>, other: &View<'_>) -> usize {
    view.0.len() + other.0.len()
}

#[diagnose]
async fn dynamic(a: bool) -> Box<dyn Display> {
    if a {
        return Box::new(1);
    }
    Box::new("text")
}

#[diagnose]
async fn fallible(a: &str) -> Result<Box<dyn Display>, Box<dyn std::error::Error>> {
    let number: u32 = a.parse()?;
    Ok(Box::new(number))
}

#[diagnose]
async fn pointers(a: u8) -> fn(u8) -> u8 {
    let _ = a;
    |b| b + 1
}

#[diagnose]
async fn nested_opaque(a: u32) -> Option<impl Display> {
    if a == 0 {
        return None;
    }
    Some(a)
}

#[diagnose]
async fn opaque(a: &str) -> impl Display {
    a.len()
}

#[diagnose]
async unsafe fn unchecked(a: *const u32) -> u32 {
    unsafe { *a }
}

#[diagnose]
async fn arguments(a: impl Display + Send, b: impl Fn(&str) -> usize) -> usize {
    std::future::ready(()).await;
    b(&a.to_string())
}

#[diagnose]
async fn recursive(a: u32) -> u32 {
    if a == 0 { 0 } else { Box::pin(recursive(a - 1)).await }
}

#[diagnose]
async fn temporary(a: std::sync::Mutex<Vec<u32>>) -> usize {
    let b = a.lock().unwrap().len();
    b
}

#[diagnose]
async fn inferred_collection(a: Vec<u32>) -> Vec<String> {
    let mut result = Vec::new();
    for b in a {
        result.push(b.to_string());
    }
    result.into_iter().collect()
}

#[diagnose]
async fn default_output<T: Default>() -> T {
    Default::default()
}

#[diagnose]
async fn diverges_in_the_end(a: u32) -> u32 {
    let _ = a;
    todo!()
}

#[diagnose]
async fn boxed(a: &str) -> Boxed<'_, usize> {
    Box::pin(async move { a.len() })
}

#[diagnose]
fn frame(a: &str) -> &str {
    a
}

#[diagnose]
async fn reference_to_opaque(a: &u32) -> &(impl Display + Sync) {
    a
}

#[diagnose]
async fn never_ending_closure() {
    let closure = async || -> ! {
        loop {
            std::future::ready(()).await;
        }
    };
    closure().await;
}

struct Executor(u32);

struct Job(Pin<Box<dyn Future<Output = u32>>>);

impl From<std::future::Ready<u32>> for Job {
    fn from(future: std::future::Ready<u32>) -> Self {
        Self(Box::pin(future))
    }
}

impl Executor {
    fn block_on<T>(&self, job: impl FnOnce(&Self) -> T) -> T {
        job(self)
    }
}

impl Job {
    fn block_on(&self, other: Job) -> u32 {
        let _ = (&self.0, other);
        1
    }
}

#[diagnose]
fn blocks_on_a_closure(executor: &Executor) -> u32 {
    executor.block_on(|executor| executor.0)
}

#[diagnose]
fn blocks_on_a_conversion(job: &Job) -> u32 {
    job.block_on(std::future::ready(1).into())
}

fn main() {}
