//! The attribute when recording is compiled out.
//!
//! The item is returned unchanged, except for attributes on async blocks in it, which the compiler
//! rejects. Code that the attribute refuses with the feature `on` is refused here too, as far as
//! raw tokens show it: a library that compiles without the feature should compile with it. This
//! module works without syn.

use proc_macro::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};

use crate::accepted::{self, ACCEPTED, ACCEPTED_BY_BLOCK};

/// Runs the whole macro. After an error, the item is still emitted.
pub(crate) fn diagnose(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = TokenStream::new();
    let names = arguments(args, ACCEPTED, &mut errors);
    if errors.is_empty() && !names.iter().any(|name| name.to_string() == "skip") {
        check_item(&names, &item, &mut errors);
    }
    let mut output = strip(item, Level::Items, &mut None, &mut errors);
    output.extend(errors);
    output
}

/// Checks the arguments. Returns their names.
fn arguments(args: TokenStream, accepted: &str, errors: &mut TokenStream) -> Vec<Ident> {
    let mut names: Vec<Ident> = Vec::new();
    let tokens: Vec<TokenTree> = args.into_iter().map(bare).collect();
    for argument in tokens.split_inclusive(is_comma) {
        let value = match argument {
            [value @ .., last] if is_comma(last) => value,
            value => value,
        };
        let message = match value {
            [TokenTree::Ident(key), value @ ..] => {
                let name = key.to_string();
                let message = if names.iter().any(|known| known.to_string() == name) {
                    Some(accepted::twice(&name))
                } else {
                    value_error(&name, value, accepted)
                };
                names.push(key.clone());
                message.map(|message| (message, key.span()))
            }
            [other, ..] => Some((accepted.to_owned(), other.span())),
            [] => Some((accepted.to_owned(), argument[0].span())),
        };
        if let Some((message, span)) = message {
            errors.extend(error(&message, span));
            break;
        }
    }
    names
}

/// Takes a token out of the group that the compiler puts around what a `macro_rules!` has matched,
/// such as `$name:literal`.
fn bare(token: TokenTree) -> TokenTree {
    let TokenTree::Group(group) = &token else { return token };
    let mut inside = group.stream().into_iter();
    match (group.delimiter(), inside.next(), inside.next()) {
        (Delimiter::None, Some(only), None) => bare(only),
        _ => token,
    }
}

fn is_comma(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',')
}

/// Returns the error of an argument, of which `value` is what follows the name.
fn value_error(name: &str, value: &[TokenTree], accepted: &str) -> Option<String> {
    let value = match value {
        [] => None,
        [TokenTree::Punct(equals), value @ ..] if equals.as_char() == '=' => Some(value),
        _ => return Some("expected `,`".to_owned()),
    };
    if ["root", "all", "skip"].contains(&name) {
        return value.map(|_| accepted::no_value(name)).or_else(|| {
            (name == "all" && accepted == ACCEPTED_BY_BLOCK).then(|| accepted::NOT_FOR_ALL.to_owned())
        });
    }
    let kind = match name {
        "name" | "label" => "a string literal",
        "awaits" => "`true` or `false`",
        "crate" => "a path",
        _ => return Some(accepted::unknown(name, accepted)),
    };
    let Some(value) = value else { return Some(accepted::needs_value(name, kind)) };
    let is_fit = match value {
        [only] if name == "awaits" => ["true", "false"].contains(&only.to_string().as_str()),
        [TokenTree::Literal(text)] if name != "awaits" => {
            let text = text.to_string();
            text.starts_with('"') || text.starts_with("r\"") || text.starts_with("r#")
        }
        value => name == "crate" && !value.is_empty(),
    };
    if is_fit {
        return None;
    }
    Some(if name == "awaits" { accepted::not_boolean(name) } else { accepted::not_text(name) })
}

/// Refuses an item that cannot be timed, or that does not take one of these arguments.
fn check_item(names: &[Ident], item: &TokenStream, errors: &mut TokenStream) {
    let tokens: Vec<TokenTree> = item.clone().into_iter().collect();
    let named = |wanted: &[&str]| names.iter().find(|name| wanted.contains(&name.to_string().as_str()));
    let mut constant = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let TokenTree::Ident(word) = token else {
            // An attribute, or the groups and literals of `pub(crate)` and `extern "C"`.
            continue;
        };
        let (text, span) = (word.to_string(), word.span());
        let message = match text.as_str() {
            "const" => {
                constant = Some(span);
                continue;
            }
            "pub" | "default" | "async" | "unsafe" | "safe" | "extern" | "auto" => continue,
            "fn" => {
                let is_bare = matches!(tokens.last(), Some(TokenTree::Punct(end)) if end.as_char() == ';');
                match (constant, named(&["all"])) {
                    (Some(span), _) => Some((accepted::CONST_FUNCTION.to_owned(), span)),
                    (_, Some(all)) => Some((accepted::NOT_FOR_ALL.to_owned(), all.span())),
                    _ if is_bare => {
                        let name = tokens.get(at).map_or(span, TokenTree::span);
                        Some((accepted::WITHOUT_BODY.to_owned(), name))
                    }
                    _ => None,
                }
            }
            "impl" | "trait" | "mod" => named(&["name", "label", "root"])
                .map(|name| (accepted::of_one_function(&name.to_string()), name.span())),
            _ => {
                let kind = match text.as_str() {
                    "struct" => Some("a struct"),
                    "enum" => Some("an enum"),
                    "union" => Some("a union"),
                    "static" => Some("a static"),
                    "type" => Some("a type alias"),
                    "use" => Some("an import"),
                    _ => constant.map(|_| "a constant"),
                };
                kind.map(|kind| (accepted::not_a_function(kind), constant.unwrap_or(span)))
            }
        };
        if let Some((message, span)) = message {
            errors.extend(error(&message, span));
        }
        return;
    }
}

/// What the tokens are in which attributes are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// Items: an annotated item, or the members of one.
    Items,
    /// The body of a function, at any depth.
    Body,
}

impl Level {
    /// The level inside the braces of the item that begins with this word.
    fn inside_item(self, word: &Ident, next: Option<&TokenTree>) -> Option<Inside> {
        let is_body = self == Self::Body;
        match word.to_string().as_str() {
            // Not a pointer to a function.
            "fn" if matches!(next, Some(TokenTree::Ident(_))) => {
                Some(if is_body { Inside::Unchanged } else { Inside::Level(Self::Body) })
            }
            // The attributes in an item of a body are those of its own attribute, if it has one.
            "impl" | "trait" | "mod" | "macro_rules" if is_body => Some(Inside::Unchanged),
            "impl" | "trait" | "mod" => Some(Inside::Level(Self::Items)),
            _ => None,
        }
    }
}

/// What is done with the next braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Level(Level),
    Unchanged,
}

/// Removes `#[diagnose…]` before `async` blocks, where the feature `on` reads it too. `item` is set
/// from the first word of an item to the end of its braces.
fn strip(
    tokens: TokenStream,
    level: Level,
    item: &mut Option<Inside>,
    errors: &mut TokenStream,
) -> TokenStream {
    if !has_attribute(&tokens) {
        return tokens;
    }
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut output = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let next = tokens.get(at + 1);
        if let Some(attribute) = (level == Level::Body).then(|| attribute_at(&tokens[at..])).flatten() {
            if let Some(TokenTree::Group(args)) = attribute.stream().into_iter().last() {
                arguments(args.stream(), ACCEPTED_BY_BLOCK, errors);
            }
            at += 2;
            continue;
        }
        match token {
            TokenTree::Ident(word) => *item = item.or_else(|| level.inside_item(word, next)),
            TokenTree::Punct(end) if end.as_char() == ';' => *item = None,
            _ => {}
        }
        output.push(match token {
            // What a `macro_rules!` has matched, such as a body.
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                TokenTree::Group(stripped(group, level, item, errors))
            }
            TokenTree::Group(group) => {
                let is_braces = group.delimiter() == Delimiter::Brace;
                let inside = item.filter(|_| is_braces);
                // Braces in a list of generic arguments are not the body.
                let is_argument =
                    matches!(next, Some(TokenTree::Punct(after)) if [',', '>'].contains(&after.as_char()));
                if is_braces && !is_argument {
                    *item = None;
                }
                match inside {
                    Some(Inside::Level(level)) => TokenTree::Group(stripped(group, level, &mut None, errors)),
                    None if level == Level::Body => {
                        TokenTree::Group(stripped(group, level, &mut None, errors))
                    }
                    _ => token.clone(),
                }
            }
            other => other.clone(),
        });
        at += 1;
    }
    output.into_iter().collect()
}

fn stripped(group: &Group, level: Level, item: &mut Option<Inside>, errors: &mut TokenStream) -> Group {
    let mut inside = Group::new(group.delimiter(), strip(group.stream(), level, item, errors));
    inside.set_span(group.span());
    inside
}

fn has_attribute(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    (0..tokens.len()).any(|at| {
        attribute_at(&tokens[at..]).is_some()
            || matches!(&tokens[at], TokenTree::Group(group) if has_attribute(&group.stream()))
    })
}

/// Returns the `[path::to::diagnose …]` of an attribute at the start, if it belongs to an async
/// block. Other attributes may follow.
fn attribute_at(tokens: &[TokenTree]) -> Option<&Group> {
    let (attribute, mut rest) = attribute(tokens).filter(|(attribute, _)| is_diagnose(attribute))?;
    while let Some((_, after)) = self::attribute(rest) {
        rest = after;
    }
    let is =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(ident) if ident.to_string() == word);
    let is_block =
        |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let is_async = match rest {
        [first, second, third, ..] if is(second, "move") => is(first, "async") && is_block(third),
        [first, second, ..] => is(first, "async") && is_block(second),
        _ => false,
    };
    is_async.then_some(attribute)
}

/// Returns the attribute at the start, and what follows.
fn attribute(tokens: &[TokenTree]) -> Option<(&Group, &[TokenTree])> {
    match tokens {
        [TokenTree::Punct(pound), TokenTree::Group(attribute), rest @ ..]
            if pound.as_char() == '#' && attribute.delimiter() == Delimiter::Bracket =>
        {
            Some((attribute, rest))
        }
        _ => None,
    }
}

/// Returns whether the attribute's path ends in `diagnose`.
fn is_diagnose(attribute: &Group) -> bool {
    let path = attribute.stream().into_iter().take_while(|token| !matches!(token, TokenTree::Group(_)));
    let last = path.filter_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()),
        _ => None,
    });
    last.last().is_some_and(|word| word == "diagnose")
}

/// `::core::compile_error! { "message" }`, with this span.
fn error(message: &str, span: Span) -> TokenStream {
    let tokens: TokenStream = format!("::core::compile_error! {{ {message:?} }}").parse().unwrap_or_default();
    let spanned = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &mut token {
            let inside = group.stream().into_iter().map(|mut token| {
                token.set_span(span);
                token
            });
            *group = Group::new(group.delimiter(), inside.collect());
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(spanned).collect()
}
