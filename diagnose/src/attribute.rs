//! The attribute `#[diagnose]`, which `diagnose-macros` implements, with its documentation.

/// Times a function: one span per call, under the span that polls or calls it.
///
/// - `async fn`, free or a method: times the future, every poll under the function's name.
/// - Function that returns `impl Future`, `Pin<Box<dyn Future>>` or `BoxFuture`, as async-trait
///   makes it (in either order of the two attributes): times the future, not the code before it.
/// - Plain function: times the call. If it only runs a future on an executor, as `main` does under
///   `#[tokio::main]`, times that future instead. So the two attributes may stand in either order.
/// - Impl block, trait or inline module: times every async function inside, methods as
///   `Type::method`. An attribute on one of them overrides it.
/// - `impl Future for T`, `impl Stream for T`: times `poll` or `poll_next`, under the name of the
///   type. It records polls and busy time, and counts each value or item as a call. Waits of such a
///   future appear at its `.await`.
/// - Async block inside an annotated function: times the block. Blocks without the attribute, and
///   async closures, are spans named `{block}`; `#[diagnose(skip)]` leaves one out.
///
/// Every `.await` inside is recorded too, and every arm of a `join!` or `select!`. So are awaits in
/// arguments of other macros whose expansion is known. Any other macro counts as one await, unless
/// its value may be assigned to or borrowed from, or its arguments `return`, `break` or `continue`.
///
/// The first call of a path allocates, and the recorder may allocate while it holds a lock. So an
/// annotated function must not run in a signal handler or in a global allocator.
///
/// # Arguments
/// - `name = "…"`: the name to show instead of the function's.
/// - `label = "user={user_id}"`: a format string over the arguments and the names in their
///   patterns, formatted once per call and only while recording. The first 768 labels, and 256 more
///   that are frequent, have nodes of their own; the others are `[other]`. A living task still
///   shows the label of its root, if that future was a root at its first poll.
/// - `root`: the future is a task, a root wherever it is polled.
/// - `all`: inside an impl block, a trait or a module, times plain functions too.
/// - `skip`: leaves the item as it is.
/// - `awaits = false`: records no await points, here and in nested items.
/// - `crate = path`: the path of this crate, if it was renamed or is re-exported.
///
/// # Examples
/// ```
/// use diagnose::diagnose;
///
/// #[diagnose(label = "key={key}")]
/// async fn get(key: u64) -> Option<String> {
///     #[diagnose(name = "fetch")]
///     async {
///         Some(key.to_string())
///     }
///     .await
/// }
///
/// #[diagnose(root)]
/// async fn connection() {
///     get(7).await;
/// }
/// ```
///
/// # What it expands to
/// ```text
/// fn get(key: u64) -> impl Future<Output = Option<String>> {
///     static BODY: Body<(Site,)> = Body { site: Site::new(…), awaits: (Site::at(&BODY.site, …),) };
///     Timed::new(Span::new(&BODY.site, Label::of(&BODY.site, || format!("key={key}"))), async move {
///         _ = &key;                              // all arguments live as long as the future, as in an `async fn`
///         if false { return … }                  // so that the compiler knows the type before it sees the body
///         …                                      // the body
///     })
/// }
/// ```
/// The future has the output, the borrows and the `Send`-ness of the original, and stores arguments
/// once. It grows by at most 64 bytes per annotated level, whatever it awaits. If an attribute
/// follows that may look for `async fn`, such as `#[tokio::main]`, the function stays an `async fn`
/// and stores its arguments twice.
///
/// # Limits
/// These programs compile, or behave otherwise, without the attribute:
/// - A closure that an `async fn` returns as `impl Fn(&str)` needs the types of its arguments, as
///   in `|text: &str| text.len()`.
/// - An `async move` closure that moves something that is not `Sync`, such as a `Cell`, makes
///   futures that are not `Send`.
/// - `#![forbid(unreachable_code)]`, and other lints that the expansion has to allow, are errors.
///   Use `deny`.
/// - A function that returns a future, and may return early, drops its arguments in the order in
///   which its body mentions them.
///
/// # Errors
/// An unknown or repeated argument, a `const fn`, a future in a form that cannot be timed, a module
/// in another file, or any item not listed above is a compile error at that place. The item is
/// emitted nevertheless.
pub use diagnose_macros::diagnose;
