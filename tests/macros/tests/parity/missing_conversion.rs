#![allow(dead_code)]
#[allow(unused_imports)]
use diagnose::diagnose;

struct Mine;

#[diagnose]
async fn parse(text: &str) -> Result<u32, Mine> {
    let number: u32 = text.parse()?;
    Ok(number)
}

#[diagnose]
async fn no_result(text: &str) -> u32 {
    let number: u32 = text.parse()?;
    number
}

#[diagnose]
async fn unit(text: &str) {
    let _: u32 = text.parse()?;
}

fn main() {}
