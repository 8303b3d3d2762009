//! Builds the page from the skeleton, the style, the script and the data.

use std::io::{self, BufWriter, Write as _};

use super::assets::{SKELETON, script, style};
use super::block::Block;
use super::data;
use crate::clean::printable;
use crate::model::Snapshot;
use crate::view::View;

/// Number of bytes that are compressed at once.
const BUFFER: usize = 64 << 10;

/// Renders the page of a snapshot. The view decides which times the page shows first.
pub(crate) fn render(snapshot: &Snapshot, view: View) -> io::Result<String> {
    page(snapshot, view, false)
}

/// Renders the live page, which first shows `snapshot`, and then fetches the saved snapshot
/// `snapshot.json` every second.
pub(crate) fn render_live(snapshot: &Snapshot) -> io::Result<String> {
    page(snapshot, View::default(), true)
}

fn page(snapshot: &Snapshot, view: View, is_live: bool) -> io::Result<String> {
    let mut block = BufWriter::with_capacity(BUFFER, Block::new());
    data::write(snapshot, &mut block)?;
    block.flush()?;
    let block = block.into_inner().map_err(io::IntoInnerError::into_error)?;
    let name = printable(&snapshot.process.name);
    let title = if name.is_empty() { "diagnose".to_owned() } else { escape(&name) };
    let fields = [
        ("connect", if is_live { "'self'" } else { "'none'" }.to_owned()),
        ("title", title),
        ("style", style()),
        ("live", is_live.to_string()),
        ("view", word(view).to_owned()),
        ("data", block.finish()?),
        ("script", script()),
    ];
    Ok(fill(SKELETON, &fields))
}

/// The name of a view in the page.
fn word(view: View) -> &'static str {
    match view {
        View::Wall | View::Time => "wall",
        View::Busy => "busy",
        View::Idle => "idle",
    }
}

/// Replaces each `{{name}}` of the skeleton. The inserted values are not searched.
fn fill(skeleton: &str, fields: &[(&str, String)]) -> String {
    let length: usize = fields.iter().map(|(_, value)| value.len()).sum();
    let mut page = String::with_capacity(skeleton.len() + length);
    let mut parts = skeleton.split("{{");
    page.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (name, rest) = part.split_once("}}").unwrap_or((part, ""));
        let value = fields.iter().find(|(known, _)| *known == name);
        page.push_str(value.map_or("", |(_, value)| value));
        page.push_str(rest);
    }
    page
}

/// Escapes text for the content of an element.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
