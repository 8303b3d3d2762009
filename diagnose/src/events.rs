//! Alarms and messages as events of `tracing` or records of `log`, instead of lines on stderr.
//!
//! ```text
//! feature `tracing`, and a global subscriber    an event with fields, target `diagnose`
//! else feature `log`, and a logger              a record with key-value pairs, target `diagnose`
//! else                                          a line on stderr
//! ```
//! Only one of them gets a message: a bridge between the two would show it twice. A feature may be
//! turned on by another crate of the program. So a program without subscriber and logger still sees
//! its alarms. All of this runs on the thread that otherwise writes to stderr: a logger that blocks
//! or panics delays and ends nothing else.
//!
//! | kind | level |
//! |---|---|
//! | a hang, a blocked runtime, a message that begins with "cannot" | error |
//! | any other alarm, a message about a setting that has no effect | warn |
//! | an alarm that is resolved, any other message | info |

use diagnose_reports::model::{Alarm, AlarmKind};

use crate::signal_mask::as_program;

/// A message for the people who run the program.
#[derive(Debug)]
pub(crate) enum Message {
    /// Lines, the first of which begins with `diagnose: `.
    Text(String),
    Alarm {
        alarm: Alarm,
        /// How long a resolved alarm lasted; empty for a new one.
        words: String,
    },
}

impl Message {
    /// Length in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Alarm { alarm, words } => alarm.text.len() + words.len(),
        }
    }

    /// The lines for stderr.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Alarm { alarm, words } if words.is_empty() => format!("diagnose: ALARM {}", alarm.text),
            Self::Alarm { alarm, words } => format!("diagnose: {words}: {}", alarm.sentence()),
        }
    }
}

#[cfg_attr(not(any(feature = "log", feature = "tracing")), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warn,
    Info,
}

/// Beginnings of messages that say that something was done.
const DONE: [&str; 3] = ["wrote ", "removed ", "serving "];

/// Returns the level of a message.
fn level(message: &Message) -> Level {
    match message {
        Message::Text(text) => {
            let text = text.strip_prefix("diagnose: ").unwrap_or(text);
            if DONE.iter().any(|done| text.starts_with(done)) {
                Level::Info
            } else if text.starts_with("cannot ") {
                Level::Error
            } else {
                Level::Warn
            }
        }
        Message::Alarm { words, .. } if !words.is_empty() => Level::Info,
        Message::Alarm { alarm, .. } => match alarm.kind {
            AlarmKind::Hang | AlarmKind::BlockedRuntime => Level::Error,
            _ => Level::Warn,
        },
    }
}

/// An alarm's fields.
#[cfg_attr(not(any(feature = "log", feature = "tracing")), allow(dead_code))]
#[derive(Debug, PartialEq, Eq)]
struct Fields {
    /// The sentence, without harmful characters.
    sentence: String,
    /// The other lines; empty if there are none.
    details: String,
    /// Ids of the tasks, with commas in between.
    tasks: String,
}

impl Fields {
    fn of(alarm: &Alarm, words: &str) -> Self {
        let text = diagnose_reports::clean_lines(&alarm.text).into_owned();
        let (sentence, details) = text.split_once('\n').unwrap_or((&text, ""));
        let sentence = if words.is_empty() { sentence.to_owned() } else { format!("{words}: {sentence}") };
        let tasks: Vec<String> = alarm.tasks.iter().map(ToString::to_string).collect();
        Self { sentence, details: details.to_owned(), tasks: tasks.join(",") }
    }
}

/// Passes the message on. Returns whether a subscriber or logger has taken it.
pub(crate) fn emit(message: &Message) -> bool {
    let level = level(message);
    match message {
        Message::Text(text) => {
            let text = text.strip_prefix("diagnose: ").unwrap_or(text);
            let text = diagnose_reports::clean_lines(text);
            as_program(|| traced_text(level, &text) || logged_text(level, &text))
        }
        Message::Alarm { alarm, words } => {
            let fields = Fields::of(alarm, words);
            as_program(|| traced_alarm(level, alarm, &fields) || logged_alarm(level, alarm, &fields))
        }
    }
}

/// Calls a macro of `tracing` or `log` by level: each level is a call site of its own.
#[cfg(any(feature = "log", feature = "tracing"))]
macro_rules! at_level {
    ($level:expr, $path:ident, $($argument:tt)*) => {
        match $level {
            Level::Error => ::$path::error!(target: "diagnose", $($argument)*),
            Level::Warn => ::$path::warn!(target: "diagnose", $($argument)*),
            Level::Info => ::$path::info!(target: "diagnose", $($argument)*),
        }
    };
}

/// Returns whether the program has a global subscriber. One that is set for a thread does not
/// count: these events come from a thread of this crate.
#[cfg(feature = "tracing")]
fn has_subscriber() -> bool {
    ::tracing::dispatcher::get_default(|dispatch| !dispatch.is::<::tracing::subscriber::NoSubscriber>())
}

#[cfg(feature = "tracing")]
fn traced_text(level: Level, text: &str) -> bool {
    let is_taken = has_subscriber();
    if is_taken {
        at_level!(level, tracing, "{text}");
    }
    is_taken
}

#[cfg(feature = "tracing")]
fn traced_alarm(level: Level, alarm: &Alarm, fields: &Fields) -> bool {
    let is_taken = has_subscriber();
    if is_taken {
        at_level!(
            level,
            tracing,
            kind = alarm.kind.name(),
            tasks = fields.tasks.as_str(),
            at_unix_ms = alarm.at_unix_ms,
            resolved_at_unix_ms = alarm.resolved_at_unix_ms,
            details = fields.details.as_str(),
            "{}",
            fields.sentence
        );
    }
    is_taken
}

#[cfg(not(feature = "tracing"))]
fn traced_text(_level: Level, _text: &str) -> bool {
    false
}

#[cfg(not(feature = "tracing"))]
fn traced_alarm(_level: Level, _alarm: &Alarm, _fields: &Fields) -> bool {
    false
}

/// Returns whether the program has a logger: without one, the level is off.
#[cfg(feature = "log")]
fn has_logger() -> bool {
    ::log::max_level() != ::log::LevelFilter::Off
}

#[cfg(feature = "log")]
fn logged_text(level: Level, text: &str) -> bool {
    let is_taken = has_logger();
    if is_taken {
        at_level!(level, log, "{text}");
    }
    is_taken
}

#[cfg(feature = "log")]
fn logged_alarm(level: Level, alarm: &Alarm, fields: &Fields) -> bool {
    let is_taken = has_logger();
    if is_taken {
        at_level!(
            level,
            log,
            kind = alarm.kind.name(),
            tasks = fields.tasks.as_str(),
            at_unix_ms = alarm.at_unix_ms,
            resolved_at_unix_ms = alarm.resolved_at_unix_ms.unwrap_or(0),
            details = fields.details.as_str();
            "{}",
            fields.sentence
        );
    }
    is_taken
}

#[cfg(not(feature = "log"))]
fn logged_text(_level: Level, _text: &str) -> bool {
    false
}

#[cfg(not(feature = "log"))]
fn logged_alarm(_level: Level, _alarm: &Alarm, _fields: &Fields) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use diagnose_reports::model::{Alarm, TaskId};

    use super::{Fields, Level, Message, level};

    #[test]
    fn a_message_has_the_level_of_its_meaning() {
        let text = |text: &str| level(&Message::Text(text.to_owned()));
        assert_eq!(text("diagnose: wrote /tmp/x.svg"), Level::Info);
        assert_eq!(text("diagnose: cannot start the watchdog thread: no"), Level::Error);
        assert_eq!(text("diagnose: ignoring DIAGNOSE_X: there is no such setting"), Level::Warn);
        let alarm = |words: &str| {
            level(&Message::Alarm { alarm: Alarm::from("it hangs".to_owned()), words: words.to_owned() })
        };
        assert_eq!((alarm(""), alarm("over after 1 s")), (Level::Warn, Level::Info));
    }

    #[test]
    fn fields_contain_no_terminal_escapes() {
        let mut alarm = Alarm::from("task `\u{1b}[2J` hangs\n  at a.rs:1".to_owned());
        alarm.tasks = vec![TaskId::new(7), TaskId::new(9)];
        let fields = Fields::of(&alarm, "");
        assert!(!fields.sentence.contains('\u{1b}'), "{fields:?}");
        assert_eq!((fields.details.as_str(), fields.tasks.as_str()), ("  at a.rs:1", "7,9"));
        assert!(Fields::of(&alarm, "over after 1 s").sentence.starts_with("over after 1 s: task "));
    }
}
