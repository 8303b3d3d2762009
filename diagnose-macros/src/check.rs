//! Every error of the macro, at the narrowest span and with the accepted alternative.

use syn::spanned::Spanned;
use syn::{
    Attribute, Error, GenericArgument, Item, ItemMod, PathArguments, Result, ReturnType, Signature,
    TraitItemFn, Type, TypeParamBound,
};

use crate::accepted;
use crate::args::Args;
use crate::boxed::{self, Returned};

/// Refuses a function that cannot be timed as intended. `is_driver` says whether a future that it
/// drives is timed, as below `#[tokio::main]`.
pub(crate) fn function(args: &Args, signature: &Signature, is_driver: bool) -> Result<()> {
    if let Some(token) = &signature.constness {
        return Err(Error::new(token.span, accepted::CONST_FUNCTION));
    }
    if let Some(span) = args.all {
        return Err(Error::new(span, accepted::NOT_FOR_ALL));
    }
    future(signature)?;
    let is_future = signature.asyncness.is_some() || Returned::by(signature).is_some();
    match args.root {
        Some(span) if !is_future && !is_driver => {
            Err(Error::new(span, "`root` makes a future a task; this function is not `async`"))
        }
        _ => Ok(()),
    }
}

/// Refuses a function that returns a future which cannot be timed.
pub(crate) fn future(signature: &Signature) -> Result<()> {
    if let Some(bound) = boxed::unsatisfied(signature) {
        return Err(Error::new_spanned(bound, untimable(bound)));
    }
    if signature.asyncness.is_some() || Returned::by(signature).is_some() {
        return Ok(());
    }
    match &signature.output {
        ReturnType::Type(_, output) if is_future(output) => Err(Error::new_spanned(
            output,
            "this function returns a future of a form that cannot be timed, expected `impl Future` or \
             `Pin<Box<dyn Future>>`; or time the future with `diagnose::block!` or `.diagnose(\"name\")`",
        )),
        _ => Ok(()),
    }
}

fn untimable(bound: &TypeParamBound) -> String {
    let name = match bound {
        TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    };
    format!(
        "a timed future is not `{}`; time the future inside with `diagnose::block!` or `.diagnose(\"name\")`",
        name.unwrap_or_default(),
    )
}

/// Refuses arguments for one function on an item that contains many.
pub(crate) fn container(args: &Args) -> Result<()> {
    let named = [(args.name.as_ref(), "name"), (args.label.as_ref(), "label")];
    for (value, key) in named {
        if let Some(value) = value {
            return Err(Error::new(value.span(), accepted::of_one_function(key)));
        }
    }
    match args.root {
        Some(span) => Err(Error::new(span, accepted::of_one_function("root"))),
        None => Ok(()),
    }
}

/// Refuses a module whose text is in another file.
pub(crate) fn elsewhere(module: &ItemMod) -> Error {
    let message = "the functions of this module are in another file, where an attribute cannot see them; \
                   put `#[diagnose]` on them, or on an inline module";
    Error::new(module.semi.map_or(module.mod_token.span, |semi| semi.span), message)
}

pub(crate) fn not_a_function(item: &Item) -> Error {
    let (span, kind) = match item {
        Item::Struct(item) => (item.struct_token.span, "a struct"),
        Item::Enum(item) => (item.enum_token.span, "an enum"),
        Item::Union(item) => (item.union_token.span, "a union"),
        Item::Const(item) => (item.const_token.span, "a constant"),
        Item::Static(item) => (item.static_token.span, "a static"),
        Item::Type(item) => (item.type_token.span, "a type alias"),
        Item::Use(item) => (item.use_token.span, "an import"),
        other => (other.span(), "this item"),
    };
    Error::new(span, accepted::not_a_function(kind))
}

pub(crate) fn without_body(method: &TraitItemFn) -> Error {
    Error::new(method.sig.ident.span(), accepted::WITHOUT_BODY)
}

/// Refuses the attribute on anything in a body except an async block.
pub(crate) fn not_a_block(attribute: &Attribute) -> Error {
    let message = "`#[diagnose]` inside a function goes before an `async` block or a function";
    Error::new_spanned(attribute, message)
}

/// Returns whether a type looks like a future, in a form that is not timed.
fn is_future(output: &Type) -> bool {
    match output {
        Type::Paren(inner) => is_future(&inner.elem),
        Type::Group(inner) => is_future(&inner.elem),
        Type::TraitObject(bounds) => bounds.bounds.iter().any(is_future_bound),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
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
