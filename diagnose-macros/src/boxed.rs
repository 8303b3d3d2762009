//! Functions that return a future without being `async`: the future is timed, not its construction.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit_mut::VisitMut;
use syn::{
    Block, Expr, ExprAsync, ExprClosure, ExprReturn, ExprTry, Item, ReturnType, Signature, Stmt, Type,
    TypeParamBound,
};
use syn::{GenericArgument, PathArguments};

use crate::macros::may_return;

/// How a function returns a future.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returned {
    /// It returns `impl Future`.
    Opaque,
    /// It returns `Pin<Box<dyn Future>>`, `BoxFuture` or `LocalBoxFuture`, like the output of
    /// async-trait.
    Boxed,
}

impl Returned {
    /// Returns how the types in a signature return a future; `None` if they do not.
    pub(crate) fn by(signature: &Signature) -> Option<Self> {
        match &signature.output {
            ReturnType::Type(_, output) => by_type(output),
            ReturnType::Default => None,
        }
    }
}

fn by_type(output: &Type) -> Option<Returned> {
    match output {
        Type::Paren(inner) => by_type(&inner.elem),
        Type::Group(inner) => by_type(&inner.elem),
        Type::ImplTrait(bounds) => bounds.bounds.iter().any(is_future).then_some(Returned::Opaque),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let is_pinned = last.ident == "Pin" && argument(&last.arguments).is_some_and(is_boxed_future);
            (is_pinned || last.ident == "BoxFuture" || last.ident == "LocalBoxFuture")
                .then_some(Returned::Boxed)
        }
        _ => None,
    }
}

/// Returns the first bound of a returned `impl Future + …` that a timed future does not satisfy.
pub(crate) fn unsatisfied(signature: &Signature) -> Option<&TypeParamBound> {
    match &signature.output {
        ReturnType::Type(_, output) if signature.asyncness.is_none() => unsatisfied_in(output),
        _ => None,
    }
}

fn unsatisfied_in(output: &Type) -> Option<&TypeParamBound> {
    /// Not all traits: one that every type has, such as `MaybeSend`, is one of a timed future too.
    const TRAITS: [&str; 14] = [
        "AsyncRead",
        "AsyncWrite",
        "Clone",
        "Copy",
        "Default",
        "Display",
        "Eq",
        "FusedStream",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
        "Sink",
        "Stream",
    ];
    match output {
        Type::Paren(inner) => unsatisfied_in(&inner.elem),
        Type::Group(inner) => unsatisfied_in(&inner.elem),
        Type::ImplTrait(bounds) if bounds.bounds.iter().any(is_future) => {
            bounds.bounds.iter().find(|bound| TRAITS.iter().any(|name| is_trait(bound, name)))
        }
        _ => None,
    }
}

fn is_boxed_future(type_: &Type) -> bool {
    let Type::Path(path) = type_ else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    last.ident == "Box"
        && matches!(argument(&last.arguments), Some(Type::TraitObject(object)) if object.bounds.iter().any(is_future))
}

fn argument(arguments: &PathArguments) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(type_) => Some(type_),
        _ => None,
    })
}

fn is_future(bound: &TypeParamBound) -> bool {
    is_trait(bound, "Future")
}

fn is_trait(bound: &TypeParamBound, name: &str) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| last.ident == name)
}

pub(crate) fn last(body: &mut Block) -> Option<&mut Expr> {
    match body.stmts.last_mut()? {
        Stmt::Expr(expression, None) => Some(expression),
        _ => None,
    }
}

/// Returns the future in `Box::pin(future)`.
pub(crate) fn pinned(expression: &mut Expr) -> Option<&mut Expr> {
    let Expr::Call(call) = expression else { return None };
    let Expr::Path(function) = &*call.func else { return None };
    let names: Vec<String> =
        function.path.segments.iter().rev().take(2).map(|it| it.ident.to_string()).collect();
    let is_box_pin = names == ["pin", "Box"] && call.args.len() == 1;
    if is_box_pin { call.args.first_mut() } else { None }
}

/// Replaces the future in any number of `Box::pin`.
pub(crate) fn replace_innermost(expression: &mut Expr, replace: &dyn Fn(&Expr) -> TokenStream) {
    match pinned(expression) {
        Some(inside) => replace_innermost(inside, replace),
        None => *expression = Expr::Verbatim(replace(expression)),
    }
}

/// Returns whether a body may end before its last expression, by `return` or `?`.
pub(crate) fn ends_early(body: &mut Block) -> bool {
    let mut search = Search::default();
    search.visit_block_mut(body);
    search.ends
}

/// Returns whether a body has a macro that may hide a `return`.
pub(crate) fn may_hide_return(body: &mut Block) -> bool {
    let mut search = Search::default();
    search.visit_block_mut(body);
    search.may_hide_return
}

/// Changes nothing. It is a mutable visitor because the other kind would be one more to compile.
#[derive(Default)]
struct Search {
    ends: bool,
    may_hide_return: bool,
}

impl VisitMut for Search {
    fn visit_expr_return_mut(&mut self, _: &mut ExprReturn) {
        self.ends = true;
    }

    fn visit_expr_try_mut(&mut self, _: &mut ExprTry) {
        self.ends = true;
    }

    /// A macro's arguments may be anything. These two words in them may end the body.
    fn visit_macro_mut(&mut self, invocation: &mut syn::Macro) {
        self.ends |= may_end(invocation.tokens.clone());
        self.may_hide_return |= may_return(invocation);
    }

    // `return` and `?` in these do not end the body.
    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

fn may_end(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => may_end(group.stream()),
        TokenTree::Ident(word) => word == "return",
        TokenTree::Punct(mark) => mark.as_char() == '?',
        TokenTree::Literal(_) => false,
    })
}
