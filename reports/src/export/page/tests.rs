//! Checks the parts of the page that need no browser. `tests/page/run` checks the rest in Chromium.

use std::collections::BTreeMap;

use super::assets::{SCRIPTS, STYLES, script, style};
use super::{render, render_live};
use crate::model::{Node, NodeIndex, Site, Snapshot, Task, TaskId, VERSION};
use crate::view::View;

/// The largest page without data.
const MAX_BYTES: usize = 300_000;
/// The lowest contrast of text that the Web Content Accessibility Guidelines allow.
const MIN_CONTRAST: f64 = 4.5;

fn snapshot(name: &str) -> Snapshot {
    let mut snapshot = Snapshot { version: VERSION, elapsed_ns: 2_000_000_000, ..Snapshot::default() };
    name.clone_into(&mut snapshot.process.name);
    snapshot.sites.push(Site { name: name.to_owned(), module: name.to_owned(), ..Site::default() });
    let node =
        |parent| Node { parent, calls: 3, busy_ns: 70, label: Some(name.to_owned()), ..Node::default() };
    snapshot.nodes = vec![node(None), node(Some(NodeIndex::default()))];
    for id in 1..2_000 {
        let mut task = Task::default();
        (task.id, task.label) = (TaskId::new(id), Some(name.into()));
        snapshot.tasks.push(task);
    }
    snapshot.alarms.push(name.to_owned().into());
    snapshot
}

fn page(name: &str) -> String {
    render(&snapshot(name), View::default()).unwrap()
}

/// The text of the data element.
fn block(page: &str) -> &str {
    let start = page.find("<script type=\"text/plain\"").unwrap();
    let start = start + page[start..].find('>').unwrap() + 1;
    &page[start..start + page[start..].find('<').unwrap()]
}

/// The data as JSON.
fn data(page: &str) -> serde_json::Value {
    let digits = block(page).bytes().filter(|&byte| byte != b'=').map(|byte| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no digit of base64"),
    });
    let digits: Vec<u8> = digits.collect();
    let bytes = digits.chunks(4).flat_map(|group| {
        let bits =
            group.iter().fold(0_u32, |bits, &digit| bits << 6 | u32::from(digit)) << (6 * (4 - group.len()));
        bits.to_be_bytes()[1..group.len()].to_vec()
    });
    let bytes: Vec<u8> = bytes.collect();
    serde_json::from_reader(flate2::read::DeflateDecoder::new(&bytes[..])).unwrap()
}

#[test]
fn equal_snapshots_give_equal_pages() {
    assert_eq!(page("server"), page("server"));
    assert_ne!(page("server"), page("client"));
}

#[test]
fn a_page_without_data_is_small_and_needs_no_network() {
    let page = render(&Snapshot::default(), View::default()).unwrap();
    assert!(page.len() < MAX_BYTES, "{} bytes", page.len());
    assert!(page.contains("default-src 'none'") && page.contains("connect-src 'none'"));
    let addresses = page.match_indices("://").map(|(at, _)| &page[at - 5..at + 20]);
    let foreign: Vec<&str> = addresses.filter(|address| !address.contains("www.w3.org")).collect();
    assert_eq!(foreign, [""; 0]);
    for mark in ["src=", "@import", "url(", "{{"] {
        let known =
            page.matches(mark).count() - page.matches("`url(#arrow").count() * usize::from(mark == "url(");
        assert_eq!(known, 0, "{mark}");
    }
}

#[test]
fn a_live_page_may_only_ask_its_own_server() {
    let live = render_live(&snapshot("server")).unwrap();
    assert!(live.contains("data-live=\"true\"") && live.contains("connect-src 'self'"));
    assert!(!page("server").contains("data-live=\"true\""));
}

#[test]
fn the_view_of_the_name_is_shown_first() {
    let shown = |view| render(&snapshot("server"), view).unwrap();
    assert!(shown(View::Busy).contains("data-view=\"busy\""));
    assert!(shown(View::Wall).contains("data-view=\"wall\""));
}

#[test]
fn no_name_leaves_the_title_and_the_data() {
    for name in
        ["</script><script>alert(1)</script>", "<!--<script>", "\"'&<>`${x}{{data}}", "a\u{202e}b\nc\0"]
    {
        let page = page(name);
        assert_eq!(page.matches("<script").count(), 2, "{name}");
        assert_eq!(page.matches("</script>").count(), 2, "{name}");
        assert_eq!(page.matches("</title>").count(), 1, "{name}");
        assert!(!page.contains(name) && !page.contains("alert(1)</script>"), "{name}");
        let data = data(&page);
        assert_eq!(data["process"]["name"], *name);
        assert_eq!(data["sites"][0]["name"], *name);
        assert_eq!(data["nodes"]["labels"][0], *name);
    }
}

#[test]
fn the_data_has_every_field_that_a_saved_snapshot_has() {
    // The fields that no view shows.
    const LEFT_OUT: [&str; 5] =
        ["long_poll_ns", "foreign_threads", "unrecorded_tasks", "is_all_recorded", "lock_order"];
    let saved = serde_json::to_value(snapshot("server")).unwrap();
    let shown = data(&page("server"));
    let missing = saved.as_object().unwrap().keys().filter(|name| {
        !LEFT_OUT.contains(&name.as_str()) && shown.get(name.as_str()).is_none_or(serde_json::Value::is_null)
    });
    let missing: Vec<&String> = missing.collect();
    assert!(missing.is_empty(), "add to `data.rs`: {missing:?}");
    assert!(shown["findings"].is_array() && shown["verdicts"].is_array());
    assert_eq!(shown["nodes"]["parent"], serde_json::json!([-1, 0]));
    assert_eq!(shown["nodes"]["calls"], serde_json::json!([3, 3]));
    assert!(shown["tasks"]["shapes"].is_array(), "long lists are folded");
}

#[test]
fn the_data_says_whether_the_snapshot_is_merged() {
    let merged = Snapshot { merged: 2, ..snapshot("server") };
    assert_eq!(data(&render(&merged, View::default()).unwrap())["merged"], 2);
    assert_eq!(data(&page("server"))["merged"], 0);
}

#[test]
fn names_of_the_scripts_are_unique_and_no_import_is_left() {
    let mut names = BTreeMap::<String, usize>::new();
    for script in SCRIPTS {
        for line in script.lines() {
            let line = line.strip_prefix("export ").unwrap_or(line);
            let line = line.strip_prefix("async ").unwrap_or(line);
            let declared =
                ["const ", "let ", "function ", "function* "].iter().find_map(|word| line.strip_prefix(word));
            let name: String = declared
                .unwrap_or_default()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            if !name.is_empty() {
                *names.entry(name).or_default() += 1;
            }
        }
    }
    assert!(names.len() > 100, "{} names", names.len());
    names.retain(|_, count| *count > 1);
    assert!(names.is_empty(), "all scripts share one module: {names:?}");
    let script = script();
    assert!(!script.contains("\nimport ") && !script.contains("\nexport "));
}

#[test]
fn text_is_never_set_as_markup() {
    for sink in [
        "innerHTML",
        "outerHTML =",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "srcdoc",
    ] {
        assert!(SCRIPTS.iter().all(|script| !script.contains(sink)), "{sink}");
    }
}

#[test]
fn the_sources_are_small_files() {
    for source in SCRIPTS.iter().chain(&STYLES) {
        assert!(source.lines().count() <= 300);
        assert!(source.starts_with("//") || source.starts_with("/*"), "each says what it is");
    }
}

/// The colors of a theme by name. The first block has the colors of both themes.
fn colors(theme: &str) -> BTreeMap<String, [f64; 3]> {
    let style = style();
    let mut colors = BTreeMap::new();
    for selector in [":root {", theme] {
        let start = style.find(selector).unwrap_or_else(|| panic!("{selector} is in the style"));
        let block = &style[start..start + style[start..].find('}').unwrap()];
        for entry in block.split(';').filter_map(|entry| entry.split_once("--")?.1.split_once(": #")) {
            let channel =
                |at: usize| f64::from(u8::from_str_radix(&entry.1.trim()[at..at + 2], 16).unwrap()) / 255.0;
            colors.insert(entry.0.to_owned(), [channel(0), channel(2), channel(4)]);
        }
    }
    colors
}

fn contrast(a: [f64; 3], b: [f64; 3]) -> f64 {
    let linear = |c: f64| if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    let light =
        |[red, green, blue]: [f64; 3]| 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    let (a, b) = (light(a) + 0.05, light(b) + 0.05);
    a.max(b) / a.min(b)
}

#[test]
fn every_text_has_enough_contrast_in_both_themes() {
    let grounds = ["bg", "panel", "raised"];
    let frames = ["frame-1", "frame-2", "frame-3"];
    let meanings = ["busy", "wait", "queued", "cancelled", "stuck", "calls"];
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for text in ["text", "dim", "accent", "stuck-text"] {
        pairs.extend(grounds.map(|ground| (text, ground)));
    }
    for text in ["frame-text", "frame-dim"] {
        pairs.extend(frames.map(|ground| (text, ground)));
    }
    pairs.extend(meanings.map(|ground| ("on-color", ground)));
    pairs.push(("on-accent", "accent"));
    for theme in [
        ":root[data-theme=\"light\"] {",
        ":root[data-theme=\"dark\"] {",
        ":root:not([data-theme=\"light\"]) {",
    ] {
        let colors = colors(theme);
        for (text, ground) in &pairs {
            let contrast = contrast(colors[*text], colors[*ground]);
            assert!(contrast >= MIN_CONTRAST, "{theme} {text} on {ground}: {contrast:.2}");
        }
    }
}
