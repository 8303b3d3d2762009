//! An interruption by the watchdog never ends a program, wherever it arrives.
#![cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn a_thread_is_interrupted_anywhere_and_goes_on() {
    diagnose_isolation::isolated!();
    let count = diagnose_abuse_tests::times(5_000);
    let mut command = command(env!("CARGO_BIN_EXE_interrupts"));
    let output = output(command.arg(count.to_string()), Duration::from_secs(300 + count / 100));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{:?} {text}", output.status);
    let number = |key: &str| {
        let value = text.split_whitespace().skip_while(|word| *word != key).nth(1);
        value.and_then(|value| value.parse::<u64>().ok()).unwrap_or_else(|| panic!("{key} in {text:?}"))
    };
    assert!(number("count") >= count);
    // Every hundredth interruption unwinds the stack, past the interrupted function.
    // Without its handler, the signal would end the program.
    assert_eq!(number("after_reset"), 0);
    assert!(number("unwound") > count / 200 && number("frames") > 5 * number("unwound"), "{text}");
}
