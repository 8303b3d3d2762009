//! `#[diagnose]` on async blocks inside an annotated function.
//!
//! Attributes on expressions are not stable, so the compiler must not see them: the attribute around the function
//! finds them and rewrites the blocks. It looks into the arguments of macros as well, as in `join!(#[diagnose] async
//! { … }, …)`, where everything but the annotated blocks stays as it is.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Error, Expr, ExprAsync, Item, Macro, Meta, Result};

use crate::args::Args;
use crate::attributes::{is_ours, take};
use crate::{check, expand};

/// Rewrites every annotated async block in a body, however deep.
pub(crate) fn rewrite(body: &mut Block, outer: &Args) -> Result<()> {
    let mut blocks = Blocks { outer: Some(outer), error: None };
    blocks.visit_block_mut(body);
    blocks.error.map_or(Ok(()), Err)
}

/// Only takes the attributes out, from a body that stays as it is.
pub(crate) fn strip(body: &mut Block) {
    Blocks { outer: None, error: None }.visit_block_mut(body);
}

struct Blocks<'a> {
    /// The arguments of the attribute around, or `None` where nothing is to be timed.
    outer: Option<&'a Args>,
    error: Option<Error>,
}

impl VisitMut for Blocks<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        hand_down(expression);
        let attribute = match expression {
            Expr::Async(block) => take(&mut block.attrs),
            _ => None,
        };
        visit_mut::visit_expr_mut(self, expression);
        if let (Some(attribute), Some(outer), Expr::Async(block)) = (attribute, self.outer, &*expression) {
            match timed(block, &attribute, outer) {
                Ok(Some(timed)) => *expression = timed,
                Ok(None) => {}
                Err(error) => self.refuse(error),
            }
        }
    }

    /// What is still there after the blocks have taken theirs stands in a wrong place.
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        if let Some(attribute) = take(attributes) {
            self.refuse(check::not_a_block(&attribute));
        }
    }

    fn visit_macro_mut(&mut self, invocation: &mut Macro) {
        if let Some(tokens) = self.in_tokens(&invocation.tokens) {
            invocation.tokens = tokens;
        }
    }

    /// Items in the body have attributes of their own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}

impl Blocks<'_> {
    /// The arguments of a macro with their annotated blocks rewritten, or `None` if there are none.
    fn in_tokens(&mut self, tokens: &TokenStream) -> Option<TokenStream> {
        let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
        let mut rewritten = TokenStream::new();
        let mut any = false;
        let mut at = 0;
        while at < tokens.len() {
            if let Some((mut block, length)) = annotated_block(&tokens[at..]) {
                self.visit_expr_mut(&mut block);
                block.to_tokens(&mut rewritten);
                any = true;
                at += length;
                continue;
            }
            let inside = match &tokens[at] {
                TokenTree::Group(group) => {
                    self.in_tokens(&group.stream()).map(|inside| regroup(group, inside))
                }
                _ => None,
            };
            any |= inside.is_some();
            rewritten.extend([inside.unwrap_or_else(|| tokens[at].clone())]);
            at += 1;
        }
        any.then_some(rewritten)
    }

    fn refuse(&mut self, error: Error) {
        match &mut self.error {
            Some(errors) => errors.combine(error),
            None => self.error = Some(error),
        }
    }
}

/// The block as a span, or `None` if its attribute says `skip`.
fn timed(block: &ExprAsync, attribute: &Attribute, outer: &Args) -> Result<Option<Expr>> {
    let args: Args = match &attribute.meta {
        Meta::Path(_) => Args::default(),
        Meta::List(list) => list.parse_args()?,
        Meta::NameValue(value) => {
            return Err(Error::new_spanned(value, "expected `#[diagnose]` or `#[diagnose(…)]`"));
        }
    };
    if args.skip.is_some() {
        return Ok(None);
    }
    expand::block(&args.inherit(outer), block).map(Some)
}

/// The `#[diagnose] async move { … }` that these tokens begin with, and how many tokens it is.
fn annotated_block(tokens: &[TokenTree]) -> Option<(Expr, usize)> {
    let [TokenTree::Punct(pound), TokenTree::Group(attribute), TokenTree::Ident(keyword), after @ ..] =
        tokens
    else {
        return None;
    };
    if pound.as_char() != '#' || attribute.delimiter() != Delimiter::Bracket || keyword != "async" {
        return None;
    }
    let length = match after {
        [TokenTree::Ident(capture), ..] if capture == "move" => 5,
        _ => 4,
    };
    let block = syn::parse2(tokens.get(..length)?.iter().cloned().collect()).ok()?;
    matches!(&block, Expr::Async(block) if block.attrs.iter().any(is_ours)).then_some((block, length))
}

fn regroup(group: &Group, inside: TokenStream) -> TokenTree {
    let mut regrouped = Group::new(group.delimiter(), inside);
    regrouped.set_span(group.span());
    TokenTree::Group(regrouped)
}

/// Moves the attribute from a chain like `async { … }.await?` to the block that the chain begins with: an attribute
/// before it is one on all of the chain.
fn hand_down(expression: &mut Expr) {
    if block_at_start(expression).is_none() {
        return;
    }
    let attribute = chain(expression).and_then(|(attributes, _)| take(attributes));
    if let (Some(attribute), Some(attributes)) = (attribute, block_at_start(expression)) {
        attributes.push(attribute);
    }
}

/// The attributes of the async block that a chain begins with.
fn block_at_start(expression: &mut Expr) -> Option<&mut Vec<Attribute>> {
    match expression {
        Expr::Async(block) => Some(&mut block.attrs),
        _ => block_at_start(chain(expression)?.1),
    }
}

/// The attributes of a link of a chain of `.await`, `?`, calls and fields, and the link before it.
fn chain(expression: &mut Expr) -> Option<(&mut Vec<Attribute>, &mut Expr)> {
    match expression {
        Expr::Await(link) => Some((&mut link.attrs, &mut link.base)),
        Expr::Try(link) => Some((&mut link.attrs, &mut link.expr)),
        Expr::MethodCall(link) => Some((&mut link.attrs, &mut link.receiver)),
        Expr::Field(link) => Some((&mut link.attrs, &mut link.base)),
        _ => None,
    }
}
