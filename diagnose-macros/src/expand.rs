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
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, Attribute, Block, Expr, ExprAsync, ItemFn, LitStr, Result, ReturnType, Signature, Stmt, Token,
    Type, parse_quote, parse_quote_spanned,
};

use crate::args::Args;
use crate::captures::{self, Capture};

/// A timed function, `async` or not.
pub(crate) fn function(args: &Args, function: ItemFn) -> TokenStream {
    let site = site(args, if args.root.is_some() { "Task" } else { "Fn" }, &function.sig.ident);
    if function.sig.asyncness.is_none() {
        return synchronous(args, function);
    }
    let never =
        matches!(&function.sig.output, ReturnType::Type(_, output) if matches!(**output, Type::Never(_)));
    let keep_async = never || function.attrs.iter().any(may_look_for_async);
    let ItemFn { attrs, vis, mut sig, block, .. } = function;
    let captures = captures::of(&mut sig, &block);
    let (outer, inner) = split(&attrs);
    let krate = krate(args);
    let label = label(args, &krate);
    let (captured, taken_apart) = naming(&captures);
    let expected = if never { TokenStream::new() } else { expected(&sig.output) };
    let inside = if taken_apart.is_empty() {
        before(*block, &quote_spanned!(Span::mixed_site()=> #captured #expected))
    } else {
        // The braces around have this crate's edition, 2024: temporaries of the body's last expression are gone
        // before what the patterns have bound.
        quote_spanned!(Span::mixed_site()=> { #captured #taken_apart #expected #block })
    };
    let timed = quote_spanned! {Span::mixed_site()=>
        #krate::__private::Timed::new(site, #label, async move #inside)
    };
    let body = match (keep_async, never) {
        (false, _) => timed,
        (true, false) => quote_spanned!(Span::mixed_site()=> #timed.await),
        (true, true) => quote_spanned!(Span::mixed_site()=> #timed.await; loop {}),
    };
    if !keep_async {
        return_future(&mut sig);
    }
    let allow = never.then(|| quote!(#[allow(unreachable_code)]));
    let allow_braces = (!taken_apart.is_empty()).then(|| quote!(#[allow(unused_braces)]));
    quote_spanned! {Span::mixed_site()=>
        #(#outer)*
        #allow
        #allow_braces
        #vis #sig {
            #(#inner)*
            let site = #site;
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
        #(#inner)*
        let site = #site;
        let _frame = #krate::__private::Frame::enter(site, #label);
    };
    let body = before(*block, &start);
    quote_spanned!(Span::mixed_site()=> #(#outer)* #vis #sig #body)
}

/// The body with something before its first statement. Its braces stay the user's own, and with them the edition that
/// decides about temporaries, and the compiler's word on braces that are not needed.
fn before(mut body: Block, start: &TokenStream) -> TokenStream {
    let statements = std::mem::take(&mut body.stmts);
    body.stmts.push(Stmt::Expr(Expr::Verbatim(quote!(#start #(#statements)*)), None));
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
            let site = #site;
            #krate::__private::Timed::new(site, #label, #block)
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
            quote_spanned!(Span::mixed_site()=> #krate::__private::Label::of(site, || #text))
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

/// Names all arguments, the last first; and takes those apart that are patterns, the first first.
fn naming(captures: &[Capture]) -> (TokenStream, TokenStream) {
    let captured = captures.iter().rev().map(|Capture { name, cfgs, unused, .. }| {
        if *unused {
            // The binding has the argument's name and place, so that the warning of an unused one points there.
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* if false { let #name = &#name; })
        } else {
            quote_spanned!(Span::mixed_site()=> #(#cfgs)* { _ = &#name; })
        }
    });
    let taken_apart = captures.iter().filter_map(|Capture { name, cfgs, pattern, .. }| {
        let pattern = pattern.as_ref()?;
        Some(quote_spanned!(Span::mixed_site()=> #(#cfgs)* let #pattern = #name;))
    });
    (captured.collect(), taken_apart.collect())
}

/// A branch that is never taken and returns the declared type: from it the compiler knows what the block returns
/// before it comes to the body, so that coercions work and errors point at the body.
fn expected(output: &ReturnType) -> TokenStream {
    let ReturnType::Type(_, output) = output else {
        return quote_spanned!(Span::mixed_site()=> if false { return; });
    };
    if matches!(**output, Type::ImplTrait(_)) {
        return TokenStream::new();
    }
    let mut output = (**output).clone();
    EraseImplTrait.visit_type_mut(&mut output);
    let place = output.span().resolved_at(Span::mixed_site());
    quote_spanned! {place=>
        #[allow(unreachable_code)]
        if false {
            let expected: #output = loop {};
            return expected;
        }
    }
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
    const HARMLESS: [&str; 17] = [
        "allow",
        "cfg",
        "cfg_attr",
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
    let first = attribute.path().segments.first();
    !first.is_some_and(|first| HARMLESS.iter().any(|harmless| first.ident == harmless))
}

/// Attributes before the function, and `#![…]` inside it.
fn split(attributes: &[Attribute]) -> (Vec<&Attribute>, Vec<&Attribute>) {
    attributes.iter().partition(|attribute| matches!(attribute.style, AttrStyle::Outer))
}
