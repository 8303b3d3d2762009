//! The file of the module in `fail/module-in-a-file.rs`.

pub(crate) async fn unseen() {}
