//! The arguments of the attribute.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Error, Ident, LitBool, LitStr, Path, Result, Token};

use crate::accepted::{self, ACCEPTED, ACCEPTED_BY_BLOCK};

/// `#[diagnose(name = "…", label = "…", root, all, skip, awaits = false, crate = path)]`, in any
/// order.
#[derive(Default)]
pub(crate) struct Args {
    /// Name to show instead of the function's.
    pub(crate) name: Option<LitStr>,
    /// Format string over the function's arguments.
    pub(crate) label: Option<LitStr>,
    /// Whether the future is a task, and so always a root; the span of the word.
    pub(crate) root: Option<Span>,
    /// For an impl block, a trait or a module: whether functions that are not async are timed too;
    /// the span of the word.
    pub(crate) all: Option<Span>,
    /// Whether the item stays as it is; the span of the word.
    pub(crate) skip: Option<Span>,
    /// Whether await points are recorded. Without a value the outer attribute decides; the default
    /// is yes.
    pub(crate) awaits: Option<bool>,
    /// Path of the crate `diagnose`, if not `::diagnose`.
    pub(crate) krate: Option<Path>,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        Self::parse_accepted(input, ACCEPTED)
    }
}

impl Args {
    /// Parses the arguments of an async block.
    pub(crate) fn of_block(input: ParseStream<'_>) -> Result<Self> {
        let args = Self::parse_accepted(input, ACCEPTED_BY_BLOCK)?;
        match args.all {
            Some(span) => Err(Error::new(span, accepted::NOT_FOR_ALL)),
            None => Ok(args),
        }
    }

    fn parse_accepted(input: ParseStream<'_>, accepted: &str) -> Result<Self> {
        let mut args = Self::default();
        let mut seen: Vec<Ident> = Vec::new();
        while !input.is_empty() {
            let key = input.call(Ident::parse_any).map_err(|error| Error::new(error.span(), accepted))?;
            if seen.contains(&key) {
                return Err(Error::new(key.span(), accepted::twice(&key.to_string())));
            }
            args.parse_value(&key, input, accepted)?;
            seen.push(key);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }

    fn parse_value(&mut self, key: &Ident, input: ParseStream<'_>, accepted: &str) -> Result<()> {
        match key.to_string().as_str() {
            "name" => self.name = Some(not_empty(key, string(key, input)?)?),
            "label" => self.label = Some(not_empty(key, string(key, input)?)?),
            "crate" => self.krate = Some(path(key, input)?),
            "awaits" => self.awaits = Some(boolean(key, input)?),
            "root" => self.root = Some(flag(key, input)?),
            "all" => self.all = Some(flag(key, input)?),
            "skip" => self.skip = Some(flag(key, input)?),
            unknown => return Err(Error::new(key.span(), accepted::unknown(unknown, accepted))),
        }
        Ok(())
    }

    /// Adopts the settings of the outer attribute that this one does not set and that hold for
    /// everything inside.
    pub(crate) fn inherit(mut self, outer: &Self) -> Self {
        self.krate = self.krate.or_else(|| outer.krate.clone());
        self.awaits = self.awaits.or(outer.awaits);
        self
    }
}

fn string(key: &Ident, input: ParseStream<'_>) -> Result<LitStr> {
    equals(key, input, "a string literal")?;
    input.parse().map_err(|error| Error::new(error.span(), accepted::not_text(&key.to_string())))
}

fn not_empty(key: &Ident, value: LitStr) -> Result<LitStr> {
    if value.value().trim().is_empty() {
        return Err(Error::new(value.span(), format!("`{key}` must not be empty")));
    }
    Ok(value)
}

fn boolean(key: &Ident, input: ParseStream<'_>) -> Result<bool> {
    equals(key, input, "`true` or `false`")?;
    let value: Result<LitBool> = input.parse();
    value
        .map(|value| value.value)
        .map_err(|error| Error::new(error.span(), accepted::not_boolean(&key.to_string())))
}

/// Parses a path, bare as in `crate = my::diagnose`, or quoted as other crates have it.
fn path(key: &Ident, input: ParseStream<'_>) -> Result<Path> {
    equals(key, input, "a path")?;
    let path = if input.peek(LitStr) {
        input.parse::<LitStr>()?.parse_with(Path::parse_mod_style)
    } else {
        Path::parse_mod_style(input)
    };
    path.map_err(|error| {
        Error::new(error.span(), format!("expected a path for `{key}`: `{key} = path::to::diagnose`"))
    })
}

fn flag(key: &Ident, input: ParseStream<'_>) -> Result<Span> {
    if input.peek(Token![=]) {
        return Err(input.error(accepted::no_value(&key.to_string())));
    }
    Ok(key.span())
}

fn equals(key: &Ident, input: ParseStream<'_>, value: &str) -> Result<()> {
    if !input.peek(Token![=]) {
        return Err(Error::new(key.span(), accepted::needs_value(&key.to_string(), value)));
    }
    input.parse::<Token![=]>().map(drop)
}
