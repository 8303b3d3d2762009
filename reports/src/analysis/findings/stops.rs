//! The awaits in which a task waits now.
//!
//! ```text
//! handle ─ select! ─┬─ db.query()        the one that does not end
//!                   └─ stop.changed()    an event, which ends it early
//! ```

use super::events::{is_next_job, waits_for_event};
use crate::model::{Site, SiteIndex, SiteKind, Snapshot, SpanIndex, Task};

/// The innermost spans of a task that waits, without those that it no longer polls.
#[derive(Debug)]
pub(super) struct Stops<'a> {
    snapshot: &'a Snapshot,
    /// Their sites, each once.
    sites: Vec<SiteIndex>,
}

impl<'a> Stops<'a> {
    pub(super) fn of(snapshot: &'a Snapshot, task: &Task) -> Self {
        let first = task.span.map_or(snapshot.spans.len(), SpanIndex::get);
        let spans = snapshot.spans.get(first..).unwrap_or_default();
        let spans = spans.iter().take_while(|span| span.task == Some(task.id)).enumerate();
        // Whether it is polled with its task, and whether a span inside it is.
        let mut polled: Vec<(SiteIndex, bool, bool)> = Vec::new();
        for (index, span) in spans {
            let parent = span.parent.and_then(|parent| parent.get().checked_sub(first));
            let parent = parent.filter(|&parent| parent < index);
            let is_root = index == 0;
            let is_polled = !span.is_set_aside
                && !span.is_detached
                && (is_root || parent.is_some_and(|parent| polled[parent].1));
            if let Some(parent) = parent.filter(|_| is_polled) {
                polled[parent].2 = true;
            }
            polled.push((span.site, is_polled, false));
        }
        let innermost = polled.into_iter().filter(|&(_, is_polled, is_around)| is_polled && !is_around);
        let mut sites: Vec<SiteIndex> = Vec::new();
        for (site, ..) in innermost {
            if !sites.contains(&site) {
                sites.push(site);
            }
        }
        Self { snapshot, sites }
    }

    /// The await that keeps the task, if it is known: the only one, or the only one that is for
    /// neither an event nor a moment.
    pub(super) fn only(&self) -> Option<SiteIndex> {
        let is_work = |site: &&SiteIndex| !self.site(**site).is_some_and(|it| waits_for_event(&it.name));
        let mut work = self.sites.iter().filter(is_work);
        let ((&[only], ..) | (_, Some(&only), None)) = (&self.sites[..], work.next(), work.next()) else {
            return None;
        };
        self.site(only).filter(|site| site.kind == SiteKind::Await).map(|_| only)
    }

    /// The await in which the task waits for the next job or connection, perhaps beside something
    /// else.
    pub(super) fn next_job(&self) -> Option<SiteIndex> {
        self.sites.iter().copied().find(|&site| self.site(site).is_some_and(|it| is_next_job(&it.name)))
    }

    /// Returns whether there is such an await.
    pub(super) fn are_for_next_job(&self) -> bool {
        self.next_job().is_some()
    }

    fn site(&self, site: SiteIndex) -> Option<&'a Site> {
        self.snapshot.site(site)
    }
}
