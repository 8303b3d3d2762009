//! The callers of a wait. They distinguish two tasks that wait in the same helper.

use super::names::place;
use crate::analysis::hangs::facts::Facts;
use crate::clean::printable;
use crate::model::{Holding, Place, SiteIndex, SiteKind, Span, SpanIndex, Wait};

/// Maximum number of callers that a sentence names. Links list all known callers.
const MAX_NAMED: usize = 4;
/// Maximum number of callers of a wait. A recursive function can have more.
const MAX_CALLERS: usize = 16;

impl Facts<'_> {
    /// The awaits through which the waiting call was reached, from the innermost to the outermost.
    pub(crate) fn callers_of(&self, wait: &Wait) -> Vec<Place> {
        let spans = &self.snapshot.spans;
        let own = self.place_of(wait);
        let mut callers: Vec<Place> = Vec::new();
        let mut push = |site: Option<SiteIndex>| {
            let Some(mut place) = site.and_then(|site| self.place_of_site(site)) else { return };
            place.file = printable(&place.file).into();
            let is_same = |other: &Place| other.file == place.file && other.line == place.line;
            let is_known = callers.last().map_or_else(|| own.as_ref().is_some_and(is_same), is_same);
            if !is_known {
                callers.push(place);
            }
        };
        let Some(body) = self.span(wait.span) else { return callers };
        push(self.own_await(body));
        let is_await = |index: usize| {
            let site = spans.get(index).and_then(|span| self.snapshot.site(span.site));
            site.is_some_and(|site| site.kind == SiteKind::Await)
        };
        let mut next = Some(body);
        for _ in 0..MAX_CALLERS {
            let Some((index, span)) = next.and_then(|index| Some((index, spans.get(index)?))) else { break };
            let parent = self.parent_of(index);
            if is_await(index) {
                push(Some(span.site));
            } else if span.at.is_some() || span.is_set_aside {
                push(span.at);
            } else {
                // A body that no recorded await polls is polled where its parent body is suspended.
                push(parent.filter(|&parent| !is_await(parent)).and_then(|parent| self.own_await(parent)));
            }
            next = parent;
        }
        callers
    }

    /// The await at which a body is suspended, if exactly one await of the body is listed.
    fn own_await(&self, body: usize) -> Option<SiteIndex> {
        let spans = &self.snapshot.spans;
        let below = spans.get(body + 1..)?.iter();
        let below = below.take_while(|span| span.parent.is_some_and(|parent| parent.get() >= body));
        let is_await =
            |site: SiteIndex| self.snapshot.site(site).is_some_and(|site| site.kind == SiteKind::Await);
        let is_own = |span: &&Span| {
            span.id == spans[body].id && span.parent == Some(SpanIndex::new(body)) && !span.is_set_aside
        };
        let mut own = below.filter(is_own).map(|span| span.site).filter(|&site| is_await(site));
        // With several awaits, it is unknown at which of them the body is suspended.
        own.next().filter(|_| own.next().is_none())
    }

    /// ` at src/main.rs:40, called from src/main.rs:12`, or empty.
    pub(crate) fn at_words(&self, wait: &Wait, callers: &mut NamedCallers) -> String {
        let own = super::names::at(self.place_of(wait).as_ref());
        if own.is_empty() { own } else { own + &callers.words(&self.callers_of(wait)) }
    }
}

/// The callers of a holding, safe to print.
pub(crate) fn callers_of_holding(holding: &Holding) -> Vec<Place> {
    let clean = |place: &Place| Place { file: printable(&place.file).into(), ..place.clone() };
    holding.callers.iter().map(clean).collect()
}

/// ` (acquired at src/main.rs:40, called from src/main.rs:12)`, or empty.
pub(crate) fn acquired_words(verb: &str, holding: &Holding, callers: &mut NamedCallers) -> String {
    let own = place(holding.place.as_ref());
    own.map(|own| format!(" ({verb} at {own}{})", callers.words(&holding.callers))).unwrap_or_default()
}

/// ` at src/main.rs:40, called from src/main.rs:12`, or empty.
pub(crate) fn at_words_of_holding(holding: &Holding, callers: &mut NamedCallers) -> String {
    let own = place(holding.place.as_ref());
    own.map(|own| format!(" at {own}{}", callers.words(&holding.callers))).unwrap_or_default()
}

/// The callers that a sentence named last. A list of several callers is not repeated.
#[derive(Debug, Default)]
pub(crate) struct NamedCallers {
    words: String,
}

impl NamedCallers {
    /// `, called from src/main.rs:12, src/main.rs:8`; `, same callers`; or empty.
    fn words(&mut self, callers: &[Place]) -> String {
        let places: Vec<String> = callers.iter().take(MAX_NAMED).filter_map(|it| place(Some(it))).collect();
        let words = match places.as_slice() {
            [] => return String::new(),
            _ if callers.len() > MAX_NAMED => format!(", called from {}, …", places.join(", ")),
            _ => format!(", called from {}", places.join(", ")),
        };
        if words == self.words && places.len() > 1 {
            return ", same callers".to_owned();
        }
        self.words.clone_from(&words);
        words
    }
}
