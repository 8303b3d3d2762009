//! What an annotated function does at run time, one claim per file.

mod attributes;
mod blocks;
mod bounds;
mod captures_lifetimes;
mod drop_order;
mod frames;
mod generics_share_a_site;
mod labels;
mod methods;
mod names;
mod never;
mod quiet;
mod recursion;
mod roots;
mod runtime_attributes;
mod sites;
mod size;
mod trait_methods;
mod type_depth;
mod written_by_macros;
