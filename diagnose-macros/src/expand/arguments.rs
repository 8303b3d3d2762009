//! Emits the statements that name and destructure the captures of a block.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Lifetime, LifetimeParam, LitStr, Pat, PatIdent, parse_quote};

use crate::captures::{self, Capture, Kind};

/// Names all arguments, the last one first. Makes variables of patterns and of the arguments after
/// one, in order.
pub(super) fn naming(captures: &[Capture]) -> (TokenStream, TokenStream) {
    let is_plain = |it: &Capture| {
        it.cfgs.is_empty()
            && !matches!(it.kind, Kind::Plain { unused: true })
            && allow_underscored(&it.name).is_none()
    };
    // One statement for all of them where possible: it compiles faster.
    let names = captures.iter().rev().map(|capture| &capture.name);
    let together = (captures.len() > 1 && captures.iter().all(is_plain))
        .then(|| quote_spanned!(Span::mixed_site()=> { _ = (#(&#names),*); }));
    let apart = captures.iter().rev().map(|Capture { name, cfgs, levels, kind }| {
        if matches!(kind, Kind::Plain { unused: true }) {
            // The binding has the argument's name and place, so that the warning about an unused
            // one points there.
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* if false { #(#levels)* let #name = &#name; })
        } else {
            let allow = allow_underscored(name);
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* #allow { _ = &#name; })
        }
    });
    let variables = captures.iter().map(|Capture { name, cfgs, levels, kind }| match kind {
        Kind::Plain { .. } => TokenStream::new(),
        Kind::Variable { pattern, unused } => {
            let allow = allow_underscored(name);
            let used = (!unused && allow.is_none())
                .then(|| quote_spanned!(Span::mixed_site()=> #(#cfgs)* { _ = &#name; }));
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* #allow #(#levels)* let #pattern = #name; #used)
        }
        Kind::Pattern(pattern) if captures::is_wild(pattern) => {
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* let #name = #name;)
        }
        // `mut`, because a pattern may have `ref mut`.
        Kind::Pattern(pattern) => quote_spanned! {Span::mixed_site()=>
            #(#cfgs)* #[allow(unused_mut)] let mut #name = #name;
            #(#cfgs)* #(#levels)* let #pattern = #name;
        },
    });
    (together.unwrap_or_else(|| apart.collect()), variables.collect())
}

/// Returns variables for a label that mentions names in patterns. They borrow, because the label is
/// made before the block destructures these.
pub(super) fn for_label(captures: &[Capture], label: Option<&LitStr>) -> TokenStream {
    let Some(label) = label.map(LitStr::value) else { return TokenStream::new() };
    let variables = captures.iter().map(|Capture { name, cfgs, kind, .. }| {
        let Kind::Pattern(pattern) = kind else { return TokenStream::new() };
        let (mut pattern, mut names) = (pattern.clone(), Names { label: &label, are_mentioned: false });
        names.visit_pat_mut(&mut pattern);
        if !names.are_mentioned {
            return TokenStream::new();
        }
        quote_spanned! {Span::mixed_site()=>
            #(#cfgs)*
            #[allow(unused_variables, clippy::pattern_type_mismatch)]
            let #pattern = &#name;
        }
    });
    variables.collect()
}

/// Removes `&`, and `mut` and `ref` from the names in a pattern, and finds out whether a label
/// mentions one.
struct Names<'a> {
    label: &'a str,
    are_mentioned: bool,
}

impl VisitMut for Names<'_> {
    fn visit_pat_mut(&mut self, pattern: &mut Pat) {
        while let Pat::Reference(inner) = pattern {
            *pattern = (*inner.pat).clone();
        }
        visit_mut::visit_pat_mut(self, pattern);
    }

    fn visit_pat_ident_mut(&mut self, pattern: &mut PatIdent) {
        let name = pattern.ident.unraw().to_string();
        let is_end = |c: char| c != '_' && !c.is_alphanumeric();
        self.are_mentioned |= self.label.split('{').skip(1).any(|it| it.split(is_end).next() == Some(&name));
        (pattern.by_ref, pattern.mutability) = (None, None);
        visit_mut::visit_pat_ident_mut(self, pattern);
    }
}

/// Returns the parameter for an elided lifetime. The attribute keeps lints from asking to elide it
/// again.
pub(crate) fn named_lifetime(lifetime: Lifetime) -> LifetimeParam {
    let mut param = LifetimeParam::new(lifetime);
    param.attrs.push(parse_quote!(#[allow(single_use_lifetimes)]));
    param
}

/// A name with a leading underscore is used only here.
pub(super) fn allow_underscored(name: &Ident) -> Option<TokenStream> {
    let is_ours = name.to_string().starts_with("__diagnose");
    let is_underscored = !is_ours && name.to_string().starts_with('_');
    is_underscored
        .then(|| quote!(#[allow(clippy::no_effect_underscore_binding, clippy::used_underscore_binding)]))
}
