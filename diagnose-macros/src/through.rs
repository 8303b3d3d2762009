//! Rewrites awaits in blocks inside a macro that cannot be parsed. One example is
//! `retry!(3, { get(key).await })`.
//!
//! ```text
//! { get(key).await }   ──▶   { passed(through(get(key), || ()).await) }
//! ```
//! They are no await points, because it is unknown where the macro puts them: the whole macro is
//! one. But if the body itself awaits a future there, it polls that future as soon as it resumes.
//! The await may also be in an async block that the macro has made around it. The type of the
//! closure shows which: its name contains the enclosing code.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, ExprAsync, ExprClosure, Item, Macro};

use crate::args::Args;
use crate::expand;

/// Returns the arguments with their awaits in blocks rewritten, or `None` if there are none.
pub(crate) fn rewrite(args: &Args, tokens: &TokenStream) -> Option<TokenStream> {
    let mut any = false;
    let mut rewritten = TokenStream::new();
    for token in tokens.clone() {
        match in_block(args, &token) {
            Some(block) => {
                any = true;
                block.to_tokens(&mut rewritten);
            }
            None => rewritten.extend([token]),
        }
    }
    any.then_some(rewritten)
}

fn in_block(args: &Args, token: &TokenTree) -> Option<Block> {
    let TokenTree::Group(group) = token else { return None };
    if group.delimiter() != Delimiter::Brace {
        return None;
    }
    let mut block: Block = syn::parse2(token.to_token_stream()).ok()?;
    let mut awaits = Awaits { args, any: false };
    awaits.visit_block_mut(&mut block);
    awaits.any.then_some(block)
}

struct Awaits<'a> {
    args: &'a Args,
    any: bool,
}

impl VisitMut for Awaits<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        if let Expr::Await(point) = expression {
            self.any = true;
            *expression = expand::through(self.args, point);
        }
    }

    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}

    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}

    fn visit_item_mut(&mut self, _: &mut Item) {}

    fn visit_macro_mut(&mut self, _: &mut Macro) {}
}
