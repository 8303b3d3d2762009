//! `#[diagnose]` on async blocks inside an annotated function.
//!
//! Attributes on expressions are not stable, so the compiler must not see them: the attribute around the function
//! finds them and rewrites the blocks.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Error, Expr, Item, Meta, Result, Stmt};

use crate::args::Args;
use crate::{check, expand};

/// Rewrites every annotated async block in a body, however deep.
pub(crate) fn rewrite(body: &mut Block, outer: &Args) -> Result<()> {
    let mut blocks = Blocks { outer, error: None };
    blocks.visit_block_mut(body);
    blocks.error.map_or(Ok(()), Err)
}

struct Blocks<'a> {
    outer: &'a Args,
    error: Option<Error>,
}

impl VisitMut for Blocks<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let Some(attribute) = attributes(expression).and_then(take) else { return };
        if let Err(error) = self.rewrite_block(expression, &attribute) {
            self.refuse(error);
        }
    }

    /// `#[diagnose] async { … }.await;` as a statement is one attribute on all of the expression: it is moved to the
    /// block at its beginning.
    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        if let Stmt::Expr(expression, _) = statement {
            hand_down(expression);
        }
        visit_mut::visit_stmt_mut(self, statement);
    }

    /// Items in the body have attributes of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Blocks<'_> {
    fn rewrite_block(&mut self, expression: &mut Expr, attribute: &Attribute) -> Result<()> {
        let args: Args = match &attribute.meta {
            Meta::Path(_) => Args::default(),
            Meta::List(list) => list.parse_args()?,
            Meta::NameValue(value) => {
                return Err(Error::new_spanned(value, "expected `#[diagnose]` or `#[diagnose(…)]`"));
            }
        };
        let Expr::Async(block) = &*expression else {
            return Err(check::not_a_block(attribute.pound_token.span));
        };
        if args.skip.is_none() {
            *expression = expand::block(&args.inherit(self.outer), block)?;
        }
        Ok(())
    }

    fn refuse(&mut self, error: Error) {
        match &mut self.error {
            Some(errors) => errors.combine(error),
            None => self.error = Some(error),
        }
    }
}

/// Moves the attribute from a chain like `async { … }.await?` to the block that the chain begins with.
fn hand_down(expression: &mut Expr) {
    if block_at_start(expression).is_none() {
        return;
    }
    if let Some(attribute) = attributes(expression).and_then(take) {
        if let Some(attributes) = block_at_start(expression) {
            attributes.push(attribute);
        }
    }
}

/// The attributes of the async block that a chain of `.await`, `?`, calls and fields begins with.
fn block_at_start(expression: &mut Expr) -> Option<&mut Vec<Attribute>> {
    match expression {
        Expr::Async(block) => Some(&mut block.attrs),
        Expr::Await(outer) => block_at_start(&mut outer.base),
        Expr::Try(outer) => block_at_start(&mut outer.expr),
        Expr::MethodCall(outer) => block_at_start(&mut outer.receiver),
        Expr::Field(outer) => block_at_start(&mut outer.base),
        _ => None,
    }
}

/// The attributes of the expressions that the attribute can be found on.
fn attributes(expression: &mut Expr) -> Option<&mut Vec<Attribute>> {
    Some(match expression {
        Expr::Async(it) => &mut it.attrs,
        Expr::Await(it) => &mut it.attrs,
        Expr::Block(it) => &mut it.attrs,
        Expr::Call(it) => &mut it.attrs,
        Expr::Closure(it) => &mut it.attrs,
        Expr::Field(it) => &mut it.attrs,
        Expr::If(it) => &mut it.attrs,
        Expr::Loop(it) => &mut it.attrs,
        Expr::Macro(it) => &mut it.attrs,
        Expr::Match(it) => &mut it.attrs,
        Expr::MethodCall(it) => &mut it.attrs,
        Expr::Path(it) => &mut it.attrs,
        Expr::Try(it) => &mut it.attrs,
        Expr::Unsafe(it) => &mut it.attrs,
        _ => return None,
    })
}

/// Takes out the attribute, if it is there.
fn take(attributes: &mut Vec<Attribute>) -> Option<Attribute> {
    let at = attributes.iter().position(|attribute| {
        attribute.path().segments.last().is_some_and(|last| last.ident == "diagnose")
    })?;
    Some(attributes.remove(at))
}
