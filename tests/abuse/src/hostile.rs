//! Hostile text: control sequences and invisible or reordered characters.

/// Terminal control sequences, C1 controls, zero-width and bidirectional characters, a tag, and a
/// forged line.
pub const HOSTILE: &str = "a\u{1B}[2J\u{7F}\u{85}\u{9B}31m\u{61C}\u{200B}\u{200F}\u{202E}\u{2066}\u{2029}\u{FEFF}\u{E0041}\r\nFORGED";

/// The hostile characters that reached the output.
#[must_use]
pub fn passed(text: &str) -> Vec<char> {
    let is_hostile =
        |c: &char| c.is_control() && !matches!(c, '\n' | '\t') || !c.is_ascii() && HOSTILE.contains(*c);
    text.chars().filter(is_hostile).collect()
}
