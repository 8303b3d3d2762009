//! Installs settings that are partly refused, and prints what each attempt returned.

use std::time::{Duration, Instant};

use diagnose::{Builder, Format, Signal};

fn say(attempt: &str, result: Result<(), diagnose::InstallError>) {
    match result {
        Ok(()) => println!("{attempt}: ok"),
        Err(error) => println!("{attempt}: {error}"),
    }
}

/// Requests a dump with a trigger file after the program has left the folder of its settings.
fn moves() {
    let settings = Builder::new().signal(None).formats([Format::Text]).dir("dumps").trigger("please");
    say("moves", settings.on_exit(true).try_install());
    let first = std::env::current_dir().expect("a folder");
    std::env::set_current_dir("elsewhere").expect("the test has made it");
    let (trigger, dumps) = (first.join("please"), first.join("dumps"));
    std::fs::write(&trigger, "").expect("the folder can be written to");
    let end = Instant::now() + Duration::from_secs(30);
    // The dump at exit waits for a dump that is being written.
    while std::fs::read_dir(&dumps).into_iter().flatten().next().is_none() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    println!("accepted: {}", !trigger.exists());
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let settings = Builder::new().signal(None).on_exit(true);
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
        Some("repeated") => {
            let settings = settings.formats([Format::Text, Format::Json, Format::Text]).keep(1, u64::MAX);
            say("repeated", settings.try_install());
        }
        Some("empty") => {
            say("empty", settings.formats([Format::Text; 0]).only(" , ").try_install());
        }
        Some("moves") => moves(),
        _ => {
            say("no folder", Builder::new().dir("/dev/null/dumps").try_install());
        }
    }
}
