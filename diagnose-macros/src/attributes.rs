//! Attributes beside ours: which ones are ours, and which may be macros that come after us.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Path, Token};

/// Takes out our attribute, if it is there.
pub(crate) fn take(attributes: &mut Vec<Attribute>) -> Option<Attribute> {
    let at = attributes.iter().position(is_ours)?;
    Some(attributes.remove(at))
}

pub(crate) fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().segments.last().is_some_and(|last| last.ident == "diagnose")
}

/// Whether an attribute that is left may be a macro that wants to see `async fn`, or acts on its output.
pub(crate) fn may_look_for_async(attribute: &Attribute) -> bool {
    if !attribute.path().is_ident("cfg_attr") {
        return !is_harmless(attribute.path());
    }
    // The condition and the attributes that it stands before.
    let metas = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    !metas.is_ok_and(|metas| metas.iter().skip(1).all(|meta| is_harmless(meta.path())))
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
