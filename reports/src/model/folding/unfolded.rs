//! Reads a list, and unfolds a folded one.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserializer;
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::folded::{Folded, Order};
use super::steps::{self, Steps};
use super::text;
use crate::model::class::Alike;

/// The maximum length of a list. A longer one is a mistake: no program has that many live tasks.
const MAX: u64 = 1 << 26;
/// The maximum size of the records of an unfolded list, in bytes: a fixed part, plus a part for
/// each byte of its columns. Live records differ in ids and times, which take several bytes each.
const MAX_BYTES: u64 = 1 << 29;
const MAX_BYTES_PER_BYTE: u64 = 512;

/// Reads a list that was saved folded or record by record.
pub(crate) fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: DeserializeOwned + Alike,
    D: Deserializer<'de>,
{
    deserializer.deserialize_any(List(PhantomData))
}

impl Folded {
    pub(super) fn unfold<T: DeserializeOwned + Alike>(&self) -> Result<Vec<T>, String> {
        let columns = self.shapes.iter().flat_map(|shape| &shape.columns);
        let columns = columns.fold(0, |sum: u64, column| sum.saturating_add(column.len() as u64));
        self.unfold_within(MAX_BYTES.saturating_add(columns.saturating_mul(MAX_BYTES_PER_BYTE)))
    }

    /// Unfolds to records of at most `left` bytes in total.
    pub(super) fn unfold_within<T>(&self, mut left: u64) -> Result<Vec<T>, String>
    where
        T: DeserializeOwned + Alike,
    {
        let order = steps::runs(&self.order)?;
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
                left = left.checked_sub(record.len() as u64).ok_or("a folded list is too large")?;
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
