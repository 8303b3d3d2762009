//! `join!` and `select!`: macros whose own code polls the futures among their arguments.
//!
//! Each future becomes an arm. Handlers and conditions are ordinary code of the surrounding body.
//! If an arm is only a variable, the `select!` of futures borrows it and that of tokio takes it. If
//! neither path nor form shows the library, the arm stays as it is. So does one that borrows a
//! temporary.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut as _;
use syn::{Block, Expr, Path, Result, Stmt, Token, UnOp};

use crate::attributes::hand_down;
use crate::blocks::Blocks;
use crate::escape::{self, ValueUse};
use crate::expand::{self, ArmKind, AwaitPlace};
use crate::points::is_constructor;
use crate::select::{Biased, Handler, Library, Select, Source};

impl Blocks {
    /// Rewrites `join!`, or `try_join!`, which may drop an arm that is not done. `guard` says what
    /// the body does with the tuple of their values, and `uses` with each, if that is known.
    pub(crate) fn join(
        &mut self,
        tokens: &TokenStream,
        is_joined: bool,
        guard: ValueUse,
        uses: Option<&[ValueUse]>,
    ) -> Option<TokenStream> {
        let Join { biased, mut futures } = syn::parse2(tokens.clone()).ok()?;
        // Another macro with this name may join strings.
        if futures.iter().any(|future| matches!(future, Expr::Lit(_))) {
            return None;
        }
        let inside = ValueUse { itself: guard.of_inside(), ..guard };
        for (number, future) in futures.iter_mut().enumerate() {
            let value = uses.and_then(|uses| uses.get(number)).copied().unwrap_or(inside);
            let guard = escape::of_await(future, value);
            self.arm(future, if is_joined { ArmKind::Joined(guard) } else { ArmKind::Raced(guard) });
        }
        Some(quote!(#biased #futures))
    }

    /// Rewrites `select!` or `select_biased!`.
    pub(crate) fn select(&mut self, path: &Path, tokens: &TokenStream) -> Option<TokenStream> {
        let mut select: Select = syn::parse2(tokens.clone()).ok()?;
        let library = Library::of(path, &select);
        for branch in &mut select.branches {
            if let Source::Future(waited) = &mut branch.source {
                let guard = escape::of_arm(&waited.future, &waited.pattern, &branch.handler);
                let future = &mut waited.future;
                match (&*future, library) {
                    (Expr::Path(_), None) => {}
                    (Expr::Path(_), Some(Library::Futures)) => self.borrowed_arm(future),
                    _ => self.arm(future, ArmKind::Raced(guard)),
                }
                if let Some((_, _, condition)) = &mut waited.condition {
                    self.visit_expr_mut(condition);
                }
            }
            match &mut branch.handler {
                Handler::Block(block) => self.visit_block_mut(block),
                Handler::Value(value) => self.visit_end(value, None),
            }
        }
        Some(select.into_token_stream())
    }

    /// Makes a future an arm. An async block is a span of its own, so it stays as it is.
    fn arm(&mut self, future: &mut Expr, kind: ArmKind) {
        hand_down(future);
        let stays = matches!(future, Expr::Async(_)) || borrows_temporary(future);
        let place = (!stays).then(|| AwaitPlace::of(future));
        self.visit_expr_mut(future);
        if let (Some(place), Some(args)) = (place, self.awaits()) {
            *future = expand::arm(args, &place, future, kind);
        }
    }

    /// Makes a variable an arm. The macro would only have borrowed it.
    fn borrowed_arm(&mut self, future: &mut Expr) {
        let Some(args) = self.awaits() else { return };
        let place = AwaitPlace::of(future);
        *future = expand::borrowed_arm(args, &place, future);
    }
}

/// Returns whether an arm borrows a temporary, which lives as long as the macro's own variables. An
/// argument of a call would not.
fn borrows_temporary(future: &Expr) -> bool {
    match future {
        Expr::Paren(inside) => borrows_temporary(&inside.expr),
        Expr::Group(inside) => borrows_temporary(&inside.expr),
        Expr::Reference(reference) => !is_place(&reference.expr),
        Expr::Cast(cast) => borrows_temporary(&cast.expr),
        Expr::Struct(literal) => literal.fields.iter().any(|field| borrows_temporary(&field.expr)),
        Expr::Tuple(list) => list.elems.iter().any(borrows_temporary),
        Expr::Array(list) => list.elems.iter().any(borrows_temporary),
        Expr::Call(call) => is_constructor(call) && call.args.iter().any(borrows_temporary),
        Expr::Block(block) => ends_with_temporary(&block.block),
        Expr::Unsafe(block) => ends_with_temporary(&block.block),
        Expr::If(choice) => {
            ends_with_temporary(&choice.then_branch)
                || choice.else_branch.as_ref().is_some_and(|(_, other)| borrows_temporary(other))
        }
        Expr::Match(choice) => choice.arms.iter().any(|arm| borrows_temporary(&arm.body)),
        Expr::Macro(pinned) => pinned.mac.path.segments.last().is_some_and(|last| last.ident == "pin"),
        _ => false,
    }
}

fn ends_with_temporary(block: &Block) -> bool {
    matches!(block.stmts.last(), Some(Stmt::Expr(value, None)) if borrows_temporary(value))
}

/// Returns whether an expression is a place that begins with a variable.
fn is_place(expression: &Expr) -> bool {
    match expression {
        Expr::Path(_) => true,
        Expr::Paren(inside) => is_place(&inside.expr),
        Expr::Group(inside) => is_place(&inside.expr),
        Expr::Field(of) => is_place(&of.base),
        Expr::Index(of) => is_place(&of.expr),
        Expr::Unary(deref) => matches!(deref.op, UnOp::Deref(_)) && is_place(&deref.expr),
        _ => false,
    }
}

/// The arguments of `join!`.
pub(crate) struct Join {
    biased: Option<Biased>,
    pub(crate) futures: Punctuated<Expr, Token![,]>,
}

impl Parse for Join {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Ok(Self { biased: Biased::parse(input)?, futures: Punctuated::parse_terminated(input)? })
    }
}
