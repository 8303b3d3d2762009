//! Times the functions inside an impl block, a trait or an inline module.
//!
//! All async functions are timed, and those that return a future; with `all` the other ones too. A
//! function whose future must be more than a timed one is, such as `Clone`, is left out. An
//! attribute on a member takes precedence: `skip` leaves the member out, and its arguments replace
//! the outer ones.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{
    Attribute, Block, Error, GenericArgument, ImplItem, Item, ItemImpl, ItemTrait, Meta, Path, PathArguments,
    Result, ReturnType, Signature, TraitItem, TraitItemFn, Type,
};

use crate::args::Args;
use crate::blocks::Body;
use crate::boxed::Returned;
use crate::function::Function;
use crate::{attributes, blocks, check, driver, expand};

/// Times the members. An error in one member is reported at that member, and the others are still
/// timed.
pub(crate) fn rewrite(args: &Args, item: Item) -> TokenStream {
    let mut members = Members { args, errors: None };
    let mut item = item;
    members.inside(&mut item);
    let mut tokens = item.into_token_stream();
    if let Some(errors) = members.errors {
        tokens.extend(errors.into_compile_error());
    }
    tokens
}

struct Members<'a> {
    args: &'a Args,
    errors: Option<Error>,
}

impl Members<'_> {
    fn inside(&mut self, item: &mut Item) {
        match item {
            Item::Impl(block) => self.impl_block(block),
            Item::Trait(definition) => self.trait_definition(definition),
            Item::Mod(module) => {
                if let Some((_, items)) = &mut module.content {
                    for item in items {
                        self.item(item);
                    }
                }
            }
            Item::Fn(_) => {
                if let Item::Fn(function) = std::mem::replace(item, Item::Verbatim(TokenStream::new())) {
                    *item = Item::Verbatim(self.function(function.into()));
                }
            }
            _ => {}
        }
    }

    fn item(&mut self, item: &mut Item) {
        let own = match item {
            // A function's own attribute is read where the function is rewritten.
            Item::Impl(block) => attributes::take(&mut block.attrs),
            Item::Trait(definition) => attributes::take(&mut definition.attrs),
            Item::Mod(module) => attributes::take(&mut module.attrs),
            _ => None,
        };
        match own.map(|own| self.own_args(&own)).transpose() {
            Ok(None) => self.inside(item),
            Ok(Some(args)) if args.skip.is_some() => strip(item),
            Ok(Some(args)) => {
                let mut members = Members { args: &args, errors: check::container(&args).err() };
                members.inside(item);
                members.errors.into_iter().for_each(|error| self.refuse(error));
            }
            Err(error) => {
                strip(item);
                self.refuse(error);
            }
        }
    }

    fn impl_block(&mut self, block: &mut ItemImpl) {
        let owner = type_name(&block.self_ty);
        let keep_async = block.attrs.iter().any(attributes::may_look_for_async);
        let polled = block.trait_.as_ref().and_then(|(path, _)| Polled::by(path));
        for member in &mut block.items {
            let taken = std::mem::replace(member, ImplItem::Verbatim(TokenStream::new()));
            *member = match taken {
                ImplItem::Fn(method) => {
                    let mut function = Function::from(method);
                    function.owner.clone_from(&owner);
                    function.keep_async = keep_async;
                    ImplItem::Verbatim(match &polled {
                        Some(polled) if polled.is_method(&function.sig) => self.polled(function, polled),
                        _ => self.function(function),
                    })
                }
                other => other,
            };
        }
    }

    fn trait_definition(&mut self, definition: &mut ItemTrait) {
        let keep_async = definition.attrs.iter().any(attributes::may_look_for_async);
        for member in &mut definition.items {
            let TraitItem::Fn(method) = member else { continue };
            let Ok(mut function) = Function::try_from(method.clone()) else { continue };
            function.owner = Some(definition.ident.to_string());
            function.keep_async = keep_async;
            *member = TraitItem::Verbatim(self.function(function));
        }
    }

    /// Times a function or method, if it is to be timed.
    fn function(&mut self, mut function: Function) -> TokenStream {
        let own = attributes::take(&mut function.attrs);
        let asked = own.is_some();
        let args = match own.map(|own| self.own_args(&own)).transpose() {
            Ok(args) => args.unwrap_or_else(|| Args::default().inherit(self.args)),
            Err(error) => {
                self.refuse(error);
                return untimed(function);
            }
        };
        let is_future = function.sig.asyncness.is_some() || Returned::by(&function.sig).is_some();
        let is_chosen = (is_future || self.args.all.is_some()) && check::future(&function.sig).is_ok();
        let is_wanted = asked || (is_chosen && function.sig.constness.is_none());
        if args.skip.is_some() || !is_wanted {
            return untimed(function);
        }
        match timed(&args, function) {
            Ok(tokens) => tokens,
            Err((error, tokens)) => {
                self.refuse(error);
                tokens
            }
        }
    }

    /// Times `poll` of a future, or `poll_next` of a stream.
    fn polled(&mut self, mut function: Function, polled: &Polled) -> TokenStream {
        let own = attributes::take(&mut function.attrs);
        match own.map(|own| self.own_args(&own)).transpose() {
            Ok(Some(args)) if args.skip.is_some() => untimed(function),
            Ok(args) => {
                let args = args.unwrap_or_else(|| Args::default().inherit(self.args));
                let (_, error) = blocks::rewrite(&mut function.block, &args, Body::Plain);
                if let Some(error) = error {
                    self.refuse(error);
                }
                expand::polled(&args, function, polled.ready)
            }
            Err(error) => {
                self.refuse(error);
                untimed(function)
            }
        }
    }

    fn own_args(&self, attribute: &Attribute) -> Result<Args> {
        let args = match &attribute.meta {
            Meta::List(list) => list.parse_args()?,
            _ => Args::default(),
        };
        Ok(args.inherit(self.args))
    }

    fn refuse(&mut self, error: Error) {
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }
}

/// Makes a function a span or a frame. If it has an error, returns the error and the function,
/// timed as far as possible.
pub(crate) fn timed(
    args: &Args,
    mut function: Function,
) -> std::result::Result<TokenStream, (Error, TokenStream)> {
    let is_driver = driver::driven(&mut function.block).is_some();
    if let Err(error) = check::function(args, &function.sig, is_driver) {
        return Err((error, untimed(function)));
    }
    if function.is_timed() {
        return Ok(function.into_token_stream());
    }
    let returned = Returned::by(&function.sig);
    let is_async = function.sig.asyncness.is_some();
    let body = match returned {
        _ if is_async => Body::Async,
        Some(_) => Body::ReturnsFuture,
        None if is_driver => Body::Drives,
        None => Body::Plain,
    };
    let (points, error) = blocks::rewrite(&mut function.block, args, body);
    let tokens = match returned {
        _ if is_async => expand::asynchronous(args, function, &points),
        Some(returned) => expand::returning(args, function, returned, &points),
        None if is_driver => expand::driving(args, function, &points),
        None => expand::synchronous(args, function),
    };
    match error {
        None => Ok(tokens),
        Some(error) => Err((error, tokens)),
    }
}

/// Removes the attributes on async blocks in the functions of an item that is not timed. An
/// attribute on a member removes those in that member.
pub(crate) fn strip(item: &mut Item) {
    let strip_in = |attributes: &[Attribute], block: &mut Block| {
        if !attributes.iter().any(attributes::is_ours) {
            blocks::strip(block);
        }
    };
    match item {
        Item::Fn(function) => strip_in(&function.attrs, &mut function.block),
        Item::Impl(block) => {
            for member in &mut block.items {
                if let ImplItem::Fn(method) = member {
                    strip_in(&method.attrs, &mut method.block);
                }
            }
        }
        Item::Trait(definition) => {
            for member in &mut definition.items {
                if let TraitItem::Fn(TraitItemFn { attrs, default: Some(block), .. }) = member {
                    strip_in(attrs, block);
                }
            }
        }
        Item::Mod(module) => module.content.iter_mut().flat_map(|(_, items)| items).for_each(strip),
        _ => {}
    }
}

/// Returns the function without the attributes on async blocks in it, which the compiler rejects.
fn untimed(mut function: Function) -> TokenStream {
    blocks::strip(&mut function.block);
    function.into_token_stream()
}

/// A trait whose method is called once per poll.
struct Polled {
    method: &'static str,
    ready: expand::Ready,
}

impl Polled {
    fn by(path: &Path) -> Option<Self> {
        match path.segments.last()?.ident.to_string().as_str() {
            "Future" => Some(Self { method: "poll", ready: expand::Ready::Once }),
            "Stream" => Some(Self { method: "poll_next", ready: expand::Ready::PerItem }),
            _ => None,
        }
    }

    /// Returns whether this is the method, and not one of another trait with the same names: it
    /// returns `Poll<…>`, or `Poll<Option<…>>` for a stream.
    fn is_method(&self, signature: &Signature) -> bool {
        let ReturnType::Type(_, output) = &signature.output else { return false };
        signature.ident == self.method
            && only_argument(output, "Poll").is_some_and(|value| match self.ready {
                expand::Ready::Once => true,
                expand::Ready::PerItem => only_argument(value, "Option").is_some(),
            })
    }
}

/// Returns `T` in `Name<T>`.
fn only_argument<'a>(type_: &'a Type, name: &str) -> Option<&'a Type> {
    match type_ {
        Type::Group(group) => only_argument(&group.elem, name),
        Type::Paren(paren) => only_argument(&paren.elem, name),
        Type::Path(path) => {
            let last = path.path.segments.last().filter(|last| last.ident == name)?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            match arguments.args.first()? {
                GenericArgument::Type(type_) if arguments.args.len() == 1 => Some(type_),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the last name of a type's path: `Store` for `crate::Store<K>` and for `&Store`.
fn type_name(type_: &Type) -> Option<String> {
    match type_ {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        Type::Reference(reference) => type_name(&reference.elem),
        Type::Group(group) => type_name(&group.elem),
        Type::Paren(paren) => type_name(&paren.elem),
        _ => None,
    }
}
