//! The output. Nothing else in this crate quotes.
//!
//! ```text
//! #[diagnose]                              fn get(key: u64) -> impl Future<Output = Option<u64>> {
//! async fn get(key: u64) -> Option<u64> {      let site = { static SITE: Site = …; &SITE };
//!     map().await.get(&key)           ──▶      Timed::new(site, Label::NONE, async move {
//! }                                                _ = &key;                      // captures
//!                                                  if false { return … }         // the type, for inference
//!                                                  { map().await.get(&key) }     // the body, once
//!                                              })
//!                                          }
//! ```
//! The function becomes one that returns the future, because an `async fn` around another would store the arguments
//! twice. `impl Future` carries the edition of this crate, so it captures all lifetimes in any caller's edition, as an
//! `async fn` does.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, Attribute, Block, Expr, ExprAsync, ItemFn, LitStr, Meta, Path, Result, ReturnType, Signature,
    Stmt, Token, Type, parse_quote, parse_quote_spanned,
};

use crate::args::Args;
use crate::captures::{self, Capture, Kind};

/// A timed function, `async` or not.
pub(crate) fn function(args: &Args, function: ItemFn) -> TokenStream {
    let site = site(args, if args.root.is_some() { "Task" } else { "Fn" }, &function.sig.ident);
    if function.sig.asyncness.is_none() {
        return synchronous(args, function);
    }
    let never = match &function.sig.output {
        ReturnType::Type(_, output) => never(output),
        ReturnType::Default => None,
    };
    let keep_async = never.is_some() || function.attrs.iter().any(may_look_for_async);
    let ItemFn { attrs, vis, mut sig, block, .. } = function;
    let captures = captures::of(&mut sig, &block, args.label.as_ref());
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label(args, &krate);
    let (captured, variables) = naming(&captures);
    let expected = if never.is_some() { TokenStream::new() } else { expected(&sig.output) };
    let inside = if variables.is_empty() {
        before(*block, &[], &quote_spanned!(Span::mixed_site()=> #captured #expected))
    } else {
        // The braces around have this crate's edition, 2024: temporaries of the body's last expression are gone
        // before what the patterns have bound.
        quote_spanned!(Span::mixed_site()=> { #captured #variables #expected #block })
    };
    let future = match never {
        Some(place) => diverging(place, &inside),
        None => quote_spanned!(Span::mixed_site()=> async move #inside),
    };
    let timed =
        quote_spanned!(Span::mixed_site()=> #krate::__private::Timed::new(__diagnose_site, #label, #future));
    let body = match (keep_async, never) {
        (false, _) => timed,
        (true, None) => quote_spanned!(Span::mixed_site()=> #timed.await),
        (true, Some(_)) => quote_spanned!(Span::mixed_site()=> #timed.await; loop {}),
    };
    let allow_loop = never.map(|_| quote!(#[allow(unreachable_code)]));
    // The compiler's checks of an `async fn` know that its output may be a future, those of an async block do not.
    let allow_futures =
        matches!(sig.output, ReturnType::Type(..)).then(|| quote!(#[allow(clippy::async_yields_async)]));
    if !keep_async {
        return_future(&mut sig);
    }
    let allow_braces = (!variables.is_empty()).then(|| quote!(#[allow(unused_braces)]));
    quote_spanned! {Span::mixed_site()=>
        #(#outer)*
        #allow_loop
        #allow_braces
        #allow_futures
        #vis #sig {
            #(#inner)*
            let __diagnose_site = #site;
            #body
        }
    }
}

fn synchronous(args: &Args, function: ItemFn) -> TokenStream {
    let site = site(args, "Sync", &function.sig.ident);
    let ItemFn { attrs, vis, sig, block, .. } = function;
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label(args, &krate);
    let start = quote_spanned! {Span::mixed_site()=>
        let __diagnose_site = #site;
        let _diagnose_frame = #krate::__private::Frame::enter(__diagnose_site, #label);
    };
    let body = before(*block, &inner, &start);
    quote_spanned!(Span::mixed_site()=> #(#outer)* #vis #sig #body)
}

/// The body with something before its first statement, but behind its own attributes and the items it begins with. Its
/// braces stay the user's own, and with them the edition that decides about temporaries, and the compiler's word on
/// braces that are not needed.
fn before(mut body: Block, inner: &[&Attribute], start: &TokenStream) -> TokenStream {
    let n_items = body.stmts.iter().take_while(|statement| matches!(statement, Stmt::Item(_))).count();
    let statements = body.stmts.split_off(n_items);
    let items = std::mem::take(&mut body.stmts);
    let inside = quote!(#(#inner)* #(#items)* #start #(#statements)*);
    body.stmts.push(Stmt::Expr(Expr::Verbatim(inside), None));
    quote!(#body)
}

/// A timed async block.
pub(crate) fn block(args: &Args, block: &ExprAsync) -> Result<Expr> {
    let krate = krate(args);
    let name = Ident::new("block", block.async_token.span());
    let site = if args.name.is_some() {
        site(args, if args.root.is_some() { "Task" } else { "Block" }, &name)
    } else {
        let named = Args {
            name: Some(LitStr::new("{block}", name.span())),
            krate: args.krate.clone(),
            ..Args::default()
        };
        site(&named, if args.root.is_some() { "Task" } else { "Block" }, &name)
    };
    let label = label(args, &krate);
    syn::parse2(quote_spanned! {Span::mixed_site()=>
        {
            let __diagnose_site = #site;
            #krate::__private::Timed::new(__diagnose_site, #label, #block)
        }
    })
}

/// A reference to the static of this place. Its name is not in the body's scope. Line and column are those of `place`.
fn site(args: &Args, kind: &str, place: &Ident) -> TokenStream {
    let krate = krate(args);
    let kind = Ident::new(kind, Span::mixed_site());
    let name = args.name.clone().unwrap_or_else(|| {
        let name = place.to_string();
        LitStr::new(name.strip_prefix("r#").unwrap_or(&name), place.span())
    });
    let here = quote_spanned!(place.span()=> ::core::file!(), ::core::line!(), ::core::column!());
    quote_spanned! {Span::mixed_site()=>
        {
            static SITE: #krate::__private::Site = #krate::__private::Site::new(
                #krate::__private::Kind::#kind, #name, ::core::module_path!(), #here,
            );
            &SITE
        }
    }
}

/// The label of this call, made before the arguments move.
fn label(args: &Args, krate: &TokenStream) -> TokenStream {
    match &args.label {
        Some(format) => {
            let text = quote_spanned!(format.span()=> ::std::format!(#format));
            // An argument that only the label uses may have the name of an unused one: without the feature it is unused.
            quote_spanned! {Span::mixed_site()=>
                #krate::__private::Label::of(__diagnose_site, || {
                    #[allow(clippy::used_underscore_binding)]
                    let __diagnose_text = #text;
                    __diagnose_text
                })
            }
        }
        None => quote_spanned!(Span::mixed_site()=> #krate::__private::Label::NONE),
    }
}

fn krate(args: &Args) -> TokenStream {
    match &args.krate {
        Some(path) => quote!(#path),
        None => quote_spanned!(Span::mixed_site()=> ::diagnose),
    }
}

/// Names all arguments, the last first; and makes variables of those that are patterns or behind one, the first first.
fn naming(captures: &[Capture]) -> (TokenStream, TokenStream) {
    let captured = captures.iter().rev().map(|Capture { name, cfgs, levels, kind }| {
        if matches!(kind, Kind::Plain { unused: true }) {
            // The binding has the argument's name and place, so that the warning of an unused one points there.
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* if false { #(#levels)* let #name = &#name; })
        } else {
            let allow = allow_underscored(name);
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* #allow { _ = &#name; })
        }
    });
    let has_pattern =
        captures.iter().any(|it| matches!(&it.kind, Kind::Pattern(it) if !captures::is_wild(it)));
    let variables = captures.iter().filter(|_| has_pattern).map(|Capture { name, cfgs, levels, kind }| {
        let allow = allow_underscored(name);
        let (pattern, again) = match kind {
            Kind::Plain { .. } => return TokenStream::new(),
            Kind::Variable { pattern, unused } => {
                let used = (!unused && allow.is_none())
                    .then(|| quote_spanned!(Span::mixed_site()=> #(#cfgs)* { _ = &#name; }));
                return quote_spanned!(Span::mixed_site()=> #(#cfgs)* #allow #(#levels)* let #pattern = #name; #used);
            }
            Kind::Pattern(pattern) => {
                (pattern, quote_spanned!(Span::mixed_site()=> #(#cfgs)* let #name = #name;))
            }
        };
        if captures::is_wild(pattern) {
            return again;
        }
        quote_spanned!(Span::mixed_site()=> #again #(#cfgs)* #(#levels)* let #pattern = #name;)
    });
    (captured.collect(), variables.collect())
}

/// A name that says it is not used is used nowhere but here.
fn allow_underscored(name: &Ident) -> Option<TokenStream> {
    let is_ours = name.to_string().starts_with("__diagnose");
    (!is_ours && name.to_string().starts_with('_')).then(|| quote!(#[allow(clippy::used_underscore_binding)]))
}

/// A branch that is never taken and returns the declared type: from it the compiler knows what the block returns
/// before it comes to the body, so that coercions work and errors point at the body.
fn expected(output: &ReturnType) -> TokenStream {
    let ReturnType::Type(_, output) = output else {
        return quote_spanned!(Span::mixed_site()=> if false { return; });
    };
    if matches!(ungrouped(output), Type::ImplTrait(_)) {
        return TokenStream::new();
    }
    let mut output = (**output).clone();
    EraseImplTrait.visit_type_mut(&mut output);
    let place = output.span().resolved_at(Span::mixed_site());
    // With the semicolon it is a statement in an empty body too, where it were the value that is of the wrong type.
    quote_spanned! {place=>
        if false {
            if let ::core::option::Option::<#output>::Some(__diagnose_expected) = ::core::option::Option::None {
                return __diagnose_expected;
            }
        };
    }
}

/// The place of the `!`, if that is the type.
fn never(output: &Type) -> Option<Span> {
    match ungrouped(output) {
        Type::Never(never) => Some(never.bang_token.span.resolved_at(Span::mixed_site())),
        _ => None,
    }
}

/// A block that must not end: `!` has no name as a type, so it is taken from a function that returns it.
fn diverging(place: Span, body: &TokenStream) -> TokenStream {
    quote_spanned! {place=>
        {
            trait Returned {
                type Type;
            }
            impl<T> Returned for fn() -> T {
                type Type = T;
            }
            fn diverging<F: ::core::future::Future<Output = <fn() -> ! as Returned>::Type>>(future: F) -> F {
                future
            }
            diverging(async move #body)
        }
    }
}

/// A type without the invisible groups that `macro_rules!` puts around a `$type`.
fn ungrouped(mut type_: &Type) -> &Type {
    while let Type::Group(group) = type_ {
        type_ = &group.elem;
    }
    type_
}

/// `impl Trait` cannot stand in a `let`: the compiler finds out.
struct EraseImplTrait;

impl VisitMut for EraseImplTrait {
    fn visit_type_mut(&mut self, type_: &mut Type) {
        if let Type::ImplTrait(erased) = type_ {
            *type_ = parse_quote_spanned!(erased.span()=> _);
        } else {
            visit_mut::visit_type_mut(self, type_);
        }
    }
}

/// From `async fn f() -> T` to `fn f() -> impl Future<Output = T>`.
fn return_future(signature: &mut Signature) {
    let output: Type = match &signature.output {
        ReturnType::Default => parse_quote!(()),
        ReturnType::Type(_, output) => (**output).clone(),
    };
    signature.asyncness = None;
    let future = quote_spanned!(Span::mixed_site()=> impl ::core::future::Future<Output = #output>);
    signature.output = ReturnType::Type(Token![->](Span::mixed_site()), Box::new(Type::Verbatim(future)));
}

/// Whether an attribute that is left may be a macro that wants to see `async fn`, or acts on its output.
fn may_look_for_async(attribute: &Attribute) -> bool {
    if !attribute.path().is_ident("cfg_attr") {
        return !is_harmless(attribute.path());
    }
    // The condition and the attributes that it stands before.
    let metas = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    !metas.is_ok_and(|metas| metas.iter().skip(1).all(|meta| is_harmless(meta.path())))
}

fn is_harmless(path: &Path) -> bool {
    const HARMLESS: [&str; 16] = [
        "allow",
        "cfg",
        "clippy",
        "cold",
        "deny",
        "deprecated",
        "diagnostic",
        "doc",
        "expect",
        "export_name",
        "forbid",
        "inline",
        "no_mangle",
        "rustfmt",
        "track_caller",
        "warn",
    ];
    path.segments.first().is_some_and(|first| HARMLESS.iter().any(|harmless| first.ident == harmless))
}

/// Attributes before the function, and `#![…]` inside it.
fn split(attributes: &[Attribute]) -> (Vec<&Attribute>, Vec<&Attribute>) {
    attributes.iter().partition(|attribute| matches!(attribute.style, AttrStyle::Outer))
}
