//! Additions to the drawn flame graph: legend colors, a footer, a style for dark screens.
//!
//! ```text
//! title                 server: 32.2 s of wall time = 16 tasks × 2.01 s, …
//! legend                ■ [busy] …   ■ [idle] …            ← its squares get their colors here
//! details               the frame below the pointer
//! frames                ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
//! footer                lines, for which the page grows here
//! ```
//! The page is edited as text, at strings that occur in it once. If such a string is missing, the
//! page lacks that addition, but is still well-formed.

use std::fmt::Write;

use crate::view::View;

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// Okabe and Ito's orange.
pub(crate) const BUSY_COLOR: Rgb = [230, 159, 0];
/// Okabe and Ito's sky blue.
pub(crate) const IDLE_COLOR: Rgb = [86, 180, 233];
/// Okabe and Ito's yellow.
pub(crate) const QUEUED_COLOR: Rgb = [240, 228, 66];
/// The color of frames in which the recorder merged paths or labels over a limit.
pub(crate) const OTHER_COLOR: Rgb = [190, 190, 190];
/// The color behind the frames.
pub(crate) const BACKGROUND: Rgb = [255, 255, 255];

/// The height of a footer line, in pixels.
const LINE_HEIGHT: usize = 16;
/// The entry of the legend for the colors of functions, which has no colored square.
const PALE: &str = "functions: the pale color of their largest part";
/// The mark before the other entries of the legend.
const SQUARE: char = '■';

/// CSS rules that follow inferno's own. Any rule overrides attributes of the page, such as `fill`.
/// A thin line separates frames. Frames below 1 % of the width (`0.…%`) have none, because the line
/// would cover them.
const STYLE: &str = "
:root { color-scheme:light dark; }
#subtitle, .footer { fill:#555555; }
.footer { font-size:11px; }
#search { opacity:0.6; }
#frames > g > rect:not([width^='0.']) { stroke:#ffffff; stroke-width:0.5; }
#frames > g:hover > rect { stroke:#000000; }
@media (prefers-color-scheme: dark) {
  :root { background:#1b1b1d; }
  #background stop { stop-color:#1b1b1d; }
  #title, #details, #matched, #unzoom, #search { fill:#e6e6e6; }
  #subtitle, .footer { fill:#a8a8a8; }
  #frames > g > text { fill:#000000; }
  #frames > g > rect:not([width^='0.']) { stroke:#1b1b1d; }
  #frames > g:hover > rect { stroke:#ffffff; }
}
";

/// The subtitle, which explains the colors.
pub(crate) fn legend(view: View) -> String {
    let entries = match view {
        View::Wall => &["[busy] inside poll", "[idle] waiting", "[queued] woken, not polled yet", PALE][..],
        View::Time => &["[busy] inside poll", "[idle] between polls, waiting", PALE],
        View::Busy => &["[busy] inside poll, each function's own"],
        View::Idle => &["[idle] between polls, each function's own waiting"],
    };
    let square = |entry: &&str| if *entry == PALE { PALE.to_owned() } else { format!("{SQUARE} {entry}") };
    let entries: Vec<String> = entries.iter().map(square).collect();
    entries.join("\u{A0}\u{A0}\u{A0}")
}

/// The expressions with which inferno's script cuts a text, and the variable with its length.
const CUTS: [(&str, &str); 2] = [
    ("txt.substring(0, substringLength) + \"..\"", "substringLength"),
    ("txt.substring(0, x) + \"..\"", "x"),
];
/// Cuts a text as [`FrameBox`](super::frames) does.
const CUT: &str = "
function cut(txt, length) {
    txt = txt.trim();
    var head = length < 12 ? length : length >> 1;
    return txt.substring(0, head) + \"..\" + txt.substring(txt.length - (length - head));
}
";

/// Adds legend colors, footer and style, and lets the script cut texts in the middle.
pub(crate) fn dress(mut page: String, footer: &[String]) -> String {
    for (end, length) in CUTS {
        page = page.replacen(end, &format!("cut(txt, {length})"), 1);
    }
    insert_before(&mut page, "function update_text(", CUT);
    color_legend(&mut page);
    insert_before(&mut page, "</style>", STYLE);
    if let Some(height) = height(&page) {
        let taller = height + footer.len() * LINE_HEIGHT + LINE_HEIGHT / 2;
        page = page.replacen(&format!("height=\"{height}\""), &format!("height=\"{taller}\""), 1);
        page = page.replacen(
            &format!("viewBox=\"0 0 1200 {height}\""),
            &format!("viewBox=\"0 0 1200 {taller}\""),
            1,
        );
        page = page.replacen(
            &format!("width=\"100%\" height=\"{height}\""),
            "width=\"100%\" height=\"100%\"",
            1,
        );
        let lines = footer_lines(height, footer);
        insert_before(&mut page, "<svg id=\"frames\"", &lines);
    }
    page.push('\n');
    page
}

/// Colors each square of the legend like the leaf named after it.
fn color_legend(page: &mut String) {
    for (leaf, [red, green, blue]) in
        [("[busy]", BUSY_COLOR), ("[idle]", IDLE_COLOR), ("[queued]", QUEUED_COLOR)]
    {
        let colored = format!("<tspan style=\"fill:rgb({red},{green},{blue})\">{SQUARE}</tspan> {leaf}");
        *page = page.replacen(&format!("{SQUARE} {leaf}"), &colored, 1);
    }
}

/// The height of the page in pixels, from its first tag.
fn height(page: &str) -> Option<usize> {
    let (_, rest) = page.split_once(" height=\"")?;
    rest.split_once('"')?.0.parse().ok()
}

fn footer_lines(top: usize, footer: &[String]) -> String {
    let mut lines = String::new();
    for (line, y) in footer.iter().zip((top..).step_by(LINE_HEIGHT)) {
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "<text class=\"footer\" x=\"10\" y=\"{y}\">{}</text>", escape(line));
    }
    lines
}

fn insert_before(page: &mut String, place: &str, text: &str) {
    if let Some(at) = page.find(place) {
        page.insert_str(at, text);
    }
}

/// Escapes text for XML content.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
