//! Recognizes the output of `#[tracing::instrument]`, if that is the outer attribute and so runs
//! first.
//!
//! ```text
//! let __tracing_instrument_future = async move { body };
//! if … { Instrument::instrument(__tracing_instrument_future, span).await }
//! else { __tracing_instrument_future.await }
//!
//! with `err` or `ret`: async move { … async move { body }.await … }
//! ```
//! The block and its await are only the function itself, so they are no spans and no await points
//! of their own. The await at which the function has stopped is charged for tracing's own
//! work at the start and at the end of a poll. An await of a span is not.

use syn::visit_mut::VisitMut as _;
use syn::{Block, Expr, ExprAsync, Local, Pat, Stmt};

use crate::blocks::Blocks;
use crate::expand;

const FUTURE: &str = "__tracing_instrument_future";

/// Returns the initializer of `let __tracing_instrument_future`, if the statement is that.
fn future(statement: &mut Local) -> Option<&mut Expr> {
    let is_it = matches!(&statement.pat, Pat::Ident(name) if name.ident == FUTURE);
    Some(&mut *statement.init.as_mut().filter(|_| is_it)?.expr)
}

/// Returns whether it is `__tracing_instrument_future`, or a call with that as its first argument.
pub(crate) fn is_future(expression: &Expr) -> bool {
    match expression {
        Expr::Path(path) => path.path.is_ident(FUTURE),
        Expr::Call(call) => call.args.first().is_some_and(is_future),
        _ => false,
    }
}

/// Returns the block that the attribute itself awaits, to look at its result.
fn inner(body: &mut Block) -> Option<&mut ExprAsync> {
    let count = body.stmts.len();
    let expression = match body.stmts.first_mut()? {
        Stmt::Local(Local { pat: Pat::Ident(name), init: Some(init), .. })
            if name.ident == "__match_scrutinee" || name.ident == "x" && count == 3 =>
        {
            &mut *init.expr
        }
        Stmt::Expr(Expr::Match(choice), None) if count == 1 => &mut *choice.expr,
        _ => return None,
    };
    match expression {
        Expr::Await(point) => match &mut *point.base {
            Expr::Async(block) => Some(block),
            _ => None,
        },
        _ => None,
    }
}

impl Blocks {
    /// Visits `let __tracing_instrument_future = async …`: the awaits in its block belong to the
    /// function. Returns `false` for any other statement.
    pub(crate) fn instrumented(&mut self, statement: &mut Local) -> bool {
        let Some(expression) = future(statement).filter(|_| self.inline().is_some()) else { return false };
        let Expr::Async(block) = expression else { return false };
        match inner(&mut block.block) {
            Some(body) => self.visit_block_mut(&mut body.block),
            None => self.visit_block_mut(&mut block.block),
        }
        if let Some(args) = self.inline() {
            *expression = expand::inline(args, expression);
        }
        true
    }
}
