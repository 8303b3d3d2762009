//! What an annotated function does at run time, one claim per file.

mod async_trait_methods;
mod attributes;
mod blocks;
mod bounds;
mod captures_lifetimes;
mod drop_order;
mod frames;
mod generics_share_a_site;
mod hand_written;
mod impl_blocks;
mod labels;
mod methods;
mod modules;
mod names;
mod never;
mod quiet;
mod recursion;
mod returned_futures;
mod roots;
mod runtime_attributes;
mod sites;
mod size;
mod trait_methods;
mod traits;
mod type_depth;
mod written_by_macros;
