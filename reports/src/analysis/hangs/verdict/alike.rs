//! Groups verdicts that differ only in ids and times, such as leaks of several permits.
//!
//! They have one cause, so a folded report shows one of them and the number of the others.

use super::types::{Link, Verdict};
use crate::ordered::OrderedMap;

/// Groups verdicts that differ only in ids and times. The groups are in the order of their first
/// verdicts.
pub(crate) fn alike<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Vec<Vec<&'a Verdict>> {
    let mut numbers = OrderedMap::new();
    let mut groups: Vec<Vec<&'a Verdict>> = Vec::new();
    for verdict in verdicts {
        let links: Vec<_> = verdict.chain.iter().map(kind_and_place).collect();
        let key = (verdict.kind, verdict.detail, verdict.confidence, verdict.behind.is_some(), links);
        let number = *numbers.entry(key).or_insert(groups.len());
        match groups.get_mut(number) {
            Some(group) => group.push(verdict),
            None => groups.push(vec![verdict]),
        }
    }
    groups
}

/// A link without its id and time.
fn kind_and_place(link: &Link) -> impl Ord + '_ {
    let callers: Vec<_> = link.callers.iter().collect();
    (link.node, link.role, link.name.as_str(), link.file.as_str(), link.line, callers)
}
