//! Colors the lines of text reports by their first words.
//!
//! Reports contain no escape sequences, and colors add no information. So a line is colored as a
//! whole or up to its first word, and its text never changes.

use clap::builder::styling::{AnsiColor, Style};

/// Lines that begin with one of these words, after spaces and the number of a finding.
const WORDS: [(&[&str], Style); 4] = [
    (&["verdict:", "stuck", "ALARM", "DROPPED:", "slower"], AnsiColor::Red.on_default().bold()),
    (&["slow", "waste", "risk", "warning:", "unsure"], AnsiColor::Yellow.on_default().bold()),
    (&["faster", "fix:"], AnsiColor::Green.on_default()),
    (&["note", "likely", "suspect"], AnsiColor::Cyan.on_default()),
];

/// Headings: lines in capitals, and lines above a table.
const HEADING: Style = Style::new().bold();
/// Headings that are not in capitals.
const HEADINGS: [&str; 1] = ["tasks:"];

/// Colors each line of a report.
pub(crate) fn paint(text: &str) -> String {
    let mut painted = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        paint_line(&mut painted, line);
        painted.push_str(end);
    }
    painted
}

fn paint_line(painted: &mut String, line: &str) {
    let is_number = |c: char| c == ' ' || c.is_ascii_digit();
    let start = line.len() - line.trim_start_matches(is_number).len();
    let (before, rest) = line.split_at(start);
    let word = rest.split(' ').next().unwrap_or_default();
    let style = WORDS.iter().find(|(words, _)| words.contains(&word)).map(|(_, style)| *style);
    // A row of a table may begin with a unit, so a word counts only in the first columns.
    if let Some(style) = style.filter(|_| start <= 4) {
        painted.push_str(before);
        styled(painted, style, word);
        painted.push_str(&rest[word.len()..]);
    } else if is_heading(line) {
        styled(painted, HEADING, line);
    } else {
        painted.push_str(line);
    }
}

fn styled(painted: &mut String, style: Style, text: &str) {
    painted.push_str(&style.render().to_string());
    painted.push_str(text);
    painted.push_str(&style.render_reset().to_string());
}

fn is_heading(line: &str) -> bool {
    let first = line.split([' ', ',', ':']).next().unwrap_or_default();
    let is_capital = first.len() > 2 && first.chars().all(|c| c.is_ascii_uppercase());
    is_capital || HEADINGS.iter().any(|heading| line.starts_with(heading))
}
