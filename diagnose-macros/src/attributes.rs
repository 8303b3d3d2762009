//! Finds this crate's attributes, and the attributes that may be macros that run later.

use proc_macro2::{TokenStream, TokenTree};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Meta, Path, Token};

/// Removes and returns this crate's attribute, if it is there.
pub(crate) fn take(attributes: &mut Vec<Attribute>) -> Option<Attribute> {
    let at = attributes.iter().position(is_ours)?;
    Some(attributes.remove(at))
}

pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "diagnose")
}

/// Returns whether a remaining attribute may be a macro that looks for `async fn`, or acts on its
/// output.
pub(crate) fn may_look_for_async(attribute: &Attribute) -> bool {
    if !attribute.path().is_ident("cfg_attr") {
        return !is_harmless(attribute.path());
    }
    // The condition and the attributes that it guards.
    let metas = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    !metas.is_ok_and(|metas| metas.iter().skip(1).all(|meta| is_harmless(meta.path())))
}

/// Returns whether an attribute is, or may be, a macro that reads the arguments of the function.
/// `must_use` only asks that it stays `async`.
pub(crate) fn may_read_arguments(attribute: &Attribute) -> bool {
    may_look_for_async(attribute) && !attribute.path().is_ident("must_use")
}

/// Returns whether an attribute sets, or may set, where a function is compiled.
pub(crate) fn may_place(attribute: &Attribute) -> bool {
    ["cfg_attr", "cold", "export_name", "inline", "link_section", "no_mangle", "unsafe"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}

fn is_harmless(path: &Path) -> bool {
    const HARMLESS: [&str; 16] = [
        "allow",
        "cfg",
        "clippy",
        "cold",
        "deny",
        "deprecated",
        "diagnostic",
        "doc",
        "expect",
        "export_name",
        "forbid",
        "inline",
        "no_mangle",
        "rustfmt",
        "track_caller",
        "warn",
    ];
    path.segments.first().is_some_and(|first| HARMLESS.iter().any(|harmless| first.ident == harmless))
}

/// Moves the attribute from a chain like `async { … }.await?` to the block at its start. An
/// attribute before a chain belongs to the whole chain.
pub(crate) fn hand_down(expression: &mut Expr) {
    if block_at_start(expression).is_none() {
        return;
    }
    let attribute = chain(expression).and_then(|(attributes, _)| take(attributes));
    if let (Some(attribute), Some(attributes)) = (attribute, block_at_start(expression)) {
        attributes.push(attribute);
    }
}

/// Returns the attributes of the async block at the start of a chain.
fn block_at_start(expression: &mut Expr) -> Option<&mut Vec<Attribute>> {
    match expression {
        Expr::Async(block) => Some(&mut block.attrs),
        _ => block_at_start(chain(expression)?.1),
    }
}

/// Returns the attributes of a link in a chain of `.await`, `?`, calls and fields, and the link
/// before it.
fn chain(expression: &mut Expr) -> Option<(&mut Vec<Attribute>, &mut Expr)> {
    match expression {
        Expr::Await(link) => Some((&mut link.attrs, &mut link.base)),
        Expr::Try(link) => Some((&mut link.attrs, &mut link.expr)),
        Expr::MethodCall(link) => Some((&mut link.attrs, &mut link.receiver)),
        Expr::Field(link) => Some((&mut link.attrs, &mut link.base)),
        _ => None,
    }
}

/// Returns whether an attribute may leave out the statement that it stands on: `cfg`, `cfg_attr`.
pub(crate) fn may_leave_out(attribute: TokenStream) -> bool {
    attribute.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "cfg" || word == "cfg_attr",
        TokenTree::Group(group) => may_leave_out(group.stream()),
        _ => false,
    })
}
