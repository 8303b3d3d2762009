//! What `#[tracing::instrument]` leaves of a function, where it is the outer attribute and so comes first.
//!
//! ```text
//! let __tracing_instrument_future = async move { body };           with `err` or `ret`: async move { … async move { body }.await … }
//! if … { Instrument::instrument(__tracing_instrument_future, span).await } else { __tracing_instrument_future.await }
//! ```
//! The block and its await are no more than the function, so they are no spans and no places of their own. What tracing itself does
//! at the beginning and at the end of a poll counts for the await at which the function stands, unless that is of a span.

use syn::visit_mut::VisitMut as _;
use syn::{Block, Expr, ExprAsync, Local, Pat, Stmt};

use crate::blocks::Blocks;
use crate::expand;

const FUTURE: &str = "__tracing_instrument_future";

/// The expression of that statement.
fn future(statement: &mut Local) -> Option<&mut Expr> {
    let is_it = matches!(&statement.pat, Pat::Ident(name) if name.ident == FUTURE);
    Some(&mut *statement.init.as_mut().filter(|_| is_it)?.expr)
}

/// Whether it is that future, or the call that it is handed to.
pub(crate) fn is_future(expression: &Expr) -> bool {
    match expression {
        Expr::Path(path) => path.path.is_ident(FUTURE),
        Expr::Call(call) => call.args.first().is_some_and(is_future),
        _ => false,
    }
}

/// The block that the attribute awaits itself, to look at what it returns.
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
    /// That statement: the awaits in its block are the function's. Returns whether it is one.
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
