//! The data of the page in its script element: raw deflate, as base64.
//!
//! Base64 contains no character that is special in HTML. The scripts unpack the data with the
//! browser's own `DecompressionStream`.

use std::io;

use flate2::Compression;
use flate2::write::DeflateEncoder;

/// The compression level. Higher levels take twice the time to save a twentieth of the size.
const LEVEL: u32 = 4;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A writer that compresses into memory.
pub(super) struct Block(DeflateEncoder<Vec<u8>>);

impl Block {
    pub(super) fn new() -> Self {
        Self(DeflateEncoder::new(Vec::new(), Compression::new(LEVEL)))
    }

    /// Ends the data, and returns it as base64.
    pub(super) fn finish(self) -> io::Result<String> {
        Ok(base64(&self.0.finish()?))
    }
}

impl io::Write for Block {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.0.write(piece)
    }

    /// Does nothing, because a flush in the middle of the data would only make the result larger.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Encodes bytes as base64 with padding.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let at = |index: usize| u32::from(group.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4_usize {
            if digit > group.len() {
                text.push('=');
            } else {
                let six = (bits >> (18 - 6 * digit)) & 63;
                text.push(char::from(ALPHABET[six as usize]));
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::{Block, base64};

    #[test]
    fn base64_is_the_one_of_rfc_4648() {
        let encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let text: String =
            (0..50_000_u32).flat_map(|number| number.to_string().into_bytes()).map(char::from).collect();
        let mut block = Block::new();
        for piece in text.as_bytes().chunks(777) {
            block.write_all(piece).unwrap();
        }
        let packed = block.0.finish().unwrap();
        assert!(packed.len() < text.len() / 2, "{} of {}", packed.len(), text.len());
        let mut unpacked = String::new();
        flate2::read::DeflateDecoder::new(&packed[..]).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, text);
    }
}
