//! Decides which expressions and macros in a body are await points.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::spanned::Spanned as _;
use syn::token::Paren;
use syn::visit_mut::{self, VisitMut as _};
use syn::{
    BinOp, Block, Expr, ExprAwait, ExprCall, ExprMacro, Local, Macro, MacroDelimiter, Stmt, StmtMacro, UnOp,
};

use crate::blocks::Blocks;
use crate::escape::{self, ValueUse};
use crate::expand;
use crate::instrument;
use crate::macros::{is_unknown_await, may_never_end, never_returns};

impl Blocks {
    /// Returns whether an await becomes an await point.
    pub(crate) fn is_point(&self, point: &ExprAwait) -> bool {
        self.awaits().is_some() && !instrument::is_future(&point.base) && !never_ends(&point.base)
    }

    /// Makes `future.await` an await point. `guard` says what the body does with a guard that
    /// it acquires.
    pub(crate) fn awaited(&mut self, expression: &mut Expr, guard: ValueUse) {
        let Expr::Await(point) = expression else { return };
        if instrument::is_future(&point.base) {
            return;
        }
        let place = self.is_point(point).then(|| {
            let ExprAwait { base, dot_token, await_token, .. } = &*point;
            expand::AwaitPlace::of(&quote!(#base #dot_token #await_token))
        });
        let guard = escape::of_await(&point.base, guard);
        visit_mut::visit_expr_await_mut(self, point);
        if let (Some(place), Some(args)) = (place, self.awaits()) {
            *point.base = expand::awaited(args, &place, self.points.len(), &point.base);
            let site = expand::point(args, &place, guard);
            *expression = expand::ended(args, &place, point);
            self.points.push(site);
        }
    }

    /// Visits a macro as an expression. `is_place` says that it may be a place in memory, which
    /// must not be moved.
    pub(crate) fn macro_expression(&mut self, expression: &mut Expr, is_place: bool, guard: ValueUse) {
        let Expr::Macro(invocation) = expression else { return };
        self.visit_attributes_mut(&mut invocation.attrs);
        self.guard = guard;
        let place = self.invocation(&mut invocation.mac);
        let is_place = is_place || may_never_end(&invocation.mac);
        if let Some((place, args)) = place.filter(|_| !is_place).zip(self.awaits()) {
            let point = expand::point(args, &place, ValueUse::MOVES);
            *expression = expand::macro_awaited(args, &place, self.points.len(), &*expression);
            self.points.push(point);
        }
    }

    /// Visits `let pattern = macro!(…);`. The macro stays as it is, since a temporary in it may
    /// live as long as the variable. Returns `false` for any other statement, of which it visits
    /// only macros with such temporaries.
    pub(crate) fn macro_local(&mut self, statement: &mut Stmt) -> bool {
        let Stmt::Local(Local { attrs, init: Some(init), .. }) = statement else { return false };
        let Expr::Macro(invocation) = &mut *init.expr else {
            self.extended(&mut init.expr);
            return false;
        };
        let has_attributes = !attrs.is_empty() || !invocation.attrs.is_empty();
        if has_attributes || init.diverge.is_some() || may_never_end(&invocation.mac) {
            return false;
        }
        let place = self.invocation(&mut invocation.mac);
        if let Some((place, args)) = place.zip(self.awaits()) {
            let point = expand::point(args, &place, ValueUse::MOVES);
            *statement = expand::macro_statement(args, self.points.len(), statement);
            self.points.push(point);
        }
        true
    }

    /// Leaves the unknown macros whose temporaries live as long as this value, or as the statement,
    /// as they are. A call or a block around them would end their temporaries earlier.
    fn extended(&mut self, value: &mut Expr) {
        match value {
            Expr::Macro(invocation) if self.awaits().is_some() && is_unknown_await(&invocation.mac) => {
                if let Some(tokens) = self.in_tokens(&invocation.mac.tokens) {
                    invocation.mac.tokens = tokens;
                }
                *value = Expr::Verbatim(quote!(#invocation));
            }
            Expr::Paren(inside) => self.extended(&mut inside.expr),
            Expr::Group(inside) => self.extended(&mut inside.expr),
            Expr::Cast(cast) => self.extended(&mut cast.expr),
            // A macro may be the place that is borrowed.
            Expr::Reference(borrow) if !matches!(*borrow.expr, Expr::Macro(_)) => {
                self.extended(&mut borrow.expr);
            }
            Expr::Tuple(list) => list.elems.iter_mut().for_each(|value| self.extended(value)),
            Expr::Array(list) => list.elems.iter_mut().for_each(|value| self.extended(value)),
            Expr::Struct(literal) => literal.fields.iter_mut().for_each(|it| self.extended(&mut it.expr)),
            Expr::Call(call) if is_constructor(call) => {
                call.args.iter_mut().for_each(|value| self.extended(value));
            }
            _ => {}
        }
    }

    /// Visits a macro as a statement. `end` has the braces of the block that ends with this
    /// statement.
    pub(crate) fn macro_statement(&mut self, statement: &mut Stmt, end: Option<Span>) {
        let Stmt::Macro(StmtMacro { attrs, mac, semi_token }) = statement else { return };
        self.visit_attributes_mut(attrs);
        let place = self.invocation(mac);
        let end = end.filter(|_| semi_token.is_none());
        // Which of such macros is the end of a block depends on the configuration.
        let may_end = semi_token.is_none() && attrs.iter().any(|attribute| attribute.path().is_ident("cfg"));
        if let Some((place, args)) = place.filter(|_| !may_end).zip(self.awaits()) {
            let point = expand::point(args, &place, ValueUse::MOVES);
            let number = self.points.len();
            *statement = match end {
                Some(braces) => Stmt::Expr(expand::macro_end(args, number, statement, braces), None),
                None => expand::macro_statement(args, number, statement),
            };
            self.points.push(point);
        }
    }

    /// Visits a macro whose value is that of an arm or of a block with these braces. Returns
    /// `false` for any other expression.
    pub(crate) fn macro_end(&mut self, end: &mut Expr, braces: Option<Span>) -> bool {
        let Expr::Macro(ExprMacro { attrs, mac, .. }) = end else { return false };
        if !attrs.is_empty() {
            return false;
        }
        if let (None, MacroDelimiter::Brace(inside)) = (braces, &mac.delimiter) {
            // A macro in braces at the end of a block would be a statement, not an expression.
            mac.delimiter = MacroDelimiter::Paren(Paren { span: inside.span });
        }
        let braces = braces.unwrap_or_else(|| mac.path.span());
        let place = self.invocation(mac);
        if let Some((place, args)) = place.zip(self.awaits()) {
            let point = expand::point(args, &place, ValueUse::MOVES);
            *end = expand::macro_end(args, self.points.len(), end, braces);
            self.points.push(point);
        }
        true
    }
}

/// Returns whether a call is that of a tuple struct or variant, judged by the case of its name. The
/// temporaries in it live as long as those in a literal.
pub(crate) fn is_constructor(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else { return false };
    let last = function.path.segments.last();
    last.is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

/// Returns whether an expression reads, borrows or assigns to its first operand in place.
pub(crate) fn begins_with_place(expression: &Expr, is_place: bool) -> bool {
    match expression {
        Expr::Paren(_) | Expr::Group(_) => is_place,
        Expr::Assign(_)
        | Expr::Field(_)
        | Expr::Index(_)
        | Expr::Let(_)
        | Expr::Match(_)
        | Expr::MethodCall(_)
        | Expr::RawAddr(_)
        | Expr::Reference(_) => true,
        Expr::Unary(unary) => matches!(unary.op, UnOp::Deref(_)),
        Expr::Binary(operation) => compares(&operation.op) || assigns(&operation.op),
        _ => false,
    }
}

/// Returns whether an operator borrows its operands.
pub(crate) fn compares(operator: &BinOp) -> bool {
    matches!(
        operator,
        BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_)
    )
}

/// Returns whether an operator, as in `a += b`, assigns to its first operand.
fn assigns(operator: &BinOp) -> bool {
    !compares(operator) && operator.to_token_stream().to_string().ends_with('=')
}

/// Returns whether there is nothing to wait for, as in `panic!().await`. The compiler would call
/// this crate's call unreachable.
fn never_ends(expression: &Expr) -> bool {
    match expression {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => true,
        Expr::Paren(inside) => never_ends(&inside.expr),
        Expr::Await(point) => never_ends(&point.base),
        Expr::Macro(invocation) => panics(&invocation.mac),
        Expr::Loop(endless) => !mentions_break(endless.body.to_token_stream()),
        Expr::Block(block) if block.label.is_none() => ends_early(&block.block),
        Expr::If(choice) => {
            let otherwise = choice.else_branch.as_ref().is_some_and(|(_, otherwise)| never_ends(otherwise));
            otherwise && ends_early(&choice.then_branch)
        }
        _ => false,
    }
}

fn ends_early(block: &Block) -> bool {
    block.stmts.iter().any(diverges)
}

fn ends_process(call: &ExprCall) -> bool {
    let Expr::Path(function) = &*call.func else { return false };
    let last = function.path.segments.last();
    function.path.segments.len() > 1 && last.is_some_and(|last| last.ident == "exit" || last.ident == "abort")
}

/// Returns whether a loop may end, also by what a macro in it makes of its arguments.
pub(crate) fn mentions_break(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "break",
        TokenTree::Group(group) => mentions_break(group.stream()),
        _ => false,
    })
}

fn panics(invocation: &Macro) -> bool {
    invocation.path.segments.last().is_some_and(|last| never_returns(&last.ident))
}

/// Returns whether no statement after this one can be reached, as far as its form shows that.
pub(crate) fn diverges(statement: &Stmt) -> bool {
    match statement {
        Stmt::Expr(Expr::Call(call), _) => ends_process(call),
        Stmt::Expr(expression, _) => never_ends(expression),
        Stmt::Macro(statement) => panics(&statement.mac),
        Stmt::Local(_) | Stmt::Item(_) => false,
    }
}
