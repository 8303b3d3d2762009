//! The command as a child process: every subcommand, bad input, pipes, colors and exit statuses.

mod bad_input;
mod basics;
mod comparing;
mod reading;
mod support;
