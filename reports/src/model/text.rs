//! Text that many records share, because a million tasks come from a few places.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, LazyLock};

#[cfg(feature = "read")]
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::{Json, ToJson};

/// Shared, immutable text. A clone is a pointer to the same text.
///
/// # Examples
/// ```
/// use diagnose_reports::model::Text;
///
/// let place = Text::from("src/main.rs:12:5");
/// assert_eq!(place.clone(), "src/main.rs:12:5");
/// assert!(place.ends_with(":5"));
/// ```
// One word in a record, instead of the three of a string or the two of an `Arc<str>`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<String>);

/// The empty text, which all records without text share.
static EMPTY: LazyLock<Text> = LazyLock::new(|| Text(Arc::default()));

impl Text {
    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of the text. Two existing texts with the same address are equal.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl Default for Text {
    fn default() -> Self {
        EMPTY.clone()
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        if text.is_empty() { Self::default() } else { Self(Arc::new(text)) }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Text {
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<Text> for str {
    fn eq(&self, other: &Text) -> bool {
        self == other.as_str()
    }
}

impl PartialEq<Text> for &str {
    fn eq(&self, other: &Text) -> bool {
        *self == other.as_str()
    }
}

impl PartialEq<Text> for String {
    fn eq(&self, other: &Text) -> bool {
        self == other.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

impl ToJson for Text {
    fn write_json(&self, json: &mut Json<'_>) {
        json.string(self);
    }
}

#[cfg(feature = "read")]
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

#[cfg(feature = "read")]
impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    #[test]
    fn a_text_is_compared_in_both_directions() {
        let (text, string) = (Text::from("a"), "a".to_owned());
        let (slice, reference): (&str, &&str) = ("a", &"a");
        assert_eq!(text, *slice);
        assert_eq!(*slice, text);
        assert_eq!(text, *reference);
        assert_eq!(*reference, text);
        assert_eq!(text, string);
        assert_eq!(string, text);
    }
}
