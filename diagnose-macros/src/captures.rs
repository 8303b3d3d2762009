//! How the arguments of an `async fn` get into the future, exactly as the compiler would put them there.
//!
//! An `async fn` owns all its arguments until it ends, used or not, and drops them in reverse order. The `async move`
//! block that takes its place captures only what it names, in the order in which it names it. So the block begins by
//! naming every argument, the last one first. They are then stored once: the body uses the captures themselves.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident};
use syn::{Attribute, Block, FnArg, Pat, PatIdent, Signature};

/// An argument that the block must name.
pub(crate) struct Capture {
    /// What to name: `self`, the argument, or the name that took a pattern's place.
    pub(crate) name: Ident,
    /// Its `#[cfg]`s: it may not be there.
    pub(crate) cfgs: Vec<Attribute>,
    /// The pattern to take it apart with in the block, as in `async fn f((a, _): (A, B))`.
    pub(crate) pattern: Option<Pat>,
    /// Whether the body never mentions it, so that the compiler must be left something to warn of.
    pub(crate) unused: bool,
}

/// Finds the arguments of a function, in order, and gives those that are patterns a name in the signature.
pub(crate) fn of(signature: &mut Signature, body: &Block) -> Vec<Capture> {
    let mentioned = Mentions::of(body);
    let mut captures = Vec::new();
    for (number, argument) in signature.inputs.iter_mut().enumerate() {
        let capture = match argument {
            FnArg::Receiver(receiver) => Capture {
                name: Ident::from(receiver.self_token),
                cfgs: cfgs(&receiver.attrs),
                pattern: None,
                unused: false,
            },
            FnArg::Typed(typed) => {
                let cfgs = cfgs(&typed.attrs);
                match &*typed.pat {
                    Pat::Ident(PatIdent { by_ref: None, subpat: None, ident, .. }) => Capture {
                        name: ident.clone(),
                        cfgs,
                        pattern: None,
                        unused: !mentioned.contains(ident),
                    },
                    _ => {
                        let name = format_ident!("__diagnose_argument_{number}", span = Span::mixed_site());
                        let plain = Pat::Ident(PatIdent {
                            attrs: Vec::new(),
                            by_ref: None,
                            mutability: None,
                            ident: name.clone(),
                            subpat: None,
                        });
                        let pattern = std::mem::replace(&mut *typed.pat, plain);
                        Capture { name, cfgs, pattern: Some(pattern), unused: false }
                    }
                }
            }
        };
        captures.push(capture);
    }
    captures
}

fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Every identifier in a body, and the text of its string literals, which may name arguments as `{argument}`.
struct Mentions {
    identifiers: Vec<Ident>,
    literals: String,
}

impl Mentions {
    fn of(body: &Block) -> Self {
        let mut mentions = Self { identifiers: Vec::new(), literals: String::new() };
        mentions.collect(body.to_token_stream());
        mentions
    }

    fn collect(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.collect(group.stream()),
                TokenTree::Ident(identifier) => self.identifiers.push(identifier),
                TokenTree::Literal(literal) => self.literals.push_str(&literal.to_string()),
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn contains(&self, name: &Ident) -> bool {
        self.identifiers.contains(name) || self.literals.contains(&name.to_string())
    }
}
