//! A permit that is split off has its own holding; merged permits share one.

use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::Semaphore;
use diagnose_waits_tests::made_in;

#[tokio::test]
async fn borrowed_permits_are_split_and_merged() {
    let (semaphore, made) = (Semaphore::new(5), line!());
    let units = || made_in!(made).0.holdings.iter().map(|holding| holding.units).collect::<Vec<_>>();
    let mut permit = semaphore.acquire_many(4).await.unwrap();
    let mut part = permit.split(1).unwrap();
    let mut both = units();
    both.sort_unstable();
    assert_eq!(both, [1, 3]);
    part.merge(permit);
    assert_eq!((units(), made_in!(made).0.free), (vec![4], 1));
}

#[tokio::test]
async fn owned_permits_are_split_and_merged() {
    let (semaphore, made) = (Arc::new(Semaphore::new(5)), line!());
    let mut permit = Arc::clone(&semaphore).acquire_many_owned(4).await.unwrap();
    let part = permit.split(3).unwrap();
    drop(permit);
    let (resource, _) = made_in!(made);
    assert_eq!((resource.holdings.len(), resource.holdings[0].units, resource.free), (1, 3, 2));
    let mut other = semaphore.try_acquire_many_owned(2).unwrap();
    other.merge(part);
    assert_eq!((made_in!(made).0.holdings[0].units, other.num_permits()), (5, 5));
}

#[tokio::test]
#[should_panic(expected = "merging permits from different semaphore instances")]
async fn permits_of_different_semaphores_do_not_merge() {
    let (one, other) = (Arc::new(Semaphore::new(1)), Arc::new(Semaphore::new(1)));
    let mut permit = one.acquire_owned().await.unwrap();
    permit.merge(other.acquire_owned().await.unwrap());
}
