//! Folds a list, and unfolds it again.

use std::collections::HashMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::columns::{self, Column, Steps};
use super::split::Split;
use super::text;
use crate::model::class::Alike;

/// Shorter lists are saved record by record, for people to read.
pub(super) const MIN: usize = 1_000;
/// The minimum number of records per shape, on average.
const PER_SHAPE: usize = 16;
/// The maximum length of a list. A longer one is a mistake: no program has that many live tasks.
const MAX: u64 = 1 << 26;

/// Saves a list.
pub(crate) fn serialize<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    if list.len() >= MIN {
        if let Some(folded) = fold(list).map_err(S::Error::custom)? {
            return folded.serialize(serializer);
        }
    }
    serializer.collect_seq(list)
}

/// Reads a list that was saved either way.
pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned + Alike,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(List(PhantomData))
}

/// A folded list.
#[derive(Serialize, Deserialize)]
pub(super) struct Folded {
    shapes: Vec<Shape>,
    order: String,
}

/// Records that differ only in numbers.
#[derive(Serialize, Deserialize)]
struct Shape {
    like: String,
    columns: Vec<String>,
}

/// Returns `None` if the records have too many shapes.
pub(super) fn fold<T: Serialize>(list: &[T]) -> serde_json::Result<Option<Folded>> {
    let mut known = HashMap::<Vec<u8>, usize>::new();
    let mut shapes: Vec<(Vec<u8>, Vec<Column>)> = Vec::new();
    let (mut order, mut last) = (Order::default(), 0);
    let mut split = Split::default();
    for item in list {
        split.read(item)?;
        let Split { like, numbers } = &split;
        let expected = order.expected(last);
        let shape = match shapes.get(expected).filter(|(known, _)| known == like) {
            Some(_) => expected,
            None => *known.entry(like.clone()).or_insert(shapes.len()),
        };
        if shape == shapes.len() {
            if shapes.len() * PER_SHAPE > list.len() {
                return Ok(None);
            }
            shapes.push((like.clone(), vec![Column::default(); numbers.len()]));
        }
        for (column, number) in shapes[shape].1.iter_mut().zip(numbers) {
            column.push(*number);
        }
        order.push(shape);
        last = shape;
    }
    let shapes = shapes.into_iter().map(|(like, columns)| Shape {
        // What was cut out of JSON is text.
        like: String::from_utf8(like).unwrap_or_default(),
        columns: columns.into_iter().map(Column::finish).collect(),
    });
    Ok(Some(Folded { shapes: shapes.collect(), order: order.finish() }))
}

/// The shape of each record, in order.
#[derive(Default)]
struct Order {
    /// By shape: the shape that followed it the last time.
    after: Vec<usize>,
    last: Option<usize>,
    /// The current run: its first shape and its length.
    run: Option<(usize, u64)>,
    text: String,
}

impl Order {
    /// The shape that most likely follows this one.
    fn expected(&self, shape: usize) -> usize {
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

    /// Records a shape as the latest.
    fn note(&mut self, shape: usize) {
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
            columns::push_run(&mut self.text, shape, count);
        }
    }

    fn finish(mut self) -> String {
        self.end_run();
        self.text
    }
}

impl Folded {
    pub(super) fn unfold<T: DeserializeOwned + Alike>(&self) -> Result<Vec<T>, String> {
        let order = columns::runs(&self.order)?;
        let count = order.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count));
        let count = count.filter(|count| *count <= MAX).ok_or("a folded list is too long")?;
        let mut shapes = Vec::new();
        for shape in &self.shapes {
            let parts = text::parts(shape.like.as_bytes());
            if parts.len() != shape.columns.len() + 1 {
                return Err("a shape has another number of columns than of numbers".to_owned());
            }
            let columns: Vec<Steps<'_>> = shape.columns.iter().map(|column| Steps::new(column)).collect();
            shapes.push((parts, columns));
        }
        let (mut list, mut record) = (Vec::new(), Vec::new());
        let (mut known, mut classes) = (Order::default(), T::Classes::default());
        for (first, run) in order {
            let mut shape = usize::try_from(first).map_err(|_| "a shape that is not there")?;
            for place in 0..run.min(count) {
                shape = if place == 0 { shape } else { known.expected(shape) };
                let (parts, columns) = shapes.get_mut(shape).ok_or("a shape that is not there")?;
                record.clear();
                for (part, column) in parts.iter().zip(columns) {
                    record.extend_from_slice(part);
                    text::push_number(&mut record, column.next()?);
                }
                record.extend(parts.last().into_iter().copied().flatten());
                let mut item: T = serde_json::from_slice(&record).map_err(|error| error.to_string())?;
                item.share(&mut classes);
                list.push(item);
                known.note(shape);
            }
        }
        if shapes.iter().flat_map(|(_, columns)| columns).all(Steps::is_at_end) {
            return Ok(list);
        }
        Err("a column is longer than its shape comes often".to_owned())
    }
}

/// Reads a list.
struct List<T>(PhantomData<T>);

impl<'de, T: DeserializeOwned + Alike> Visitor<'de> for List<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list, or a folded one")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
        let (mut list, mut classes) = (Vec::new(), T::Classes::default());
        while let Some(mut item) = items.next_element::<T>()? {
            item.share(&mut classes);
            list.push(item);
        }
        Ok(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Vec<T>, A::Error> {
        let (mut shapes, mut order) = (None, None);
        while let Some(name) = fields.next_key::<String>()? {
            match name.as_str() {
                "shapes" => shapes = Some(fields.next_value()?),
                "order" => order = Some(fields.next_value()?),
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        let shapes = shapes.ok_or_else(|| A::Error::missing_field("shapes"))?;
        let order = order.ok_or_else(|| A::Error::missing_field("order"))?;
        Folded { shapes, order }.unfold().map_err(A::Error::custom)
    }
}
