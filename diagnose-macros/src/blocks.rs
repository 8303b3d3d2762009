//! Rewrites the body of an annotated function. Async blocks and closures in it become spans of
//! their own, and every `.await` becomes an await point.
//!
//! `#[diagnose(…)]` on an async block sets its arguments, or `skip`. Attributes on expressions are
//! not stable, so the compiler must not see them: the function's attribute finds them and rewrites
//! the blocks. It also rewrites the arguments of macros (see `macros`), as in
//! `join!(#[diagnose] async { … }, …)`. In an unknown macro, everything but the annotated blocks
//! stays as it is.
//!
//! The block that a function returns as its future is not wrapped: it is already timed as the
//! function. Neither is one that a function drives.

use std::mem;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Error, Expr, ExprClosure, ExprIf, ExprMatch, Item, Local, Macro, Meta, Result, Stmt,
};

use crate::args::Args;
use crate::attributes::{hand_down, is_ours, take};
use crate::escape::{self, ValueUse};
use crate::joined::{self, ArmUses};
use crate::moved::MovedNames;
use crate::points::{begins_with_place, compares, diverges};
use crate::{boxed, check, driver, expand};

/// The kind of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Body {
    /// The body of an `async fn`.
    Async,
    /// The body of a function that returns a future. An async block at its end is that future.
    ReturnsFuture,
    /// The body of a function that only drives an executor. Its future is timed as the function.
    Drives,
    /// The body of any other function.
    Plain,
}

/// Rewrites a body, at any depth. Returns the sites of its await points, and the errors in it; a
/// part with an error is not timed.
pub(crate) fn rewrite(body: &mut Block, outer: &Args, is: Body) -> (Vec<TokenStream>, Option<Error>) {
    let outer = Some(Args::default().inherit(outer));
    let surroundings =
        Surroundings { skipped: false, is_async: is == Body::Async, returns: is == Body::ReturnsFuture };
    let mut blocks = Blocks::new(outer, surroundings, MovedNames::of(body));
    if surroundings.returns {
        blocks.returned_block(body);
    } else {
        if let Some(future) = driver::driven_block(body).filter(|_| is == Body::Drives) {
            blocks.returned(future);
            // Verbatim, so that it is not visited again.
            *future = Expr::Verbatim(future.to_token_stream());
        }
        blocks.value = ValueUse::RETURNS;
        blocks.visit_block_mut(body);
    }
    (blocks.points, blocks.error)
}

/// Only removes the attributes, from a body that stays as it is.
pub(crate) fn strip(body: &mut Block) {
    let surroundings = Surroundings { skipped: true, is_async: false, returns: false };
    Blocks::new(None, surroundings, MovedNames::default()).visit_block_mut(body);
}

pub(crate) struct Blocks {
    /// Arguments of the outer attribute, or `None` where nothing is to be timed.
    outer: Option<Args>,
    surroundings: Surroundings,
    /// The variables that the body may move.
    moved: MovedNames,
    /// Sites of the await points of the innermost body, by number.
    pub(crate) points: Vec<TokenStream>,
    /// Whether the next visited expression may be a place in memory, which cannot be passed through
    /// a call.
    is_place: bool,
    /// What the body does with a guard that the next visited expression acquires.
    pub(crate) guard: ValueUse,
    /// What the body does with the values of the arms of the next visited `join!`, if that is
    /// known.
    pub(crate) arms: Option<ArmUses>,
    /// What the body does with a guard that is the value of the next visited block.
    value: ValueUse,
    error: Option<Error>,
}

/// The surroundings of an expression.
#[derive(Debug, Clone, Copy)]
struct Surroundings {
    /// Inside a block with `#[diagnose(skip)]`.
    skipped: bool,
    /// Inside a body that allows `.await`.
    is_async: bool,
    /// Inside a function whose `return` returns the future.
    returns: bool,
}

impl VisitMut for Blocks {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        hand_down(expression);
        let (is_place, guard) = (mem::take(&mut self.is_place), mem::take(&mut self.guard));
        match expression {
            Expr::Macro(_) => self.macro_expression(expression, is_place, guard),
            Expr::Async(_) => self.block(expression),
            Expr::Await(_) => self.awaited(expression, guard),
            Expr::Closure(closure) => self.closure(closure),
            Expr::Return(end) if self.surroundings.returns => {
                self.visit_attributes_mut(&mut end.attrs);
                if let Some(future) = &mut end.expr {
                    self.returned(future);
                }
            }
            Expr::Call(call) if escape::is_ending(call) => {
                self.visit_attributes_mut(&mut call.attrs);
                for argument in &mut call.args {
                    self.guard = self.guard_use(|| ValueUse::STAYS);
                    self.visit_expr_mut(argument);
                }
            }
            _ => {
                self.is_place = begins_with_place(expression, is_place);
                self.guard = self.guard_use(|| escape::of_operand(expression, guard));
                if self.is_timing() {
                    self.arms = joined::of_field(expression, guard).or(self.arms.take());
                }
                match expression {
                    Expr::If(choice) => self.choice(choice, guard),
                    Expr::Match(choice) => self.matched(choice, guard),
                    Expr::Binary(operation) if compares(&operation.op) => {
                        self.visit_attributes_mut(&mut operation.attrs);
                        self.visit_expr_mut(&mut operation.left);
                        self.is_place = true;
                        self.visit_expr_mut(&mut operation.right);
                    }
                    _ => {
                        let has_value = matches!(expression, Expr::Block(_) | Expr::Unsafe(_));
                        self.value = if has_value { guard } else { ValueUse::MOVES };
                        visit_mut::visit_expr_mut(self, expression);
                    }
                }
            }
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        let value = mem::take(&mut self.value);
        let last = block.stmts.len().saturating_sub(1);
        let braces = block.brace_token.span.join();
        // If not, the compiler itself calls the last statement unreachable.
        let is_reached = !block.stmts.iter().take(last).any(diverges);
        for number in 0..block.stmts.len() {
            let Some((statement, rest)) = block.stmts[number..].split_first_mut() else { return };
            self.guard = self.guard_use(|| escape::of_statement(statement, rest, value, &self.moved));
            self.arms = joined::of_statement(statement, rest, value, self.guard);
            if let (Stmt::Expr(end, _), true) = (&mut *statement, number == last && is_reached) {
                self.mark_end(end);
            }
            match statement {
                Stmt::Expr(end, None) if number == last => self.visit_end(end, Some(braces)),
                Stmt::Macro(_) => self.macro_statement(statement, (number == last).then_some(braces)),
                other => {
                    if !self.macro_local(other) {
                        self.visit_stmt_mut(other);
                    }
                }
            }
            (self.guard, self.arms) = (ValueUse::default(), None);
        }
    }

    fn visit_local_mut(&mut self, statement: &mut Local) {
        if !self.instrumented(statement) {
            visit_mut::visit_local_mut(self, statement);
        }
    }

    /// Attributes that the blocks have not taken are in a wrong place.
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        if let Some(attribute) = take(attributes) {
            self.refuse(check::not_a_block(&attribute));
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut Macro) {
        self.invocation(invocation);
    }

    /// Items in the body have attributes of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Blocks {
    fn new(outer: Option<Args>, surroundings: Surroundings, moved: MovedNames) -> Self {
        Self {
            outer,
            surroundings,
            moved,
            points: Vec::new(),
            is_place: false,
            guard: ValueUse::MOVES,
            arms: None,
            value: ValueUse::MOVES,
            error: None,
        }
    }

    /// Returns the arguments for await points, if those are recorded here.
    pub(crate) fn awaits(&self) -> Option<&Args> {
        let outer = self.outer.as_ref().filter(|outer| outer.awaits != Some(false))?;
        (self.surroundings.is_async && !self.surroundings.skipped).then_some(outer)
    }

    fn guard_use(&self, find: impl FnOnce() -> ValueUse) -> ValueUse {
        if self.is_timing() { find() } else { ValueUse::UNKNOWN }
    }

    /// Visits an `if`, with whose value the body does `value`.
    fn choice(&mut self, choice: &mut ExprIf, value: ValueUse) {
        self.visit_attributes_mut(&mut choice.attrs);
        self.visit_expr_mut(&mut choice.cond);
        self.value = value;
        self.visit_block_mut(&mut choice.then_branch);
        if let Some((_, otherwise)) = &mut choice.else_branch {
            self.guard = value;
            self.visit_expr_mut(otherwise);
        }
    }

    /// Visits a `match`, with whose value the body does `value`.
    fn matched(&mut self, choice: &mut ExprMatch, value: ValueUse) {
        self.visit_attributes_mut(&mut choice.attrs);
        self.visit_expr_mut(&mut choice.expr);
        for arm in &mut choice.arms {
            self.visit_attributes_mut(&mut arm.attrs);
            self.visit_pat_mut(&mut arm.pat);
            self.guard = value;
            arm.attrs.extend(self.end_attribute(&arm.body));
            self.visit_end(&mut arm.body, None);
        }
    }

    /// Visits the value of an arm, or of a block with these braces.
    pub(crate) fn visit_end(&mut self, end: &mut Expr, braces: Option<Span>) {
        if !self.macro_end(end, braces) {
            self.visit_expr_mut(end);
        }
    }

    /// Returns the attribute of an expression at the end of a block or arm, if it has one.
    fn end_attribute(&self, end: &Expr) -> Option<Attribute> {
        matches!(end, Expr::Await(point) if self.is_point(point)).then(expand::allow_unreachable)
    }

    fn mark_end(&self, end: &mut Expr) {
        if let (Some(attribute), Expr::Await(point)) = (self.end_attribute(end), end) {
            point.attrs.push(attribute);
        }
    }

    /// Returns the arguments for an async block without an attribute, if those are timed and
    /// `.await` is allowed here.
    pub(crate) fn inline(&self) -> Option<&Args> {
        self.outer.as_ref().filter(|_| self.surroundings.is_async && !self.surroundings.skipped)
    }

    pub(crate) fn is_timing(&self) -> bool {
        self.outer.is_some() && !self.surroundings.skipped
    }

    fn block(&mut self, expression: &mut Expr) {
        let Expr::Async(block) = expression else { return };
        let own = match (take(&mut block.attrs), &self.outer) {
            (Some(attribute), Some(outer)) => own_args(&attribute).map(|own| Some(own.inherit(outer))),
            (None, Some(outer)) if !self.surroundings.skipped => Ok(Some(Args::default().inherit(outer))),
            _ => Ok(None),
        };
        let own = own.unwrap_or_else(|error| {
            self.refuse(error);
            None
        });
        let skipped = own.as_ref().is_none_or(|own| own.skip.is_some());
        let inside = Surroundings { skipped, is_async: true, returns: false };
        let Some(own) = own.filter(|_| !skipped) else {
            return self.within(inside, |this| visit_mut::visit_expr_async_mut(this, block));
        };
        let outer = self.outer.replace(own);
        let points = self.body(inside, |this| visit_mut::visit_expr_async_mut(this, block));
        if let (Some(own), Expr::Async(block)) =
            (mem::replace(&mut self.outer, outer), mem::replace(expression, Expr::PLACEHOLDER))
        {
            *expression = expand::block(&own, block, &points);
        }
    }

    fn closure(&mut self, closure: &mut ExprClosure) {
        let is_async = closure.asyncness.is_some();
        let inside = Surroundings { is_async, returns: false, ..self.surroundings };
        let points = self.body(inside, |this| {
            // It becomes the end of a block.
            this.mark_end(&mut closure.body);
            if this.macro_end(&mut closure.body, None) {
                this.visit_attributes_mut(&mut closure.attrs);
            } else {
                visit_mut::visit_expr_closure_mut(this, closure);
            }
        });
        if let Some(outer) = self.outer.as_ref().filter(|_| is_async && self.is_timing()) {
            expand::closure(&Args::default().inherit(outer), closure, &points);
        }
    }

    /// Visits the body of a function that returns a future, or a block at its end.
    fn returned_block(&mut self, body: &mut Block) {
        let last = body.stmts.len().saturating_sub(1);
        for (number, statement) in body.stmts.iter_mut().enumerate() {
            match statement {
                Stmt::Expr(future, None) if number == last => self.returned(future),
                other => self.visit_stmt_mut(other),
            }
        }
    }

    /// Visits an expression whose value is the returned future.
    fn returned(&mut self, expression: &mut Expr) {
        hand_down(expression);
        if let Expr::Async(block) = expression {
            if block.attrs.iter().any(is_ours) {
                return self.block(expression);
            }
            let inside = Surroundings { is_async: true, returns: false, ..self.surroundings };
            self.value = ValueUse::RETURNS;
            return self.within(inside, |this| visit_mut::visit_expr_async_mut(this, block));
        }
        if let Some(future) = boxed::pinned(expression) {
            return self.returned(future);
        }
        match expression {
            Expr::MethodCall(call) if call.method == "boxed" || call.method == "boxed_local" => {
                self.visit_attributes_mut(&mut call.attrs);
                self.returned(&mut call.receiver);
            }
            Expr::Block(block) => {
                self.visit_attributes_mut(&mut block.attrs);
                self.returned_block(&mut block.block);
            }
            Expr::If(choice) => {
                self.visit_attributes_mut(&mut choice.attrs);
                self.visit_expr_mut(&mut choice.cond);
                self.returned_block(&mut choice.then_branch);
                if let Some((_, otherwise)) = &mut choice.else_branch {
                    self.returned(otherwise);
                }
            }
            Expr::Match(choice) => {
                self.visit_attributes_mut(&mut choice.attrs);
                self.visit_expr_mut(&mut choice.expr);
                for arm in &mut choice.arms {
                    self.visit_attributes_mut(&mut arm.attrs);
                    self.visit_pat_mut(&mut arm.pat);
                    self.returned(&mut arm.body);
                }
            }
            _ => self.visit_expr_mut(expression),
        }
    }

    /// Visits a body with await points of its own.
    fn body(&mut self, inside: Surroundings, visit: impl FnOnce(&mut Self)) -> Vec<TokenStream> {
        let outside = mem::take(&mut self.points);
        self.within(inside, visit);
        mem::replace(&mut self.points, outside)
    }

    fn within(&mut self, inside: Surroundings, visit: impl FnOnce(&mut Self)) {
        let outside = mem::replace(&mut self.surroundings, inside);
        visit(self);
        self.surroundings = outside;
    }

    fn refuse(&mut self, error: Error) {
        match &mut self.error {
            Some(errors) => errors.combine(error),
            None => self.error = Some(error),
        }
    }
}

fn own_args(attribute: &Attribute) -> Result<Args> {
    match &attribute.meta {
        Meta::Path(_) => Ok(Args::default()),
        Meta::List(list) => list.parse_args_with(Args::of_block),
        Meta::NameValue(value) => {
            Err(Error::new_spanned(value, "expected `#[diagnose]` or `#[diagnose(…)]`"))
        }
    }
}
