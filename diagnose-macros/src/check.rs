//! Every refusal of the macro, each at the narrowest span and with what is accepted instead.

use syn::spanned::Spanned;
use syn::{
    Attribute, Error, GenericArgument, Item, ItemFn, PathArguments, Result, ReturnType, TraitItemFn, Type,
    TypeParamBound,
};

use crate::args::Args;

/// Refuses a function that cannot be timed as it is meant.
pub(crate) fn function(args: &Args, function: &ItemFn) -> Result<()> {
    let signature = &function.sig;
    if let Some(token) = &signature.constness {
        return Err(Error::new(
            token.span,
            "a `const fn` cannot be timed: it may run in the compiler; time the function that calls it",
        ));
    }
    if signature.asyncness.is_some() {
        return Ok(());
    }
    if let Some(span) = args.root {
        return Err(Error::new(span, "`root` makes a future a task; this function is not `async`"));
    }
    if let ReturnType::Type(_, output) = &signature.output {
        if is_future(output) {
            return Err(Error::new_spanned(
                output,
                "this function returns a future, so that only its construction would be timed; \
                 make it an `async fn`, or time the future with `diagnose::block!` or `.diagnose(\"name\")`",
            ));
        }
    }
    Ok(())
}

/// Refuses an item that is not a function.
pub(crate) fn not_a_function(item: &Item) -> Error {
    let (span, what) = match item {
        Item::Struct(item) => (item.struct_token.span, "a struct"),
        Item::Enum(item) => (item.enum_token.span, "an enum"),
        Item::Union(item) => (item.union_token.span, "a union"),
        Item::Trait(item) => (item.trait_token.span, "a trait"),
        Item::Impl(item) => (item.impl_token.span, "an impl block"),
        Item::Mod(item) => (item.mod_token.span, "a module"),
        Item::Const(item) => (item.const_token.span, "a constant"),
        Item::Static(item) => (item.static_token.span, "a static"),
        Item::Type(item) => (item.type_token.span, "a type alias"),
        Item::Use(item) => (item.use_token.span, "an import"),
        other => (other.span(), "this item"),
    };
    Error::new(span, format!("`#[diagnose]` cannot time {what}, expected a function or an `async fn`"))
}

/// Refuses a function without a body.
pub(crate) fn without_body(method: &TraitItemFn) -> Error {
    let message = "`#[diagnose]` needs a body to time; put it on the implementations";
    Error::new(method.sig.ident.span(), message)
}

/// Refuses the attribute on anything in a body but an async block.
pub(crate) fn not_a_block(attribute: &Attribute) -> Error {
    let message = "`#[diagnose]` inside a function goes before an `async` block or a function";
    Error::new_spanned(attribute, message)
}

/// Whether a type is a future by its looks: `impl Future`, `Pin<Box<dyn Future>>`, `BoxFuture`, `LocalBoxFuture`.
fn is_future(output: &Type) -> bool {
    match output {
        Type::Paren(inner) => is_future(&inner.elem),
        Type::Group(inner) => is_future(&inner.elem),
        Type::ImplTrait(bounds) => bounds.bounds.iter().any(is_future_bound),
        Type::TraitObject(bounds) => bounds.bounds.iter().any(is_future_bound),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            if last.ident == "BoxFuture" || last.ident == "LocalBoxFuture" {
                return true;
            }
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
            (last.ident == "Pin" || last.ident == "Box")
                && arguments
                    .args
                    .iter()
                    .any(|argument| matches!(argument, GenericArgument::Type(inner) if is_future(inner)))
        }),
        _ => false,
    }
}

fn is_future_bound(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| last.ident == "Future")
}
