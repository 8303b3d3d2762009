#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

#[diagnose]
async fn argument(a: u32, b: u32) -> u32 {
    b
}

#[diagnose]
async fn mutable(a: u32, mut b: u32) -> u32 {
    b
}

#[diagnose]
async fn pattern((a, mut b): (u32, u32), [c, ..]: [u32; 2], d: u32, mut e: u32, mut f: u32) -> u32 {
    e += 1;
    a + e + f
}

#[diagnose]
async fn only_a_field(count: u32, of: (u32, std::ops::Range<u32>)) -> u32 {
    of.1.count() as u32
}

#[diagnose]
async fn in_a_string(name: &str, other: &str) -> String {
    format!("{name} others")
}

#[diagnose]
async fn underscored(_a: u32, _: u32) {}

#[diagnose]
async fn levels(
    #[allow(unused_variables)] a: u32,
    #[expect(unused_variables)] b: u32,
    #[allow(unused_variables)] (c, d): (u32, u32),
    #[expect(unused_variables)] e: u32,
    #[expect(unused_variables)] f: u32,
) -> u32 {
    f
}

#[diagnose]
async fn local() {
    let a = 1;
    let mut b = 2;
    let _ = b;
}

#[diagnose]
fn frame(a: u32, mut b: u32) -> u32 {
    b
}

struct S;

impl S {
    #[diagnose]
    async fn method(&self, a: u32) {}

    #[diagnose]
    async fn mutable_self(mut self) {}
}

#[diagnose]
#[expect(unused_assignments)]
async fn expected(mut a: u32) -> u32 {
    a = 1;
    a = 2;
    std::future::ready(a).await
}

#[diagnose]
#[warn(unused_assignments)]
async fn asked_for(mut a: u32) -> u32 {
    let b = a;
    a = 2;
    std::future::ready(b).await
}

#[diagnose]
#[forbid(unused_assignments)]
async fn forbidden(mut a: u32) -> u32 {
    a += 1;
    std::future::ready(a).await
}

#[diagnose]
#[expect(unreachable_code)]
async fn never() -> ! {
    loop {}
    std::future::ready(1).await;
}

fn main() {}
