//! One self-contained page for a browser: findings, flame graph, tables, tasks and the wait graph.
//!
//! ```text
//! Snapshot ─▶ data: JSON, the nodes as columns ─▶ block: deflate, base64 ─▶ <script id="data">
//! html/ css/ js/ ─▶ assets: one style, one script ──────────────────────▶ render: the page
//! ```
//! The page needs no network and works from `file://`. All text of the recorded program is data:
//! the scripts insert it as text, never as markup, and base64 cannot end a script element.
//!
//! The files under `js/` are ES modules, tested by `tests/page/run`. The page combines them into
//! one module, in the order of the list in `assets`.

mod assets;
mod block;
mod columns;
mod data;
mod render;
#[cfg(test)]
mod tests;

pub(crate) use render::{render, render_live};
