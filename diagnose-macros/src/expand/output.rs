//! Emits a function's return type: as a hint for the compiler, and in the signature.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{ReturnType, Signature, Token, Type, parse_quote_spanned};

/// Returns a branch that is never taken and returns the declared type. From it the compiler knows
/// the type of the block before it checks the body, so that coercions work and errors point at the
/// body.
pub(super) fn expected(krate: &TokenStream, output: &ReturnType) -> TokenStream {
    let ReturnType::Type(_, output) = output else {
        return quote_spanned!(Span::mixed_site()=> if false { return; });
    };
    if matches!(ungrouped(output), Type::ImplTrait(_)) {
        return TokenStream::new();
    }
    let output = inferred(output);
    let place = output.span().resolved_at(Span::mixed_site());
    // The semicolon makes it a statement in an empty body too. Otherwise it would be a value of the
    // wrong type.
    quote_spanned! {place=>
        if false {
            return #krate::__private::expected::<#output>();
        };
    }
}

/// Returns a type for a `let` or a closure, with `_` for each `impl Trait`.
pub(super) fn inferred(type_: &Type) -> Type {
    let mut inferred = type_.clone();
    EraseImplTrait { first: None }.visit_type_mut(&mut inferred);
    inferred
}

/// Returns the span of the `!`, if that is the type.
pub(super) fn never(output: &Type) -> Option<Span> {
    match ungrouped(output) {
        Type::Never(never) => Some(never.bang_token.span.resolved_at(Span::mixed_site())),
        _ => None,
    }
}

/// Returns a block that must not end. The type `!` cannot be written, so it is taken from a
/// function that returns it. The body sees these items, so no program uses their names.
pub(super) fn diverging(place: Span, body: &TokenStream) -> TokenStream {
    quote_spanned! {place=>
        {
            trait __DiagnoseReturned {
                type Type;
            }
            impl<T> __DiagnoseReturned for fn() -> T {
                type Type = T;
            }
            fn __diagnose_diverging<F>(future: F) -> F
            where
                F: ::core::future::Future<Output = <fn() -> ! as __DiagnoseReturned>::Type>,
            {
                future
            }
            __diagnose_diverging(async move #body)
        }
    }
}

/// Changes `async fn f() -> T` into `fn f() -> impl Future<Output = T>`.
pub(super) fn return_future(signature: &mut Signature) {
    let output: Type = match &signature.output {
        ReturnType::Default => parse_quote_spanned!(signature.paren_token.span.close()=> ()),
        ReturnType::Type(_, output) => (**output).clone(),
    };
    signature.asyncness = None;
    let place = promised(&output).unwrap_or_else(|| Span::mixed_site().located_at(output.span()));
    // The last token ends the signature, which the compiler shows and which must be the user's.
    let end = match &signature.output {
        ReturnType::Default => signature.paren_token.span.close(),
        ReturnType::Type(_, output) => {
            output.to_token_stream().into_iter().last().map_or(place, |last| last.span())
        }
    };
    let end = Token![>](end);
    let future = quote_spanned!(place=> impl ::core::future::Future<Output = #output #end);
    signature.output = ReturnType::Type(Token![->](Span::mixed_site()), Box::new(Type::Verbatim(future)));
}

/// Returns the span of the first `impl Trait` in a type. An error about a value that does not have
/// what that promises is shown there.
pub(super) fn promised(type_: &Type) -> Option<Span> {
    let mut erase = EraseImplTrait { first: None };
    erase.visit_type_mut(&mut type_.clone());
    erase.first.map(|first| first.resolved_at(Span::mixed_site()))
}

/// Returns a type without parentheses, and without the invisible groups that `macro_rules!` puts
/// around a `$type`.
fn ungrouped(type_: &Type) -> &Type {
    match type_ {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        _ => type_,
    }
}

/// `impl Trait` is not allowed in a `let`: the compiler infers the type.
struct EraseImplTrait {
    /// The span of the first one.
    first: Option<Span>,
}

impl VisitMut for EraseImplTrait {
    fn visit_type_mut(&mut self, type_: &mut Type) {
        // In parentheses, a `_` would cause a warning.
        if let Type::ImplTrait(erased) = ungrouped(type_) {
            self.first.get_or_insert(erased.span());
            let place = erased.span();
            *type_ = parse_quote_spanned!(place=> _);
        } else {
            visit_mut::visit_type_mut(self, type_);
        }
    }
}
