//! Moves the arguments of an `async fn` into the future, exactly as the compiler would.
//!
//! An `async fn` owns all its arguments until it ends, used or not, and drops them in reverse
//! order. The `async move` block that replaces it captures only the names it mentions, in the order
//! of their mention. So the block begins by naming every argument, the last one first. The
//! arguments are then stored once: the body uses the captures themselves.
//!
//! A pattern is destructured in the block. Its bindings are variables of the block, which are
//! dropped before all captures. So the arguments after it become variables too.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident};
use syn::ext::IdentExt as _;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ExprClosure, FnArg, LitStr, Pat, PatIdent, PatRest, PatType, PatWild, Signature};

/// An argument that the block must name.
pub(crate) struct Capture {
    /// The name to mention: `self`, the argument, or the name that replaces a pattern.
    pub(crate) name: Ident,
    /// Its `#[cfg]`s: they may remove the argument.
    pub(crate) cfgs: Vec<Attribute>,
    /// Its `#[allow]`s and other lint levels, if a warning may arise in the block.
    pub(crate) levels: Vec<Attribute>,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// The body uses the capture itself.
    Plain {
        /// Whether neither body nor label mentions it, so that the compiler must still be able to
        /// warn.
        unused: bool,
    },
    /// An argument after a pattern. It becomes a variable of the block with this pattern, which is
    /// its name.
    Variable { pattern: Pat, unused: bool },
    /// A pattern that is destructured in the block, as in `async fn f((a, _): (A, B))`.
    Pattern(Pat),
}

/// Returns the arguments of a function, in order. Replaces patterns in the signature by names.
///
/// With `keeps_patterns`, they stay, for an attribute that reads the signature next. The function
/// around the block destructures them, and the block captures the bindings that it mentions.
pub(crate) fn of(signature: &mut Signature, mentioned: &Mentions, keeps_patterns: bool) -> Vec<Capture> {
    let mut behind_a_pattern = false;
    let mut captures = Vec::new();
    for (number, argument) in signature.inputs.iter_mut().enumerate() {
        captures.push(match argument {
            FnArg::Typed(argument) if keeps_patterns && name(&argument.pat).is_none() => {
                // The compiler warns of others.
                let is_used = |name: &Ident| name.to_string().starts_with('_') || mentioned.contains(name);
                captures.extend(bindings(&argument.pat).filter(is_used).map(|name| {
                    let cfgs = cfgs(&argument.attrs);
                    Capture { name, cfgs, levels: Vec::new(), kind: Kind::Plain { unused: false } }
                }));
                continue;
            }
            FnArg::Receiver(receiver) => Capture {
                name: Ident::from(receiver.self_token),
                cfgs: cfgs(&receiver.attrs),
                levels: Vec::new(),
                kind: Kind::Plain { unused: false },
            },
            FnArg::Typed(argument) => {
                let capture = of_argument(argument, number, mentioned, behind_a_pattern);
                behind_a_pattern |= matches!(&capture.kind, Kind::Pattern(pattern) if !is_wild(pattern));
                capture
            }
        });
    }
    captures
}

fn of_argument(
    argument: &mut PatType,
    number: usize,
    mentioned: &Mentions,
    behind_a_pattern: bool,
) -> Capture {
    let cfgs = cfgs(&argument.attrs);
    if let Some(name) = name(&argument.pat).cloned() {
        let unused = !name.to_string().starts_with('_') && !mentioned.contains(&name);
        if !behind_a_pattern {
            let levels = if unused { levels(&mut argument.attrs) } else { Vec::new() };
            return Capture { name, cfgs, levels, kind: Kind::Plain { unused } };
        }
        let pattern = std::mem::replace(&mut *argument.pat, plain(name.clone()));
        return Capture {
            name,
            cfgs,
            levels: levels(&mut argument.attrs),
            kind: Kind::Variable { pattern, unused },
        };
    }
    let name = format_ident!("__diagnose_argument_{number}", span = Span::mixed_site());
    let pattern = std::mem::replace(&mut *argument.pat, plain(name.clone()));
    let kind = match pattern {
        Pat::Wild(_) if !behind_a_pattern => Kind::Plain { unused: false },
        pattern => Kind::Pattern(pattern),
    };
    Capture { name, cfgs, levels: levels(&mut argument.attrs), kind }
}

/// The name of an argument that is no pattern.
fn name(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(PatIdent { by_ref: None, subpat: None, ident, .. }) => Some(ident),
        _ => None,
    }
}

/// The variables of a pattern, in order.
fn bindings(pattern: &Pat) -> impl Iterator<Item = Ident> {
    let mut variables = Variables::default();
    variables.visit_pat_mut(&mut pattern.clone());
    variables.names.into_iter().map(|(name, _)| name)
}

pub(crate) fn is_wild(pattern: &Pat) -> bool {
    matches!(pattern, Pat::Wild(_))
}

fn plain(ident: Ident) -> Pat {
    Pat::Ident(PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident, subpat: None })
}

fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

/// Returns the lint levels of an argument. An expected warning now arises where the argument is
/// named again, so an `expect` moves there. The others hold in both places.
fn levels(attributes: &mut Vec<Attribute>) -> Vec<Attribute> {
    let is = |attribute: &Attribute, names: &[&str]| names.iter().any(|name| attribute.path().is_ident(name));
    let levels = attributes
        .iter()
        .filter(|it| is(it, &["allow", "cfg_attr", "deny", "expect", "forbid", "warn"]))
        .cloned();
    let levels = levels.collect();
    attributes.retain(|attribute| !is(attribute, &["expect"]));
    levels
}

/// The arguments that a body may mention: as a variable, or as a word in a string literal, which
/// may contain `{argument}`.
pub(crate) struct Mentions {
    /// Each argument, and whether it is mentioned.
    names: Vec<(String, bool)>,
}

impl Mentions {
    /// Finds the arguments that the body and a label mention.
    pub(crate) fn of(signature: &Signature, body: &TokenStream, label: Option<&LitStr>) -> Self {
        let names = signature.inputs.iter().flat_map(|argument| match argument {
            FnArg::Typed(argument) => bindings(&argument.pat).collect(),
            FnArg::Receiver(_) => Vec::new(),
        });
        let mut mentions = Self { names: names.map(|name| (name.unraw().to_string(), false)).collect() };
        if !mentions.names.is_empty() {
            mentions.collect(label.to_token_stream());
            mentions.collect(body.clone());
        }
        mentions
    }

    fn collect(&mut self, tokens: TokenStream) {
        // The punctuation before a token, and whether it is the second of two.
        let mut before = (' ', false);
        for token in tokens {
            if self.names.iter().all(|(_, is_mentioned)| *is_mentioned) {
                return;
            }
            let mut punctuation = (' ', false);
            match token {
                TokenTree::Group(group) => self.collect(group.stream()),
                // A field or a method, but not the name in `..end`; or an item in a path, which the
                // code added to the body may name too.
                TokenTree::Ident(_) if matches!(before, ('.', false) | (':', true)) => {}
                TokenTree::Ident(identifier) => self.mention(&identifier.unraw().to_string()),
                TokenTree::Literal(literal) => self.collect_words(&literal.to_string()),
                TokenTree::Punct(punct) => {
                    punctuation = (punct.as_char(), before == (punct.as_char(), false));
                }
            }
            before = punctuation;
        }
    }

    fn collect_words(&mut self, literal: &str) {
        for word in literal.split(|c: char| c != '_' && !c.is_alphanumeric()) {
            // A zero may precede a name, as in `{:08}` or `{:0width$}`.
            self.mention(word.trim_start_matches(|c: char| c.is_ascii_digit()));
        }
    }

    fn mention(&mut self, word: &str) {
        for (name, is_mentioned) in &mut self.names {
            *is_mentioned |= name == word;
        }
    }

    fn contains(&self, name: &Ident) -> bool {
        let name = name.unraw().to_string();
        self.names.iter().any(|(known, is_mentioned)| *known == name && *is_mentioned)
    }
}

/// The variables in the arguments of a closure.
#[derive(Default)]
pub(crate) struct Variables {
    /// Each, and whether the body mentions it; the last one first.
    pub(crate) names: Vec<(Ident, bool)>,
    pub(crate) has_mut: bool,
    /// Whether there may be a part without a variable, which stays where it is. That of the first
    /// argument does not count: it is dropped last anyway.
    has_rest: bool,
    has_cfg: bool,
}

impl Variables {
    /// Finds the variables of a closure, if they are all there is of its arguments.
    pub(crate) fn of(closure: &mut ExprClosure) -> Self {
        let mut variables = Self::default();
        for (number, pattern) in closure.inputs.iter_mut().enumerate() {
            variables.visit_pat_mut(pattern);
            variables.has_rest &= number > 0;
        }
        if variables.has_rest || variables.has_cfg {
            return Self::default();
        }
        let names = variables.names.iter().map(|(name, _)| (name.unraw().to_string(), false));
        let mut mentions = Mentions { names: names.collect() };
        mentions.collect(closure.body.to_token_stream());
        for (name, is_mentioned) in &mut variables.names {
            *is_mentioned = mentions.contains(name);
        }
        variables.names.reverse();
        variables
    }
}

impl VisitMut for Variables {
    fn visit_pat_ident_mut(&mut self, pattern: &mut PatIdent) {
        self.has_mut |= pattern.mutability.is_some();
        // A variable is in each case of `A(x) | B(x)`.
        if self.names.iter().all(|(name, _)| *name != pattern.ident) {
            self.names.push((pattern.ident.clone(), false));
        }
        visit_mut::visit_pat_ident_mut(self, pattern);
    }

    fn visit_pat_wild_mut(&mut self, _: &mut PatWild) {
        self.has_rest = true;
    }

    fn visit_pat_rest_mut(&mut self, _: &mut PatRest) {
        self.has_rest = true;
    }

    fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
        self.has_cfg |= attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr");
    }
}
