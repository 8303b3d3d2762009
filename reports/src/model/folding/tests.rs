//! Unfolding restores a folded list exactly.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::folded::{MIN, fold};
use super::text;
use crate::json::{Json, ToJson};
use crate::model::Alike;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToJson)]
struct Record {
    id: u64,
    due: Option<i64>,
    text: String,
    list: Vec<u64>,
}

impl super::Record for Record {}

impl Alike for Record {
    type Classes = ();

    fn share(&mut self, (): &mut ()) {}
}

/// A list in a field, like the lists of a snapshot.
#[derive(Debug, PartialEq, Serialize, Deserialize, ToJson)]
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
    let mut json = Json::default();
    page.write_json(&mut json);
    assert_eq!(String::from_utf8(json.text).unwrap(), text);
    text
}

#[test]
fn similar_records_are_saved_in_one_line() {
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
fn records_that_differ_are_saved_one_by_one() {
    let text = saved((0..2_000).map(|id| Record { text: id.to_string(), ..record(id) }).collect());
    assert!(!text.contains("shapes"));
    assert!(!saved((0..MIN as u64 - 1).map(record).collect()).contains("shapes"));
}

#[test]
fn mistakes_are_errors() {
    let list: Vec<Record> = (0..2_000).map(record).collect();
    let text = serde_json::to_string(&fold(&list)).unwrap();
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

#[test]
fn a_list_unfolds_to_a_bounded_size() {
    let list: Vec<Record> = (0..2_000).map(record).collect();
    let bytes: usize = list.iter().map(|it| serde_json::to_string(it).unwrap().len()).sum();
    let folded = fold(&list).expect("a folded list");
    assert_eq!(folded.unfold_within::<Record>(bytes as u64), Ok(list));
    assert_eq!(
        folded.unfold_within::<Record>(bytes as u64 - 1),
        Err("a folded list is too large".to_owned())
    );
}

/// A record with all kinds of values in the model.
#[derive(Serialize, ToJson)]
struct Any {
    word: Word,
    flag: bool,
    some: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u32>,
    signed: Vec<i64>,
    attributes: BTreeMap<String, String>,
    lists: Vec<Vec<Empty>>,
}

#[derive(Clone, Copy, Serialize, ToJson)]
#[serde(rename_all = "snake_case")]
enum Word {
    LongPoll,
    #[serde(rename = "#")]
    Renamed,
}

#[derive(Clone, Copy, Serialize, ToJson)]
struct Empty {}

#[test]
fn a_record_and_its_numbers_are_what_serde_json_writes() {
    let text = "7 # \"8\" \\ \n \u{1} \u{8} \u{1f} \u{7f} é".to_owned();
    let empty = Any {
        word: Word::LongPoll,
        flag: true,
        some: None,
        left_out: None,
        signed: Vec::new(),
        attributes: BTreeMap::new(),
        lists: Vec::new(),
    };
    let full = Any {
        word: Word::Renamed,
        flag: false,
        some: Some(u64::MAX),
        left_out: Some(u32::MAX),
        signed: vec![0, -7, i64::MIN, i64::MAX],
        attributes: BTreeMap::from([(text.clone(), text), (String::new(), String::new())]),
        lists: vec![vec![Empty {}; 2], Vec::new()],
    };
    for record in [empty, full] {
        let expected = serde_json::to_string(&record).unwrap();
        let mut split = Json::split();
        record.write_json(&mut split);
        let parts = text::parts(&split.text);
        assert_eq!(parts.len(), split.numbers.len() + 1);
        let mut written = Vec::new();
        for (part, number) in parts.iter().zip(&split.numbers) {
            written.extend_from_slice(part);
            text::push_number(&mut written, *number);
        }
        written.extend_from_slice(parts[parts.len() - 1]);
        assert_eq!(String::from_utf8(written).unwrap(), expected);

        let (mut line, mut lines) = (Vec::new(), Vec::new());
        let mut json = Json::new(&mut line);
        record.write_json(&mut json);
        json.finish().unwrap();
        assert_eq!(String::from_utf8(line).unwrap(), expected);
        let mut json = Json::indented(&mut lines);
        record.write_json(&mut json);
        json.finish().unwrap();
        assert_eq!(String::from_utf8(lines).unwrap(), serde_json::to_string_pretty(&record).unwrap());
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
        let folded = fold(&list);
        if let Some(folded) = folded {
            prop_assert_eq!(folded.unfold::<Record>(), Ok(list));
        }
    }
}
