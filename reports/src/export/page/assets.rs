//! The style and the script of the page, from their source files.
//!
//! Each script is an ES module, with one import per line. The page combines them into one module,
//! without the import lines and the word `export`.

/// The skeleton; `{{name}}` marks a place to fill in.
pub(super) const SKELETON: &str = include_str!("html/page.html");

/// The style sheets, in order.
pub(super) const STYLES: [&str; 5] = [
    include_str!("css/theme.css"),
    include_str!("css/layout.css"),
    include_str!("css/flame.css"),
    include_str!("css/views.css"),
    include_str!("css/print.css"),
];

/// The modules, in import order: each comes after the modules that it imports.
pub(super) const SCRIPTS: [&str; 23] = [
    include_str!("js/units.js"),
    include_str!("js/dom.js"),
    include_str!("js/unpack.js"),
    include_str!("js/snapshot.js"),
    include_str!("js/model.js"),
    include_str!("js/frames.js"),
    include_str!("js/functions_data.js"),
    include_str!("js/state.js"),
    include_str!("js/theme.js"),
    include_str!("js/markdown.js"),
    include_str!("js/table.js"),
    include_str!("js/panel.js"),
    include_str!("js/canvas.js"),
    include_str!("js/flame_search.js"),
    include_str!("js/flame_keys.js"),
    include_str!("js/flame.js"),
    include_str!("js/functions.js"),
    include_str!("js/tasks.js"),
    include_str!("js/resources.js"),
    include_str!("js/layout.js"),
    include_str!("js/graph.js"),
    include_str!("js/findings.js"),
    include_str!("js/main.js"),
];

/// The scripts as one module.
pub(super) fn script() -> String {
    let lines = SCRIPTS.iter().flat_map(|script| script.lines());
    let lines = lines.filter(|line| !line.starts_with("import ") && !line.starts_with("//"));
    lines.flat_map(|line| [line.strip_prefix("export ").unwrap_or(line), "\n"]).collect()
}

/// The style sheets as one.
pub(super) fn style() -> String {
    STYLES.concat()
}
