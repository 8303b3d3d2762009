//! The wrappers behave as the originals, and convert into them where another crate requires those.

use diagnose::tokio;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::mpsc;
use tokio::runtime::{Builder, Handle, LocalRuntime, Runtime};
use tokio::task::{JoinSet, LocalSet};

#[test]
fn block_on_returns_a_value_that_borrows_and_one_that_is_not_send() {
    diagnose_isolation::isolated!();
    let runtime = Runtime::new().unwrap();
    let text = "borrowed".to_owned();
    let slice = runtime.block_on(async { text.as_str() });
    assert_eq!(slice, "borrowed");
    let counted = runtime.block_on(async { Rc::new(Cell::new(1)) });
    assert_eq!(runtime.handle().block_on(async { counted.get() }), 1);
}

#[test]
fn a_runtime_in_a_runtime_is_refused_and_dropped_as_in_tokio() {
    diagnose_isolation::isolated!();
    let runtime = Runtime::new().unwrap();
    let inner = Runtime::new().unwrap();
    let nested = runtime.spawn(async move { inner.block_on(async {}) });
    assert!(runtime.block_on(nested).unwrap_err().is_panic());
    let inner = Runtime::new().unwrap();
    let dropped = runtime.spawn(async move { drop(inner) });
    assert!(runtime.block_on(dropped).unwrap_err().is_panic());
    let inner = Runtime::new().unwrap();
    runtime.block_on(runtime.spawn(async move { inner.shutdown_background() })).unwrap();
    assert_eq!(runtime.block_on(async { 1 }), 1);
}

#[test]
fn a_panic_goes_through_block_on() {
    diagnose_isolation::isolated!();
    let runtime = Builder::new_current_thread().build().unwrap();
    let caught = std::panic::catch_unwind(|| runtime.block_on(async { panic!("through") }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"through"));
    assert_eq!(runtime.block_on(async { 1 }), 1);
}

#[test]
fn a_task_is_dropped_with_its_runtime() {
    diagnose_isolation::isolated!();
    struct Tells(mpsc::Sender<()>);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(()).unwrap();
        }
    }
    let (tells, told) = mpsc::channel();
    let runtime = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let tells = Tells(tells);
    drop(runtime.spawn(async move {
        let _tells = tells;
        std::future::pending::<()>().await;
    }));
    drop(runtime);
    told.try_recv().unwrap();
}

#[test]
fn wrappers_have_the_auto_traits_of_the_originals() {
    diagnose_isolation::isolated!();
    fn check<T: Send + Sync>() {}
    fn unwinds<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    check::<Runtime>();
    check::<Handle>();
    check::<Builder>();
    check::<JoinSet<u8>>();
    unwinds::<Runtime>();
    unwinds::<Handle>();
    unwinds::<LocalRuntime>();
}

/// Functions of another crate that name tokio's own types.
mod elsewhere {
    pub(crate) fn by_reference(
        runtime: &::tokio::runtime::Runtime,
        handle: &::tokio::runtime::Handle,
    ) -> bool {
        runtime.handle().id() == handle.id()
    }

    pub(crate) fn by_value(handle: Option<::tokio::runtime::Handle>) -> Option<::tokio::runtime::Id> {
        handle.map(|handle| handle.id())
    }
}

#[test]
fn wrappers_can_be_passed_as_the_originals() {
    diagnose_isolation::isolated!();
    let runtime = Runtime::new().unwrap();
    assert!(elsewhere::by_reference(&runtime, runtime.handle()));
    let id = elsewhere::by_value(Some(runtime.handle().clone().into()));
    assert_eq!(id, Some(runtime.handle().id()));
    let original: ::tokio::runtime::Runtime = runtime.into();
    let runtime = Runtime::from(original);
    assert_eq!(runtime.block_on(async { 2 }), 2);
    let set = LocalSet::from(LocalSet::new().into_inner());
    let number = Rc::new(3);
    assert_eq!(set.block_on(&runtime, async move { *set_local(number).await }), 3);
    let mut set = JoinSet::from(JoinSet::<u8>::new().into_inner());
    assert!(set.spawn_on(async { 4 }, runtime.handle()).id().to_string().parse::<u64>().is_ok());
    assert_eq!(runtime.block_on(set.join_all()), [4]);
}

async fn set_local<T: 'static>(value: T) -> T {
    tokio::task::spawn_local(async move { value }).await.unwrap()
}

#[test]
fn a_panic_of_a_call_names_the_caller() {
    diagnose_isolation::isolated!();
    let (sends, place) = mpsc::channel();
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let line = info.location().map(|location| (location.file().to_owned(), location.line()));
        let _ = sends.send((std::thread::current().name().map(str::to_owned), line));
        hook(info);
    }));
    let line = line!() + 1;
    let caught = std::panic::catch_unwind(|| drop(tokio::spawn(async {})));
    assert!(caught.is_err());
    let this = std::thread::current().name().map(str::to_owned);
    let (_, place) = place.iter().find(|(name, _)| *name == this).unwrap();
    assert_eq!(place.unwrap(), (file!().to_owned(), line));
}
