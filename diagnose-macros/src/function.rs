//! A function in any place: free, in an impl block, or in a trait.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use syn::{Attribute, Block, ImplItemFn, Item, ItemFn, Signature, Stmt, TraitItemFn};

pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    /// Tokens between attributes and signature: visibility, `default`.
    pub(crate) before: TokenStream,
    pub(crate) sig: Signature,
    pub(crate) block: Block,
    /// The type or trait that it is a method of, if known.
    pub(crate) owner: Option<String>,
    /// Whether an outer attribute looks for `async fn`.
    pub(crate) keep_async: bool,
}

impl Function {
    /// Returns the name to show: `Type::method`, or the function's own.
    pub(crate) fn name(&self) -> String {
        let name = self.sig.ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name);
        match &self.owner {
            Some(owner) => format!("{owner}::{name}"),
            None => name.to_owned(),
        }
    }

    /// Returns whether the attribute was applied before. This happens if a `cfg_attr` on a method
    /// adds the attribute that its impl block already has.
    pub(crate) fn is_timed(&self) -> bool {
        let is_site = |item: &Item| matches!(item, Item::Static(item) if item.ident == "__DIAGNOSE_BODY");
        self.block.stmts.iter().any(|statement| matches!(statement, Stmt::Item(item) if is_site(item)))
    }

    pub(crate) fn into_token_stream(self) -> TokenStream {
        let Self { attrs, before, sig, block, .. } = self;
        quote!(#(#attrs)* #before #sig #block)
    }
}

impl From<ItemFn> for Function {
    fn from(function: ItemFn) -> Self {
        let ItemFn { attrs, vis, sig, block, .. } = function;
        Self { attrs, before: vis.to_token_stream(), sig, block: *block, owner: None, keep_async: false }
    }
}

impl From<ImplItemFn> for Function {
    fn from(method: ImplItemFn) -> Self {
        let ImplItemFn { attrs, vis, modifiers, sig, block } = method;
        let defaultness = modifiers.defaultness;
        Self { attrs, before: quote!(#vis #defaultness), sig, block, owner: None, keep_async: false }
    }
}

/// Fails with the method itself if it has no body.
impl TryFrom<TraitItemFn> for Function {
    type Error = TraitItemFn;

    fn try_from(mut method: TraitItemFn) -> Result<Self, TraitItemFn> {
        let Some(block) = method.default.take() else { return Err(method) };
        let TraitItemFn { attrs, sig, .. } = method;
        Ok(Self { attrs, before: TokenStream::new(), sig, block, owner: None, keep_async: false })
    }
}
