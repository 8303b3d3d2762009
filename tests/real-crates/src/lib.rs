//! Inserts `#[diagnose]` before the async functions of a source text.

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, ItemFn, Signature, TraitItemFn, Visibility};

const ATTRIBUTE: &str = "#[::diagnose::diagnose] ";

/// Returns the text with the attribute before every async function that has a body and lacks it,
/// and the number of these functions. Returns `None` if the text is not a Rust file.
#[must_use]
pub fn annotate(source: &str) -> Option<(String, usize)> {
    let file = syn::parse_file(source).ok()?;
    let mut functions = Functions(Vec::new());
    functions.visit_file(&file);
    let mut places: Vec<usize> =
        functions.0.iter().filter_map(|&(line, column)| offset(source, line, column)).collect();
    places.sort_unstable();
    let mut annotated = source.to_owned();
    for &place in places.iter().rev() {
        annotated.insert_str(place, ATTRIBUTE);
    }
    Some((annotated, places.len()))
}

/// The offset in bytes of a line, counted from 1, and a column, in characters from 0.
fn offset(source: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = source.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let rest = &source[start..];
    Some(start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at))
}

/// The line and column at which each function begins, after its other attributes.
struct Functions(Vec<(usize, usize)>);

impl Functions {
    fn function(&mut self, attributes: &[Attribute], visibility: Option<&Visibility>, signature: &Signature) {
        let is_ours = attributes.iter().any(|attribute| attribute.path().is_ident("diagnose"));
        if signature.asyncness.is_none() || is_ours {
            return;
        }
        let visible = visibility.filter(|visibility| !matches!(visibility, Visibility::Inherited));
        let start: Span = visible.map_or_else(|| signature.span(), syn::spanned::Spanned::span);
        self.0.push((start.start().line, start.start().column));
    }
}

impl<'a> Visit<'a> for Functions {
    fn visit_item_fn(&mut self, function: &'a ItemFn) {
        self.function(&function.attrs, Some(&function.vis), &function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, method: &'a ImplItemFn) {
        self.function(&method.attrs, Some(&method.vis), &method.sig);
        visit::visit_impl_item_fn(self, method);
    }

    fn visit_trait_item_fn(&mut self, method: &'a TraitItemFn) {
        if method.default.is_some() {
            self.function(&method.attrs, None, &method.sig);
        }
        visit::visit_trait_item_fn(self, method);
    }
}

#[cfg(test)]
mod tests {
    use super::annotate;

    #[test]
    fn every_async_function_with_a_body_gets_the_attribute() {
        let source = "\
/// Text with `async fn`.
#[inline]
pub(crate) async fn a() { async fn b() {} }
fn c() {}
trait T { async fn d(); async unsafe fn e() {} }
impl X { /* é */ pub async fn f(&self) {} }
";
        let expected = "\
/// Text with `async fn`.
#[inline]
#[::diagnose::diagnose] pub(crate) async fn a() { #[::diagnose::diagnose] async fn b() {} }
fn c() {}
trait T { async fn d(); #[::diagnose::diagnose] async unsafe fn e() {} }
impl X { /* é */ #[::diagnose::diagnose] pub async fn f(&self) {} }
";
        assert_eq!(annotate(source), Some((expected.to_owned(), 4)));
    }

    #[test]
    fn what_is_not_rust_is_left_alone() {
        assert_eq!(annotate("fn {{name}}() {}"), None);
    }
}
