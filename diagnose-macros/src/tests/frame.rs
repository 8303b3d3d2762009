#[diagnose(label = "{n}")]
#[track_caller]
fn parse(n: u32) -> u32 {
    #![allow(unused)]
    const ONE: u32 = 1;
    n + ONE
}
