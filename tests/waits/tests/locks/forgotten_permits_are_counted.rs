//! Forgotten permits have no holder, and are counted.

use std::sync::Arc;

use diagnose::tokio;
use diagnose::tokio::sync::Semaphore;
use diagnose_waits_tests::made_in;

#[tokio::test]
async fn forgotten_permits_are_counted_with_the_place_of_the_last() {
    let (semaphore, made) = (Arc::new(Semaphore::new(7)), line!());
    semaphore.acquire().await.unwrap().forget();
    Arc::clone(&semaphore).acquire_many_owned(2).await.unwrap().forget();
    let permit = semaphore.acquire().await.unwrap();
    let forgets = line!() + 1;
    assert_eq!(semaphore.forget_permits(2), 2);
    let (resource, _) = made_in!(made);
    assert_eq!((resource.forgotten, resource.holdings.len(), resource.free), (5, 1, 1));
    assert_eq!(resource.last_forgotten.clone().unwrap().place.unwrap().line, forgets);
    assert_eq!(semaphore.available_permits(), 1);
    drop(permit);
}
