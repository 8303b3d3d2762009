//! Types for ids and indices.
//!
//! An *id* identifies one object for the whole life of a process. Reports show it: `task 4`,
//! `Mutex#1`. An *index* is the position of a record in one list of one [`Snapshot`], and is
//! meaningless in another snapshot. Saved files contain both as plain numbers.
//!
//! ```text
//! TaskId      Task::id        SiteIndex   Snapshot::sites
//! SpanId      Span::id        NodeIndex   Snapshot::nodes
//! WaitId      Wait::id        SpanIndex   Snapshot::spans
//! ResourceId  Resource::id
//! ```

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::ops::{Index, IndexMut};

use crate::json::{Json, ToJson};

use super::{Node, Resource, Site, Snapshot, Span, Task};

// An id or an index is its number plus one, so that an `Option` of it takes no more memory: a
// snapshot may have millions.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
        #[cfg_attr(feature = "read", serde(from = "u64", into = "u64"))]
        pub struct $name(NonZeroU64);

        impl $name {
            /// Creates the id with this number. `u64::MAX` becomes `u64::MAX - 1`.
            #[must_use]
            pub const fn new(number: u64) -> Self {
                Self(NonZeroU64::MIN.saturating_add(number))
            }

            /// Its number.
            #[must_use]
            pub const fn get(self) -> u64 {
                self.0.get() - 1
            }
        }

        /// The id 0, which no object has.
        impl Default for $name {
            fn default() -> Self {
                Self::new(0)
            }
        }

        impl From<$name> for u64 {
            fn from(id: $name) -> Self {
                id.get()
            }
        }

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self::new(number)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.get()).finish()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.get(), f)
            }
        }

        impl ToJson for $name {
            fn write_json(&self, json: &mut Json<'_>) {
                self.get().write_json(json);
            }
        }
    )*};
}

ids!(
    /// The id of a task, from 1. Reports show it as `task 4`.
    TaskId,
    /// The id of a span, from 1.
    SpanId,
    /// The id of a wait. Spans and waits share one numbering, so no wait has the number of a span.
    WaitId,
    /// The id of a resource, from 1. Reports show it as `Mutex#1`.
    ResourceId,
);

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "read", derive(serde::Deserialize, serde::Serialize))]
        #[cfg_attr(feature = "read", serde(from = "u32", into = "u32"))]
        pub struct $name(NonZeroU32);

        impl $name {
            const MAX: usize = (u32::MAX - 1) as usize;

            /// Creates the index of this position, from 0. Larger positions become `u32::MAX - 1`,
            /// but no list is that long.
            #[must_use]
            #[expect(clippy::cast_possible_truncation, reason = "the line compares first")]
            pub const fn new(position: usize) -> Self {
                let position = if position < Self::MAX { position } else { Self::MAX };
                Self(NonZeroU32::MIN.saturating_add(position as u32))
            }

            /// The position, from 0.
            #[must_use]
            pub const fn get(self) -> usize {
                (self.0.get() - 1) as usize
            }
        }

        /// The first position.
        impl Default for $name {
            fn default() -> Self {
                Self::new(0)
            }
        }

        impl From<$name> for u32 {
            fn from(index: $name) -> Self {
                index.0.get() - 1
            }
        }

        impl From<u32> for $name {
            fn from(position: u32) -> Self {
                Self::new(position as usize)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.get()).finish()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.get(), f)
            }
        }

        impl ToJson for $name {
            fn write_json(&self, json: &mut Json<'_>) {
                self.get().write_json(json);
            }
        }
    )*};
}

indices!(
    /// A position in [`Snapshot::sites`].
    SiteIndex,
    /// A position in [`Snapshot::nodes`].
    NodeIndex,
    /// A position in [`Snapshot::spans`].
    SpanIndex,
);

macro_rules! index_lists {
    ($($name:ident of $record:ident),*) => {$(
        /// The record at this position, as in `snapshot.sites[node.site]`.
        ///
        /// # Panics
        /// If the list is shorter. A file may contain such an index. The methods of [`Snapshot`]
        /// then return `None`.
        impl Index<$name> for Vec<$record> {
            type Output = $record;

            fn index(&self, index: $name) -> &$record {
                &self[index.get()]
            }
        }

        impl IndexMut<$name> for Vec<$record> {
            fn index_mut(&mut self, index: $name) -> &mut $record {
                &mut self[index.get()]
            }
        }
    )*};
}

index_lists!(SiteIndex of Site, NodeIndex of Node, SpanIndex of Span);

impl Snapshot {
    /// The site at this position; `None` if the list is shorter.
    #[must_use]
    pub fn site(&self, index: SiteIndex) -> Option<&Site> {
        self.sites.get(index.get())
    }

    /// The node at this position; `None` if the list is shorter.
    #[must_use]
    pub fn node(&self, index: NodeIndex) -> Option<&Node> {
        self.nodes.get(index.get())
    }

    /// The span at this position; `None` if the list is shorter.
    #[must_use]
    pub fn span(&self, index: SpanIndex) -> Option<&Span> {
        self.spans.get(index.get())
    }

    /// The task with this id; `None` if it was done at the capture. The search is linear: the list
    /// is in order of creation, but each thread has its own range of ids.
    #[must_use]
    pub fn task(&self, id: TaskId) -> Option<&Task> {
        self.tasks.iter().find(|task| task.id == id)
    }

    /// The resource with this id, found by binary search; `None` if the snapshot does not list it.
    #[must_use]
    pub fn resource(&self, id: ResourceId) -> Option<&Resource> {
        let found = self.resources.binary_search_by_key(&id, |resource| resource.id);
        found.ok().map(|position| &self.resources[position])
    }
}

#[cfg(all(test, feature = "read"))]
mod tests {
    use super::{ResourceId, SiteIndex, TaskId};

    #[test]
    fn an_id_is_saved_as_its_number_and_takes_a_word_even_as_an_option() {
        assert_eq!(size_of::<Option<TaskId>>(), 8);
        for number in [0, 1, 7, u64::MAX - 1] {
            let id = TaskId::new(number);
            assert_eq!((id.get(), id.to_string()), (number, number.to_string()));
            assert_eq!(serde_json::to_string(&Some(id)).expect("a number"), number.to_string());
            assert_eq!(serde_json::from_str::<Option<TaskId>>(&number.to_string()).expect("an id"), Some(id));
        }
        assert_eq!(TaskId::new(u64::MAX).get(), u64::MAX - 1);
        assert!(TaskId::default() < TaskId::new(1) && TaskId::new(9) < TaskId::new(10));
        assert_eq!(format!("{:?}", ResourceId::new(3)), "ResourceId(3)");
    }

    #[test]
    fn an_index_past_every_list_finds_nothing() {
        assert_eq!(SiteIndex::new(usize::MAX).get(), u32::MAX as usize - 1);
        assert!(crate::Snapshot::default().site(SiteIndex::new(usize::MAX)).is_none());
    }
}
