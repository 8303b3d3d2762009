//! Folds a list into shapes and columns.

use std::collections::HashMap;

#[cfg(feature = "read")]
use serde::{Serialize, Serializer};

use super::columns::{self, Column};
use crate::json::{Json, Parts, ToJson};

/// Shorter lists are saved record by record, so that people can read them.
pub(crate) const MIN: usize = 1_000;
/// The minimum number of records per shape, on average.
const PER_SHAPE: usize = 16;

/// A record of a list that may be folded.
pub(crate) trait Record: ToJson {
    /// Appends everything that determines the record's JSON except its numbers: the address of its
    /// class, and which optional fields it has. If two records of one list append equal keys, their
    /// JSON differs only in numbers. Returns `false` if records have to be written to be compared.
    fn push_shape(&self, _key: &mut Vec<usize>) -> bool {
        false
    }
}

/// Saves a list.
pub(crate) fn write_json<T: Record>(list: &[T], json: &mut Json<'_>) {
    match fold_long(list) {
        Some(folded) => folded.write_json(json),
        None => json.list(list),
    }
}

/// Saves a list through a serializer of serde, in the same form.
#[cfg(feature = "read")]
pub(crate) fn serialize<T, S>(list: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    T: Serialize + Record,
    S: Serializer,
{
    match fold_long(list) {
        Some(folded) => folded.serialize(serializer),
        None => serializer.collect_seq(list),
    }
}

fn fold_long<T: Record>(list: &[T]) -> Option<Folded> {
    if list.len() < MIN { None } else { fold(list) }
}

/// A folded list.
#[derive(ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct Folded {
    pub(super) shapes: Vec<Shape>,
    pub(super) order: String,
}

/// Records that differ only in numbers.
#[derive(ToJson)]
#[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct Shape {
    pub(super) like: String,
    pub(super) columns: Vec<String>,
}

/// Folds a list of any length. Returns `None` if the records have too many shapes.
pub(super) fn fold<T: Record>(list: &[T]) -> Option<Folded> {
    fold_records(list.len(), &mut list.iter().map(|record| record as &dyn Record))
}

fn fold_records(count: usize, list: &mut dyn Iterator<Item = &dyn Record>) -> Option<Folded> {
    let mut known = HashMap::<Vec<u8>, usize>::new();
    let mut shapes: Vec<Records> = Vec::new();
    let (mut order, mut last) = (Order::default(), 0);
    let (mut split, mut key) = (Json::split(), Vec::new());
    for item in list {
        split.text.clear();
        split.numbers.clear();
        key.clear();
        let has_key = item.push_shape(&mut key);
        let expected = order.expected(last);
        let likely = shapes.get(expected);
        // If the keys are equal, the texts are equal, too, so only the numbers are written.
        let is_known = has_key && likely.is_some_and(|shape| shape.key == key);
        split.parts = if is_known { Parts::Numbers } else { Parts::Split };
        item.write_json(&mut split);
        let Json { text: like, numbers, .. } = &split;
        let shape = match likely.filter(|shape| is_known || shape.like == *like) {
            Some(_) => expected,
            None => *known.entry(like.clone()).or_insert(shapes.len()),
        };
        if shape == shapes.len() {
            if shapes.len() * PER_SHAPE > count {
                return None;
            }
            let columns = vec![Column::default(); numbers.len()];
            shapes.push(Records { like: like.clone(), key: Vec::new(), columns });
        }
        let records = &mut shapes[shape];
        if has_key && !is_known {
            records.key.clone_from(&key);
        }
        for (column, number) in records.columns.iter_mut().zip(numbers) {
            column.push(*number);
        }
        order.push(shape);
        last = shape;
    }
    let shapes = shapes.into_iter().map(|Records { like, columns, .. }| Shape {
        // JSON without its numbers is still UTF-8.
        like: String::from_utf8(like).unwrap_or_default(),
        columns: columns.into_iter().map(Column::finish).collect(),
    });
    Some(Folded { shapes: shapes.collect(), order: order.finish() })
}

/// The records of one shape so far.
struct Records {
    like: Vec<u8>,
    /// The key that [`Record::push_shape`] appended for the last record of this shape whose JSON
    /// was written; empty if unknown.
    key: Vec<usize>,
    columns: Vec<Column>,
}

/// The shape of each record, in order.
#[derive(Default)]
pub(super) struct Order {
    /// By shape: the shape of the record that followed its last record.
    after: Vec<usize>,
    last: Option<usize>,
    /// The current run: its first shape and its length.
    run: Option<(usize, u64)>,
    text: Vec<u8>,
}

impl Order {
    /// The shape that most likely follows the given one.
    pub(super) fn expected(&self, shape: usize) -> usize {
        self.after.get(shape).copied().unwrap_or(shape)
    }

    fn push(&mut self, shape: usize) {
        let is_expected = self.last.is_some_and(|last| self.expected(last) == shape);
        match &mut self.run {
            Some((_, count)) if is_expected => *count += 1,
            _ => {
                self.end_run();
                self.run = Some((shape, 1));
            }
        }
        self.note(shape);
    }

    /// Adds the shape of the next record.
    pub(super) fn note(&mut self, shape: usize) {
        if let Some(last) = self.last {
            while self.after.len() <= last {
                self.after.push(self.after.len());
            }
            self.after[last] = shape;
        }
        self.last = Some(shape);
    }

    fn end_run(&mut self) {
        if let Some((shape, count)) = self.run.take() {
            columns::push_run(&mut self.text, false, shape as u64, count);
        }
    }

    fn finish(mut self) -> String {
        self.end_run();
        String::from_utf8(self.text).unwrap_or_default()
    }
}
