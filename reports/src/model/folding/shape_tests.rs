//! Checks that records with equal keys in [`Record::push_shape`] differ only in numbers.

use proptest::prelude::*;

use super::Record;
use crate::json::{Json, Parts};
use crate::model::{
    Holding, Resource, ResourceId, RunState, SiteIndex, Span, SpanId, SpanIndex, Task, TaskId, Wait,
};

/// The values that differ between records, and between their classes.
type Fields = ([Option<u64>; 4], [bool; 2], u64, Option<i64>);

fn fields() -> impl Strategy<Value = Fields> {
    let due = prop_oneof![Just(None), (-2..2_i64).prop_map(Some)];
    (any::<[Option<u64>; 4]>(), any::<[bool; 2]>(), 0..3_u64, due)
}

/// Fails if two records have equal keys but different texts, or if a record yields other numbers
/// when its text is not written.
fn check<T: Record>(records: &[T]) -> Result<(), TestCaseError> {
    let mut known: Vec<(Vec<usize>, Vec<u8>)> = Vec::new();
    for record in records {
        let mut key = Vec::new();
        prop_assert!(record.push_shape(&mut key));
        let [mut written, mut silent] = [Json::split(), Json::split()];
        silent.parts = Parts::Numbers;
        record.write_json(&mut written);
        record.write_json(&mut silent);
        prop_assert_eq!(&written.numbers, &silent.numbers);
        prop_assert!(silent.text.is_empty());
        match known.iter().find(|(known, _)| *known == key) {
            Some((_, text)) => prop_assert_eq!(text, &written.text),
            None => known.push((key, written.text)),
        }
    }
    Ok(())
}

fn task(classes: &[Task], ([runtime_id, woken_by, woken_ns, span], [..], number, _): &Fields) -> Task {
    let mut task = classes[usize::try_from(*number).unwrap()].clone();
    (task.runtime_id, task.woken_by) = (*runtime_id, woken_by.map(TaskId::new));
    (task.woken_ns, task.polls) = (*woken_ns, *number);
    task.span = span.map(|span| SpanIndex::new(usize::try_from(span % 9).unwrap()));
    task
}

fn wait(classes: &[Wait], ([resource, task, span, woken_ns], [..], number, due): &Fields) -> Wait {
    let mut wait = classes[usize::try_from(*number).unwrap()].clone();
    (wait.resource, wait.task) = (resource.map(ResourceId::new), task.map(TaskId::new));
    (wait.span, wait.woken_ns, wait.due_ns) = (span.map(SpanId::new), *woken_ns, *due);
    wait
}

fn span(classes: &[Span], ([at, parent, task, _], [detached, aside], number, due): &Fields) -> Span {
    let mut span = classes[usize::try_from(*number).unwrap()].clone();
    span.at = at.map(|at| SiteIndex::new(usize::try_from(at % 9).unwrap()));
    span.parent = parent.map(|parent| SpanIndex::new(usize::try_from(parent % 9).unwrap()));
    (span.task, span.is_detached, span.is_set_aside) = (task.map(TaskId::new), *detached, *aside);
    span.state = if due.is_some() { RunState::Running } else { RunState::Waiting };
    span
}

fn resource(classes: &[Resource], ([by, first, holder, span], [more, _], number, _): &Fields) -> Resource {
    let mut resource = classes[usize::try_from(*number).unwrap()].clone();
    (resource.created_by, resource.first_task) = (by.map(TaskId::new), first.map(TaskId::new));
    for holding in &mut resource.holdings {
        (holding.task, holding.span) = (holder.map(TaskId::new), span.map(SpanId::new));
    }
    if *more {
        resource.holdings.push(Holding::default());
    }
    resource
}

/// Three records of different classes.
fn classes<T: Default>(change: impl Fn(&mut T, u64)) -> Vec<T> {
    let of = |number| {
        let mut record = T::default();
        change(&mut record, number);
        record
    };
    (0..3).map(of).collect()
}

proptest! {
    #[test]
    fn records_of_one_key_differ_in_numbers_only(list in proptest::collection::vec(fields(), 2..60)) {
        let tasks = classes::<Task>(|task, number| task.self_wakes = number);
        check(&list.iter().map(|fields| task(&tasks, fields)).collect::<Vec<_>>())?;
        let waits = classes::<Wait>(|wait, number| wait.is_granted = number == 1);
        check(&list.iter().map(|fields| wait(&waits, fields)).collect::<Vec<_>>())?;
        let spans = classes::<Span>(|span, number| span.label = (number > 0).then(|| number.to_string().as_str().into()));
        check(&list.iter().map(|fields| span(&spans, fields)).collect::<Vec<_>>())?;
        let resources = classes::<Resource>(|resource, number| {
            resource.is_fair = number == 1;
            resource.holdings = vec![Holding::default(); usize::try_from(number).unwrap_or(0)];
        });
        check(&list.iter().map(|fields| resource(&resources, fields)).collect::<Vec<_>>())?;
    }
}
