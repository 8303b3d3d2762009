//! The items that the mirrored modules define themselves, read from their source.

use std::fs;
use std::path::{Path, PathBuf};

use syn::{File, Item as Source, UseTree, Visibility};

/// A public item that is wrapped.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item {
    /// The original's path, `tokio::sync::Mutex`. The wrapper's begins with `diagnose::`.
    pub path: String,
    /// The kind of item, which selects clippy's lint.
    pub kind: Kind,
}

/// The two kinds of items for which clippy has a lint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A free function.
    Function,
    /// A type, or an alias of one.
    Type,
}

/// Returns the items of the module `name` and of its submodules, sorted.
///
/// # Panics
///
/// If the source cannot be read or is not Rust.
#[must_use]
pub fn items(root: &Path, name: &str) -> Vec<Item> {
    let mut found = Vec::new();
    let (source, below) = open(root, name);
    read(&source.items, &below, name, &mut found);
    found.sort();
    found.dedup();
    found
}

/// Opens a module's file, `x.rs` or `x/mod.rs`. Also returns the folder of its submodules.
fn open(folder: &Path, name: &str) -> (File, PathBuf) {
    let below = folder.join(name);
    let own = folder.join(format!("{name}.rs"));
    let path = if own.exists() { own } else { below.join("mod.rs") };
    let source = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (syn::parse_file(&source).unwrap(), below)
}

fn read(source: &[Source], folder: &Path, path: &str, found: &mut Vec<Item>) {
    let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
    for item in source {
        match item {
            Source::Mod(module) if is_public(&module.vis) => {
                let name = module.ident.to_string();
                let name = name.trim_start_matches("r#");
                let path = format!("{path}::{name}");
                if let Some((_, items)) = &module.content {
                    read(items, &folder.join(name), &path, found);
                } else {
                    let (module, below) = open(folder, name);
                    read(&module.items, &below, &path, found);
                }
            }
            // A path that begins with `::` is the original; one with `crate` is wrapped elsewhere.
            Source::Use(uses) if is_public(&uses.vis) && uses.leading_colon.is_none() => {
                if let UseTree::Path(start) = &uses.tree {
                    if start.ident != "crate" {
                        names(&start.tree, path, found);
                    }
                }
            }
            Source::Struct(item) if is_public(&item.vis) => found.push(named(path, &item.ident)),
            Source::Enum(item) if is_public(&item.vis) => found.push(named(path, &item.ident)),
            Source::Type(item) if is_public(&item.vis) => found.push(named(path, &item.ident)),
            Source::Fn(item) if is_public(&item.vis) => found.push(named(path, &item.sig.ident)),
            _ => {}
        }
    }
}

fn names(tree: &UseTree, path: &str, found: &mut Vec<Item>) {
    match tree {
        UseTree::Path(inner) => names(&inner.tree, path, found),
        UseTree::Group(group) => group.items.iter().for_each(|tree| names(tree, path, found)),
        UseTree::Name(name) => found.push(named(path, &name.ident)),
        UseTree::Rename(renamed) => found.push(named(path, &renamed.rename)),
        UseTree::Glob(_) => panic!("{path}: a glob does not tell what is wrapped"),
    }
}

/// Creates an item. Its kind follows from the case of its name: types are capitalized.
fn named(path: &str, name: &syn::Ident) -> Item {
    let name = name.to_string();
    let is_type = name.starts_with(char::is_uppercase);
    Item { path: format!("{path}::{name}"), kind: if is_type { Kind::Type } else { Kind::Function } }
}
