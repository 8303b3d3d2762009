//! The command as a child process: every subcommand, bad input, pipes, colors and exit statuses.

mod bad_input;
mod basics;
mod comparing;
#[cfg(target_os = "linux")]
mod dumping;
mod explaining;
mod growing;
mod reading;
#[cfg(unix)]
mod running;
mod schema;
mod support;
