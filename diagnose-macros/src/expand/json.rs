//! The derive macro `ToJson` of the crate `diagnose-reports`: structs as objects, enums as words.
//!
//! It reads those attributes of serde that decide what is written, so that one definition serves
//! writing here and reading there. Others are an error, except those that are for reading alone.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ext::IdentExt as _;
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
    if Options::of(&item.attrs)?.case.is_some() {
        return Err(Error::new_spanned(&item.ident, "`ToJson` takes the names of fields as they are"));
    }
    let mut fields = Vec::new();
    for field in &item.fields {
        let options = Options::of(&field.attrs)?;
        let Some(ident) = &field.ident else {
            return Err(Error::new_spanned(field, "`ToJson` is for fields with names"));
        };
        let name = options.rename.unwrap_or_else(|| ident.unraw().to_string());
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
    let case = Options::of(&item.attrs)?.case;
    let (mut variants, mut words) = (Vec::new(), Vec::new());
    for variant in &item.variants {
        let Fields::Unit = variant.fields else {
            return Err(Error::new_spanned(variant, "`ToJson` is for variants without fields"));
        };
        let rename = Options::of(&variant.attrs)?.rename;
        variants.push(&variant.ident);
        words.push(rename.unwrap_or_else(|| in_case(&variant.ident.to_string(), case)));
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

/// How the words of variants are written: `LongPoll` is `long_poll` or `longpoll`.
#[derive(Clone, Copy, PartialEq)]
enum Case {
    Snake,
    Lower,
}

fn in_case(variant: &str, case: Option<Case>) -> String {
    let Some(case) = case else { return variant.to_owned() };
    let mut word = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !word.is_empty() && case == Case::Snake {
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
    case: Option<Case>,
    skip_if: Option<Expr>,
    with: Option<Path>,
}

impl Options {
    fn of(attributes: &[Attribute]) -> Result<Self> {
        let mut options = Self::default();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
            attribute.parse_nested_meta(|meta| {
                let is = |name: &str| meta.path.is_ident(name);
                let is_read_only = is("default") || is("expecting");
                if is_read_only && !meta.input.peek(Token![=]) {
                    return Ok(());
                }
                let value: LitStr = meta.value()?.parse()?;
                match value.value().as_str() {
                    _ if is_read_only => {}
                    name if is("rename") => options.rename = Some(name.to_owned()),
                    "snake_case" if is("rename_all") => options.case = Some(Case::Snake),
                    "lowercase" if is("rename_all") => options.case = Some(Case::Lower),
                    _ if is("skip_serializing_if") => options.skip_if = Some(value.parse()?),
                    _ if is("with") => options.with = Some(value.parse()?),
                    _ => return Err(meta.error("`ToJson` does not write this")),
                }
                Ok(())
            })?;
        }
        Ok(options)
    }
}
