//! Turns dumps into damaged inputs.
//!
//! Most inputs are dumps with one to eight changed values, so that the reader accepts them and they
//! reach the reports: numbers at the ends of their range, wrong indexes, texts with the syntax of a
//! format, and parts that are missing, repeated, or taken from another dump. The others are
//! truncated, or have changed bytes.

use serde_json::{Value, json};

use crate::random::Random;

const TEXTS: [&str; 18] = [
    "",
    " ",
    "a;b",
    "worker 3",
    "# note",
    "[busy]",
    "[deeper]",
    "x_[k]",
    "a\"b\\c",
    "]]><svg>&amp;--",
    "\u{1B}[2J\u{9B}\u{202E}\u{200B}\u{61C}\u{FEFF}",
    "line\nbreak\r\n\ttab",
    "nul\0",
    "測試🦀",
    "mutex",
    "waiting",
    "done",
    "await",
];

/// Returns input `number` of a seed.
#[must_use]
pub fn input(corpus: &[Value], seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::new(seed, number);
    let mut dump = random.pick(corpus).clone();
    if random.below(10) == 0 {
        let mut bytes = dump.to_string().into_bytes();
        for _ in 0..=random.below(4) {
            change_bytes(&mut bytes, &mut random);
        }
        return bytes;
    }
    let other = random.pick(corpus).clone();
    for _ in 0..=random.below(8) {
        change_value(&mut dump, &other, &mut random);
    }
    dump.to_string().into_bytes()
}

fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(5) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, (random.any() & 0xFF) as u8),
        2 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        3 if at < bytes.len() => bytes[at] = *random.pick(b"0123456789-.eE{}[]\",:\\"),
        _ => {
            let end = (at + random.below(200)).min(bytes.len());
            let part = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, part);
        }
    }
}

/// Descends from the root at random, and changes the value at which it stops. `other` is the value
/// at that place of another dump, or null if that has none.
fn change_value(value: &mut Value, other: &Value, random: &mut Random) {
    // Stops at each level with the same probability, so that deep values are changed less often.
    let goes_on = random.below(8) != 0;
    match value {
        Value::Object(fields) if goes_on && !fields.is_empty() => {
            let at = random.below(fields.len());
            let name = fields.keys().nth(at).cloned().unwrap_or_default();
            let other = other.get(&name).unwrap_or(&Value::Null);
            if let Some(field) = fields.get_mut(&name) {
                change_value(field, other, random);
            }
        }
        Value::Array(items) if goes_on && !items.is_empty() => {
            let at = random.below(items.len());
            let other = other.as_array().filter(|items| !items.is_empty());
            let other = other.map_or(&Value::Null, |items| random.pick(items));
            change_value(&mut items[at], other, random);
        }
        Value::Object(fields) => {
            if random.below(3) == 0 {
                *value = other.clone();
            } else {
                let at = random.below(fields.len());
                if let Some(name) = fields.keys().nth(at).cloned() {
                    fields.remove(&name);
                }
            }
        }
        Value::Array(items) => change_list(items, other, random),
        Value::Number(number) => *value = other_number(number.as_u64().unwrap_or(0), random),
        Value::String(_) => *value = json!(random.pick(&TEXTS)),
        Value::Bool(is) => *is = !*is,
        Value::Null => *value = other.clone(),
    }
}

fn change_list(items: &mut Vec<Value>, other: &Value, random: &mut Random) {
    let at = random.below(items.len());
    match random.below(7) {
        0 => items.clear(),
        1 if !items.is_empty() => drop(items.remove(at)),
        2 if !items.is_empty() => items.swap(0, at),
        3 => items.reverse(),
        4 => items.extend(other.as_array().into_iter().flatten().cloned()),
        _ if !items.is_empty() => {
            let item = items[at].clone();
            let times = *random.pick(&[1, 1, 2, 40, 300]);
            items.splice(at..at, std::iter::repeat_n(item, times));
        }
        _ => {}
    }
}

fn other_number(number: u64, random: &mut Random) -> Value {
    let small = random.below(32) as u64;
    match random.below(12) {
        0 => json!(0),
        1 => json!(u64::MAX),
        2 => json!(u64::MAX - small),
        3 => json!(i64::MAX.unsigned_abs() + small),
        4 => json!(u64::from(u32::MAX) - 16 + small),
        5 => json!(number.wrapping_add(1)),
        6 => json!(number.wrapping_sub(1)),
        7 => json!(1_u64 << random.below(64)),
        8 => json!(random.any()),
        9 => json!(-1),
        _ => json!(small),
    }
}

#[cfg(test)]
mod tests {
    use crate::corpus;

    #[test]
    fn inputs_are_the_same_every_time_and_differ() {
        let corpus = corpus::all();
        assert!(corpus.len() >= 20);
        assert_eq!(super::input(&corpus, 1, 5), super::input(&corpus, 1, 5));
        assert_ne!(super::input(&corpus, 1, 5), super::input(&corpus, 1, 6));
        assert_ne!(super::input(&corpus, 1, 5), super::input(&corpus, 2, 5));
    }
}
