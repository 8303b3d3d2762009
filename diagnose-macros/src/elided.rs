//! Names the elided lifetimes inside `impl Trait` in argument position. Examples are
//! `impl Iterator<Item = &str>` and `impl Debug + '_`.
//!
//! The compiler accepts them only in an `async fn`. A function that returns its future needs names
//! for them. So each gets a lifetime parameter, in source order, after the lifetimes that the
//! function declares. The compiler does the same for an `async fn`, so a trait and its impl agree
//! if only one of them is annotated.
//!
//! `&` and `'_` outside of `impl Trait` may stay elided. So may those in `Fn(&str) -> &str` and
//! `fn(&str)`, which have a scope of their own.

use proc_macro2::Span;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, FnArg, GenericParam, Lifetime, ParenthesizedGenericArguments, Signature, TypeFnPtr, TypeImplTrait,
    TypeMacro, TypeReference,
};

use crate::expand;

/// Names the elided lifetimes inside `impl Trait`. Returns `false` and changes nothing if a macro
/// is used as a type, because its expansion is not known here.
pub(crate) fn name_all(signature: &mut Signature) -> bool {
    let mut inputs = signature.inputs.clone();
    let mut names = Names::default();
    for argument in &mut inputs {
        if let FnArg::Typed(argument) = argument {
            names.visit_type_mut(&mut argument.ty);
        }
    }
    if names.has_macro {
        return false;
    }
    if names.found.is_empty() {
        return true;
    }
    signature.inputs = inputs;
    let params = &mut signature.generics.params;
    let is_lifetime = |param: &&GenericParam| matches!(param, GenericParam::Lifetime(_));
    let n_declared = params.iter().take_while(is_lifetime).count();
    for (place, lifetime) in names.found.into_iter().enumerate() {
        params.insert(n_declared + place, GenericParam::Lifetime(expand::named_lifetime(lifetime)));
    }
    true
}

#[derive(Default)]
struct Names {
    found: Vec<Lifetime>,
    /// Number of `impl Trait`s around the visited type.
    depth: usize,
    has_macro: bool,
}

impl Names {
    fn next(&mut self, place: Span) -> Lifetime {
        let name = format!("'__diagnose_elided_{}", self.found.len());
        let lifetime = Lifetime::new(&name, place.resolved_at(Span::mixed_site()));
        self.found.push(lifetime.clone());
        lifetime
    }
}

impl VisitMut for Names {
    fn visit_type_impl_trait_mut(&mut self, type_: &mut TypeImplTrait) {
        self.depth += 1;
        visit_mut::visit_type_impl_trait_mut(self, type_);
        self.depth -= 1;
    }

    fn visit_type_reference_mut(&mut self, type_: &mut TypeReference) {
        if self.depth > 0 && type_.lifetime.is_none() {
            type_.lifetime = Some(self.next(type_.and_token.span));
            self.visit_type_mut(&mut type_.elem);
        } else {
            visit_mut::visit_type_reference_mut(self, type_);
        }
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.depth > 0 && lifetime.ident == "_" {
            *lifetime = self.next(lifetime.span());
        }
    }

    fn visit_type_macro_mut(&mut self, _: &mut TypeMacro) {
        self.has_macro = true;
    }

    // A constant, such as the length of an array, has no lifetime of the function in it.
    fn visit_expr_mut(&mut self, _: &mut Expr) {}

    // Elided lifetimes in these belong to their own scope.
    fn visit_parenthesized_generic_arguments_mut(&mut self, _: &mut ParenthesizedGenericArguments) {}
    fn visit_type_fn_ptr_mut(&mut self, _: &mut TypeFnPtr) {}
}
