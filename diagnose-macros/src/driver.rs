//! Functions that only drive an executor. The value of such a function is
//! `runtime.block_on(future)` or `block_on(future)`, as in the output of `#[tokio::main]`.
//!
//! The call lasts as long as the future, and its thread is parked meanwhile. A frame would be busy
//! all that time, so the future is timed instead.

use syn::{Block, Expr, Stmt};

/// Returns the future that a body drives, if the body ends with that.
pub(crate) fn driven(body: &mut Block) -> Option<&mut Expr> {
    match body.stmts.last_mut()? {
        Stmt::Expr(value, _) => driven_by(value),
        _ => None,
    }
}

fn driven_by(value: &mut Expr) -> Option<&mut Expr> {
    match value {
        Expr::Return(end) => driven_by(end.expr.as_deref_mut()?),
        Expr::Block(block) => driven(&mut block.block),
        Expr::Paren(inside) => driven_by(&mut inside.expr),
        Expr::Group(inside) => driven_by(&mut inside.expr),
        Expr::MethodCall(call) if call.method == "block_on" && call.args.len() == 1 => call.args.first_mut(),
        Expr::Call(call) if call.args.len() == 1 => {
            let Expr::Path(function) = &*call.func else { return None };
            let is_it = function.path.segments.last().is_some_and(|last| last.ident == "block_on");
            call.args.first_mut().filter(|_| is_it)
        }
        _ => None,
    }
}
