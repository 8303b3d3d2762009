//! The derive macro `ToJson` of the crate `diagnose-reports`: structs as objects, enums as words.
//!
//! It reads those attributes of serde that decide what is written, so that one definition serves
//! writing here and reading there.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Expr, Fields, Item, ItemEnum, ItemStruct, LitStr, Path, Result, Token};

/// Returns the implementation of `ToJson`.
pub(crate) fn to_json(item: &Item) -> Result<TokenStream> {
    match item {
        Item::Struct(item) => object(item),
        Item::Enum(item) => word(item),
        _ => Err(Error::new_spanned(item, "`ToJson` is for structs and enums")),
    }
}

/// Writes each field, unless `skip_serializing_if` leaves it out.
fn object(item: &ItemStruct) -> Result<TokenStream> {
    let mut fields = Vec::new();
    for field in &item.fields {
        let options = Options::of(&field.attrs)?;
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "`ToJson` is for fields with names"));
        };
        let name = ident.to_string();
        let value = match options.with {
            Some(module) => quote!({ json.key(#name); #module::write_json(&self.#ident, json); }),
            None => quote!(json.field(#name, &self.#ident);),
        };
        fields.push(match options.skip_if {
            Some(skip) => quote!(if !#skip(&self.#ident) { #value }),
            None => value,
        });
    }
    let (name, (generics, arguments, bounds)) = (&item.ident, item.generics.split_for_impl());
    Ok(quote! {
        #[automatically_derived]
        impl #generics crate::json::ToJson for #name #arguments #bounds {
            fn write_fields(&self, json: &mut crate::json::Json<'_>) { #(#fields)* }
        }
    })
}

/// Writes the name of the variant.
fn word(item: &ItemEnum) -> Result<TokenStream> {
    let case = Options::of(&item.attrs)?.rename_all;
    let (mut variants, mut words) = (Vec::new(), Vec::new());
    for variant in &item.variants {
        let Fields::Unit = variant.fields else {
            return Err(Error::new_spanned(variant, "`ToJson` is for variants without fields"));
        };
        let rename = Options::of(&variant.attrs)?.rename;
        variants.push(&variant.ident);
        words.push(rename.unwrap_or_else(|| in_case(&variant.ident.to_string(), case.as_deref())));
    }
    let name = &item.ident;
    Ok(quote! {
        #[automatically_derived]
        impl crate::json::ToJson for #name {
            fn write_json(&self, json: &mut crate::json::Json<'_>) {
                json.string(match self { #(Self::#variants => #words,)* });
            }
        }
    })
}

/// The word of a variant: `LongPoll` is `long_poll` or `longpoll`.
fn in_case(variant: &str, case: Option<&str>) -> String {
    let mut word = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !word.is_empty() && case == Some("snake_case") {
            word.push('_');
        }
        word.push(letter.to_ascii_lowercase());
    }
    word
}

/// The attributes of serde that decide what is written.
#[derive(Default)]
struct Options {
    rename: Option<String>,
    rename_all: Option<String>,
    skip_if: Option<Expr>,
    with: Option<Path>,
}

impl Options {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                if !meta.input.peek(Token![=]) {
                    return Ok(());
                }
                let value: LitStr = meta.value()?.parse()?;
                if meta.path.is_ident("rename") {
                    options.rename = Some(value.value());
                } else if meta.path.is_ident("rename_all") {
                    options.rename_all = Some(value.value());
                } else if meta.path.is_ident("skip_serializing_if") {
                    options.skip_if = Some(value.parse()?);
                } else if meta.path.is_ident("with") {
                    options.with = Some(value.parse()?);
                }
                Ok(())
            })?;
        }
        Ok(options)
    }
}
