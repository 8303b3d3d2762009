//! What is folded is what was there.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::folded::{MIN, fold};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Record {
    id: u64,
    due: Option<i64>,
    text: String,
    list: Vec<u64>,
}

/// A list in a field, as a snapshot has them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Page {
    #[serde(with = "super")]
    list: Vec<Record>,
}

fn record(id: u64) -> Record {
    Record { id, due: None, text: "7 # \"8\" \\".to_owned(), list: vec![id; 2] }
}

fn saved(list: Vec<Record>) -> String {
    let page = Page { list };
    let text = serde_json::to_string(&page).unwrap();
    assert_eq!(serde_json::from_str::<Page>(&text).unwrap(), page);
    text
}

#[test]
fn a_million_records_that_are_alike_take_a_line() {
    let text = saved((0..100_000).map(record).collect());
    assert!(text.len() < 200, "{text}");
    assert!(text.contains(r#""columns":["0 1*99999","0 1*99999","0 1*99999"]"#), "{text}");
    assert!(text.contains(r#""order":"0*100000""#), "{text}");
}

#[test]
fn kinds_that_take_turns_are_one_run() {
    let due = |id: u64| (id % 2 == 1).then_some(-5);
    let text = saved((0..10_000).map(|id| Record { due: due(id), ..record(id) }).collect());
    assert!(text.contains(r#""order":"0 1 0*9998""#), "{text}");
}

#[test]
fn what_is_not_alike_is_saved_record_by_record() {
    let text = saved((0..2_000).map(|id| Record { text: id.to_string(), ..record(id) }).collect());
    assert!(!text.contains("shapes"));
    assert!(!saved((0..MIN as u64 - 1).map(record).collect()).contains("shapes"));
}

#[test]
fn mistakes_are_errors() {
    let list: Vec<Record> = (0..2_000).map(record).collect();
    let text = serde_json::to_string(&fold(&list).unwrap()).unwrap();
    for (from, to) in [
        ("0*2000", "0*2001"),
        ("0*2000", "0*1999"),
        ("0*2000", "1*2000"),
        ("0*2000", "-1*2000"),
        ("0*2000", "0*18446744073709551615"),
        ("1*1999", "1*1998"),
        ("1*1999", "x*1999"),
        ("#", "null"),
        ("text", "test"),
        ("order", "odor"),
    ] {
        let page = format!("{{\"list\":{}}}", text.replacen(from, to, 1));
        assert!(text.contains(from) && serde_json::from_str::<Page>(&page).is_err(), "{from} to {to}");
    }
}

proptest! {
    #[test]
    fn nothing_is_lost(
        list in proptest::collection::vec((any::<u64>(), any::<Option<i64>>(), "[a#\"\\\\0-9é]{0,2}"), 0..40),
        times in 1..60_usize,
    ) {
        let one = |(id, due, text): &(u64, Option<i64>, String)| {
            Record { id: *id, due: *due, text: text.clone(), list: vec![*id] }
        };
        let list: Vec<Record> = (0..times).flat_map(|_| list.iter().map(one)).collect();
        let folded = fold(&list).unwrap();
        if let Some(folded) = folded {
            prop_assert_eq!(folded.unfold::<Record>(), Ok(list));
        }
    }
}
