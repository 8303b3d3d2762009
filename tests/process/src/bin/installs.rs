//! Installs settings that are partly refused, and prints what each attempt returned.

use diagnose::{Builder, Signal};

fn say(attempt: &str, result: Result<(), diagnose::InstallError>) {
    match result {
        Ok(()) => println!("{attempt}: ok"),
        Err(error) => println!("{attempt}: {error}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("twice") => {
            say("first", Builder::new().try_install());
            say("second", Builder::new().signal(Signal::Usr2).try_install());
            say("replaced", Builder::new().signal(Signal::Usr2).reinstall());
            say("back", Builder::new().reinstall());
            diagnose::install();
        }
        Some("often") => {
            for _ in 0..1_000 {
                Builder::new().reinstall().expect("it can be replaced");
            }
        }
        Some("taken") => {
            let kind = tokio::signal::unix::SignalKind::user_defined1();
            let _handler = tokio::signal::unix::signal(kind).expect("a handler for SIGUSR1");
            say("taken", Builder::new().try_install());
            say("another", Builder::new().signal(Signal::Usr2).reinstall());
        }
        Some("several") => {
            // Three parts fail, none of which depends on the others.
            let kind = tokio::signal::unix::SignalKind::user_defined1();
            let _handler = tokio::signal::unix::signal(kind).expect("a handler for SIGUSR1");
            say("several", Builder::new().dir("/dev/null/dumps").serve("/dev/null/socket").try_install());
        }
        _ => {
            say("no folder", Builder::new().dir("/dev/null/dumps").try_install());
        }
    }
}
