//! Adding permits records the task that adds them.

use diagnose::model::Role;
use diagnose::tokio;
use diagnose::tokio::sync::Semaphore;
use diagnose_waits_tests::made_in;

#[tokio::test]
async fn a_refilled_semaphore_records_the_task_that_adds_permits() {
    let (semaphore, made) = (Semaphore::new(0), line!());
    semaphore.add_permits(1);
    let adds = line!() + 1;
    semaphore.add_permits(2);
    let permit = semaphore.acquire().await.unwrap();
    let (resource, _) = made_in!(made);
    assert_eq!((resource.is_refilled, resource.capacity, resource.free), (true, Some(3), 2));
    let users: Vec<_> = resource.holdings.iter().filter(|holding| holding.role == Role::Uses).collect();
    assert_eq!(users.len(), 1, "one task has added permits, twice");
    assert_eq!(users[0].place.as_ref().unwrap().line, adds - 2);
    drop(permit);
}
