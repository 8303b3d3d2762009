//! Decoders of profiles, and random snapshots with consistent times.

use std::collections::BTreeMap;
use std::io::Read;

use diagnose_reports::Snapshot;
use diagnose_reports::model::SiteKind;
use proptest::prelude::*;
use serde_json::Value;

use super::random;

/// A random tree with wall and queued times. A task's idle time is the sum of the charges of its
/// paths, its time in the queue, and a part that no path is charged with.
pub(crate) fn timed(size: usize) -> impl Strategy<Value = Snapshot> {
    (random::snapshot(size), prop::collection::vec((0..40_u64, 0..9_u64), size)).prop_map(
        |(mut snapshot, times)| {
            if let [_, _, .., last] = &mut snapshot.sites[..] {
                last.kind = SiteKind::Await;
            }
            for index in (0..snapshot.nodes.len()).rev() {
                let (wall_ns, queued_ns) = times[index];
                let node = &mut snapshot.nodes[index];
                node.wall_ns = wall_ns;
                match node.parent {
                    // `idle_ns` already includes the charges of the paths below.
                    None => {
                        node.queued_ns = queued_ns;
                        node.idle_ns = node.idle_ns.max(node.self_idle_ns) + node.wall_ns + queued_ns;
                    }
                    Some(mut above) => {
                        while let Some(parent) = snapshot.nodes[above].parent {
                            above = parent;
                        }
                        snapshot.nodes[above].idle_ns += wall_ns;
                    }
                }
            }
            snapshot
        },
    )
}

/// The sums that every format has to agree with, in ns.
pub(crate) struct Sums {
    pub(crate) busy: u64,
    pub(crate) wall: u64,
    pub(crate) idle: u64,
    pub(crate) queued: u64,
}

impl Sums {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let nodes = || snapshot.nodes.iter();
        let roots = || nodes().filter(|node| node.parent.is_none());
        let nested_ns: u64 = nodes().map(|node| node.nested_ns).sum();
        let busy = roots().map(|root| root.busy_ns).sum::<u64>() - nested_ns;
        Self {
            busy,
            wall: busy + roots().map(|root| root.idle_ns).sum::<u64>(),
            idle: nodes().map(|node| node.self_idle_ns).sum(),
            queued: nodes().map(|node| node.queued_ns).sum(),
        }
    }
}

/// A decoded message: its fields by number, each with an integer or bytes.
pub(crate) type Message = Vec<(u64, Field)>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Field {
    Integer(u64),
    Bytes(Vec<u8>),
}

impl Field {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Integer(integer) => panic!("{integer} is no message"),
        }
    }
}

/// Decodes a message as the specification says.
pub(crate) fn decode(mut bytes: &[u8]) -> Message {
    let mut message = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Integer(varint(&mut bytes)),
            2 => {
                let length = usize::try_from(varint(&mut bytes)).unwrap();
                let (field, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(field.to_vec())
            }
            other => panic!("no wire type {other}"),
        };
        message.push((key >> 3, field));
    }
    message
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (&byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

pub(crate) fn integers(mut bytes: &[u8]) -> Vec<u64> {
    let mut integers = Vec::new();
    while !bytes.is_empty() {
        integers.push(varint(&mut bytes));
    }
    integers
}

/// Stack from the root, values, and labels.
pub(crate) type Sample = (Vec<String>, Vec<u64>, Vec<(String, String)>);

/// A profile of pprof.
pub(crate) struct Pprof {
    pub(crate) message: Message,
    pub(crate) strings: Vec<String>,
    pub(crate) types: Vec<String>,
    pub(crate) samples: Vec<Sample>,
}

impl Pprof {
    pub(crate) fn read(gz: &[u8]) -> Self {
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(gz).read_to_end(&mut bytes).unwrap();
        let message = decode(&bytes);
        let all = |number: u64| {
            let fields = message.iter().filter(move |(field, _)| *field == number);
            fields.map(|(_, field)| field.bytes())
        };
        let strings: Vec<String> = all(6).map(|text| String::from_utf8(text.to_vec()).unwrap()).collect();
        let text = |number: u64| strings[usize::try_from(number).unwrap()].clone();
        let integer = |message: &Message, number: u64| {
            message.iter().find(|(field, _)| *field == number).map_or(0, |(_, field)| match field {
                Field::Integer(integer) => *integer,
                Field::Bytes(_) => panic!("no integer"),
            })
        };
        let types = all(1).map(|bytes| text(integer(&decode(bytes), 1))).collect();
        let functions: BTreeMap<u64, String> =
            all(5).map(decode).map(|function| (integer(&function, 1), text(integer(&function, 2)))).collect();
        let locations: BTreeMap<u64, String> = all(4)
            .map(decode)
            .map(|location| {
                let line = location.iter().find(|(field, _)| *field == 4).unwrap().1.bytes();
                (integer(&location, 1), functions[&integer(&decode(line), 1)].clone())
            })
            .collect();
        let samples = all(2)
            .map(|bytes| {
                let sample = decode(bytes);
                let first =
                    |number: u64| sample.iter().find(|(field, _)| *field == number).unwrap().1.bytes();
                let stack = integers(first(1)).iter().rev().map(|id| locations[id].clone()).collect();
                let labels =
                    sample.iter().filter(|(field, _)| *field == 3).map(|(_, label)| decode(label.bytes()));
                let labels =
                    labels.map(|label| (text(integer(&label, 1)), text(integer(&label, 2)))).collect();
                (stack, integers(first(2)), labels)
            })
            .collect();
        Self { message, strings, types, samples }
    }

    /// The sum of a sample type.
    pub(crate) fn sum(&self, sample_type: &str) -> u64 {
        let index = self.types.iter().position(|name| name == sample_type).unwrap();
        self.samples.iter().map(|(_, values, _)| values[index]).sum()
    }
}

/// The self time of each frame of a speedscope profile, and its end. Events have to nest.
pub(crate) fn speedscope(page: &str, profile: usize) -> (BTreeMap<String, u64>, u64) {
    let file: Value = serde_json::from_str(page).unwrap();
    let frames = file["shared"]["frames"].as_array().unwrap();
    let profile = &file["profiles"][profile];
    let (mut open, mut before) = (Vec::<u64>::new(), 0);
    let mut times = BTreeMap::<String, u64>::new();
    for event in profile["events"].as_array().unwrap() {
        let (frame, at) = (event["frame"].as_u64().unwrap(), event["at"].as_u64().unwrap());
        if let Some(&top) = open.last() {
            let name = frames[usize::try_from(top).unwrap()]["name"].as_str().unwrap();
            *times.entry(name.to_owned()).or_default() += at - before;
        } else {
            assert_eq!(at, before);
        }
        before = at;
        match event["type"].as_str().unwrap() {
            "O" => open.push(frame),
            _ => assert_eq!(open.pop(), Some(frame)),
        }
    }
    assert_eq!(open, [0; 0]);
    (times, profile["endValue"].as_u64().unwrap())
}

/// The weights of a thread of a Firefox profile by frame, in ns, after a check of its tables.
pub(crate) fn firefox(page: &str, thread: usize) -> BTreeMap<String, u64> {
    let file: Value = serde_json::from_str(page).unwrap();
    let thread = &file["threads"][thread];
    let column = |table: &str, column: &str| {
        let column = thread[table][column].as_array().unwrap();
        assert_eq!(column.len() as u64, thread[table]["length"].as_u64().unwrap(), "{table}");
        column.clone()
    };
    let index = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let (stacks, weights) = (column("samples", "stack"), column("samples", "weight"));
    let times = column("samples", "time");
    assert!(times.windows(2).all(|pair| pair[0].as_f64() <= pair[1].as_f64()));
    let (frames, functions) = (column("stackTable", "frame"), column("frameTable", "func"));
    for (stack, prefix) in column("stackTable", "prefix").iter().enumerate() {
        assert!(prefix.is_null() || index(prefix) < stack, "prefixes come first");
    }
    let (names, strings) = (column("funcTable", "name"), thread["stringArray"].as_array().unwrap());
    let mut sums = BTreeMap::new();
    for (stack, weight) in stacks.iter().zip(&weights) {
        let function = &functions[index(&frames[index(stack)])];
        let name = strings[index(&names[index(function)])].as_str().unwrap();
        let ns: u64 = format!("{:.0}", weight.as_f64().unwrap() * 1e6).parse().unwrap();
        *sums.entry(name.to_owned()).or_default() += ns;
    }
    sums
}
