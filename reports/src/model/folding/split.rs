//! A record as JSON without its numbers, and the numbers: `{"id":#}` and 7, in one pass.
//!
//! It is the JSON that `serde_json` writes, with a mark for each number. Only whole numbers are
//! taken out; a minus, a fraction and an exponent stay in the text.

use serde::Serialize;
use serde::ser::{
    self, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::{Error, Result};

/// The mark in the place of a number.
pub(super) const NUMBER: u8 = b'#';

/// A record in two parts.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) like: Vec<u8>,
    pub(super) numbers: Vec<u64>,
}

impl Split {
    /// Splits the next record.
    pub(super) fn read(&mut self, record: &impl Serialize) -> Result<()> {
        self.like.clear();
        self.numbers.clear();
        record.serialize(&mut *self)
    }

    fn number(&mut self, number: u64) {
        self.like.push(NUMBER);
        self.numbers.push(number);
    }

    fn text(&mut self, text: &str) {
        self.like.extend_from_slice(text.as_bytes());
    }

    /// A text in quotes.
    fn quoted(&mut self, text: &str) -> Result<()> {
        let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\' && byte != 0x7f;
        if !text.bytes().all(is_plain) {
            return serde_json::to_writer(&mut self.like, text);
        }
        self.like.push(b'"');
        self.text(text);
        self.like.push(b'"');
        Ok(())
    }

    /// The name of a variant, before what is in it.
    fn variant(&mut self, name: &str) -> Result<()> {
        self.like.push(b'{');
        self.quoted(name)?;
        self.like.push(b':');
        Ok(())
    }

    fn list<'a>(&'a mut self, open: u8, close: &'static str) -> Items<'a> {
        self.like.push(open);
        Items { split: self, close, is_first: true }
    }
}

/// The items of a list, an object or a variant.
#[derive(Debug)]
pub(super) struct Items<'a> {
    split: &'a mut Split,
    /// The text after the last item.
    close: &'static str,
    is_first: bool,
}

impl Items<'_> {
    fn item<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
        self.comma();
        item.serialize(&mut *self.split)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        self.comma();
        // The name of a field has nothing that would have to be escaped.
        let like = &mut self.split.like;
        like.push(b'"');
        like.extend_from_slice(name.as_bytes());
        like.extend_from_slice(b"\":");
        value.serialize(&mut *self.split)
    }

    fn comma(&mut self) {
        if !std::mem::replace(&mut self.is_first, false) {
            self.split.like.push(b',');
        }
    }

    fn close(self) {
        self.split.text(self.close);
    }
}

macro_rules! whole {
    ($($method:ident $type:ty),*) => {$(
        fn $method(self, number: $type) -> Result<()> {
            self.number(u64::from(number));
            Ok(())
        }
    )*};
}

macro_rules! as_text {
    ($($method:ident $type:ty),*) => {$(
        fn $method(self, value: $type) -> Result<()> {
            serde_json::to_writer(&mut self.like, &value)
        }
    )*};
}

macro_rules! signed {
    ($($method:ident $type:ty),*) => {$(
        fn $method(self, number: $type) -> Result<()> {
            if number < 0 {
                self.like.push(b'-');
            }
            self.number(i64::from(number).unsigned_abs());
            Ok(())
        }
    )*};
}

impl<'a> ser::Serializer for &'a mut Split {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Items<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Items<'a>;

    whole!(serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64);
    signed!(serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64);
    as_text!(serialize_f32 f32, serialize_f64 f64, serialize_char char);

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.text(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_str(self, text: &str) -> Result<()> {
        self.quoted(text)
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<()> {
        bytes.serialize(self)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.text("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, name: &'static str) -> Result<()> {
        self.quoted(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.variant(name)?;
        value.serialize(&mut *self)?;
        self.like.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>> {
        Ok(self.list(b'[', "]"))
    }

    fn serialize_tuple(self, _: usize) -> Result<Items<'a>> {
        Ok(self.list(b'[', "]"))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'a>> {
        Ok(self.list(b'[', "]"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Items<'a>> {
        self.variant(name)?;
        Ok(self.list(b'[', "]}"))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'a>> {
        Ok(self.list(b'{', "}"))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'a>> {
        Ok(self.list(b'{', "}"))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Items<'a>> {
        self.variant(name)?;
        Ok(self.list(b'{', "}}"))
    }
}

macro_rules! items {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Items<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, item: &T) -> Result<()> {
                self.item(item)
            }

            fn end(self) -> Result<()> {
                self.close();
                Ok(())
            }
        }
    )*};
}

macro_rules! fields {
    ($($trait:ident),*) => {$(
        impl $trait for Items<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
                self.field(name, value)
            }

            fn end(self) -> Result<()> {
                self.close();
                Ok(())
            }
        }
    )*};
}

items!(
    SerializeSeq serialize_element,
    SerializeTuple serialize_element,
    SerializeTupleStruct serialize_field,
    SerializeTupleVariant serialize_field
);
fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for Items<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.comma();
        let key = serde_json::to_value(key)?;
        self.split.quoted(key.as_str().unwrap_or(&key.to_string()))
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.split.like.push(b':');
        value.serialize(&mut *self.split)
    }

    fn end(self) -> Result<()> {
        self.close();
        Ok(())
    }
}
