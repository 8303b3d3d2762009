//! Labels come and go under load: sums stay exact, memory is bounded, and the users of today have
//! one.

use std::time::Duration;

use diagnose_abuse_tests::child::{command, output};

#[test]
fn labels_of_a_server_whose_users_change_are_exact_and_bounded() {
    diagnose_isolation::isolated!();
    let output = output(&mut command(env!("CARGO_BIN_EXE_labels")), Duration::from_secs(240));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let numbers: Vec<u64> = text.split_whitespace().map(|it| it.parse().expect("a number")).collect();
    let [resident, made, calls, ended, labeled] = numbers[..] else { panic!("{text}") };
    assert_eq!((calls, ended), (made, made), "no call is lost, and none counts twice");
    // A kilobyte for each call would be 400 MB more.
    assert!(resident < 250_000_000, "{resident} bytes");
    assert!(labeled >= 200, "{labeled} of the last 400 users have a label");
}
