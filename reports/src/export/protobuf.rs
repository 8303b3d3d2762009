//! Encodes Protocol Buffers, with only the kinds of fields that a profile needs.
//!
//! ```text
//! varint field     key, value                  bool, enum, integers
//! bytes field      key, length, bytes          strings, messages, packed integers
//! key              field number << 3 | 0 for a varint, 2 for bytes
//! ```
//! See <https://protobuf.dev/programming-guides/encoding/>.

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Message {
    bytes: Vec<u8>,
}

impl Message {
    /// The encoded message.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes all fields, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Adds an integer. Zero is left out, because it is the default of every field.
    pub(crate) fn integer(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.varint(u64::from(field) << 3);
            self.varint(value);
        }
    }

    /// Adds a string or a message, even if it is empty.
    pub(crate) fn field(&mut self, field: u32, bytes: &[u8]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    /// Adds a list of integers.
    pub(crate) fn packed(&mut self, field: u32, values: &[u64]) {
        self.varint(u64::from(field) << 3 | 2);
        self.varint(values.iter().map(|&value| length(value)).sum());
        for &value in values {
            self.varint(value);
        }
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7F) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push((value & 0x7F) as u8);
    }
}

/// The length of a varint in bytes: one per 7 bits, at least one.
fn length(value: u64) -> u64 {
    u64::from((64 - (value | 1).leading_zeros()).div_ceil(7))
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn fields_are_encoded_as_in_the_specification() {
        let mut message = Message::default();
        message.integer(1, 150);
        message.integer(2, 0);
        message.field(2, b"testing");
        message.packed(6, &[3, 270, 86942]);
        let expected = [
            &[0x08, 0x96, 0x01][..],
            &[0x12, 0x07],
            b"testing",
            &[0x32, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05],
        ];
        assert_eq!(message.bytes(), expected.concat());
    }

    #[test]
    fn the_largest_integer_has_ten_bytes() {
        let mut message = Message::default();
        message.packed(1, &[u64::MAX, 0]);
        assert_eq!(message.bytes().len(), 2 + 10 + 1);
        assert_eq!(message.bytes()[1], 11);
    }
}
