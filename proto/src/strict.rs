//! Decodes messages by name, and accepts no other form.
//!
//! Serde's derived code also accepts an enum's variant by number and a struct as a list in order of fields,
//! and MessagePack's reader stops at the end of a message. With all three, a single byte of any input can be
//! an order. Here a variant is its name, a struct is a map from names, and a body is one message to its last
//! byte. Unknown names are skipped, as newer peers need it.
//!
//! A body is first read as a JSON value, which can hold every message of hob; its parts are then moved, not
//! copied. A value takes many times the byte or two that it may have in a message, so the number of values
//! has a limit.

use std::cell::Cell;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, MapDeserializer, SeqDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Number, Value};

/// Most levels of nested lists and maps: as many as the JSON of clients may have, and those that a message
/// puts around it.
const DEPTH: usize = 160;

/// Most values in one message, nested ones included.
const VALUES: usize = 250_000;

/// Decodes the message that is the whole of `body`; the error describes the fault.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    let mut reader = rmp_serde::Deserializer::new(std::io::Cursor::new(body));
    reader.set_max_depth(DEPTH);
    let left = Cell::new(VALUES);
    let value = Counted(&left).deserialize(&mut reader).map_err(|error| error.to_string())?;
    let rest = body.len() as u64 - reader.position();
    if rest != 0 {
        return Err(format!("{rest} bytes follow the message"));
    }
    T::deserialize(ByName(value)).map_err(|error| error.to_string())
}

/// Reads a value, and subtracts it and its parts from the remaining number.
#[derive(Clone, Copy)]
struct Counted<'c>(&'c Cell<usize>);

impl<'de> DeserializeSeed<'de> for Counted<'_> {
    type Value = Value;

    fn deserialize<D: de::Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        let left = self.0.get().checked_sub(1);
        self.0
            .set(left.ok_or_else(|| D::Error::custom(format!("more than {VALUES} values in one message")))?);
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Counted<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("what JSON can say")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, said: bool) -> Result<Value, E> {
        Ok(Value::Bool(said))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(number.into())
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Number::from_f64(number).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            all.push(item);
        }
        Ok(Value::Array(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut parts: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(name) = parts.next_key::<String>()? {
            let value = parts.next_value_seed(self)?;
            if all.contains_key(&name) {
                return Err(A::Error::custom(format!("`{name}` is said twice")));
            }
            all.insert(name, value);
        }
        Ok(Value::Object(all))
    }
}

/// Passes a value to derived code, but only in the form that hob sends.
struct ByName(Value);

impl ByName {
    /// Visits the map that a value with named parts must be.
    fn visit_parts<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, serde_json::Error> {
        match self.0 {
            Value::Object(parts) => visitor
                .visit_map(MapDeserializer::new(parts.into_iter().map(|(name, value)| (name, Self(value))))),
            other => Err(de::Error::invalid_type(kind(&other), &"a map from names")),
        }
    }
}

fn kind(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(said) => Unexpected::Bool(*said),
        Value::Number(_) => Unexpected::Other("a number"),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}

impl<'de> de::Deserializer<'de> for ByName {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Self))),
            Value::Object(_) => self.visit_parts(visitor),
            plain => plain.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.visit_parts(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.visit_parts(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(name.into_deserializer()),
            Value::Object(parts) if parts.len() == 1 => {
                let parts = parts.into_iter().map(|(name, value)| (name, Self(value)));
                visitor.visit_enum(MapAccessDeserializer::new(MapDeserializer::new(parts)))
            }
            other => Err(de::Error::invalid_type(kind(&other), &"the name of a variant")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        bytes byte_buf unit unit_struct seq tuple tuple_struct identifier ignored_any
    }
}

impl IntoDeserializer<'_, serde_json::Error> for ByName {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde_json::{Map, json};

    use super::*;
    use crate::message::{Ask, AskKind, Call, Event, Offer};
    use crate::{Build, ClientKind, ClientMessage, Hello, ServerMessage, Welcome};

    fn frame_body<T: Serialize>(message: &T) -> Vec<u8> {
        crate::frame::encode(message).expect("it fits")[4..].to_vec()
    }

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().expect("an object").clone()
    }

    fn build() -> Build {
        Build { version: "1.2.3".into(), stamp: 7 }
    }

    fn hello() -> Hello {
        Hello {
            protocol: 2,
            build: build(),
            kind: ClientKind::Cli,
            pid: 1,
            cwd: "/x".into(),
            identity: String::new(),
            edits: true,
        }
    }

    fn of_clients() -> Vec<ClientMessage> {
        let call = Call {
            id: u64::MAX,
            tool: "regex_search".into(),
            args: object(json!({"a": [1, -2, 0.5, null, true, {"b": ["ü", []]}]})),
            root: Some("/x".into()),
            progress: true,
            deadline_ms: None,
            form: crate::Form::Text,
            offers: vec![Offer::Choose, Offer::Sample],
            replies: object(json!({"key": null})),
            followed: true,
        };
        vec![
            ClientMessage::Call(call),
            ClientMessage::Cancel { id: 3 },
            ClientMessage::Retire { reason: "x".into() },
            ClientMessage::Status,
            ClientMessage::Shutdown,
            ClientMessage::Lsp { message: "{}".into() },
        ]
    }

    fn of_servers() -> Vec<ServerMessage> {
        let options = vec![("a".to_owned(), "b".to_owned())];
        let choose = AskKind::Choose { options };
        let sample = AskKind::Sample { system: "s".into(), max_tokens: 5 };
        let ask = |question| Some(Ask { key: "k".into(), message: "m".into(), question });
        let answer = |ask| ServerMessage::Answer { id: 1, ok: true, envelope: "{}".into(), ask };
        vec![
            ServerMessage::Progress { id: 1, done: 2, total: None, message: "m".into() },
            answer(None),
            answer(ask(choose)),
            answer(ask(sample)),
            ServerMessage::Lsp { message: "{}".into() },
            ServerMessage::Keep { uri: "u".into(), changes: 3, open: "o".into() },
            ServerMessage::Event(Event::Log { level: "warn".into(), message: "m".into() }),
            ServerMessage::Event(Event::Changed { root: "/".into(), generation: 4 }),
            ServerMessage::Event(Event::Retiring),
            ServerMessage::Status(object(json!({"pid": 1, "all": [{"x": 1}]}))),
            ServerMessage::Bye { reason: "r".into(), retry: false },
        ]
    }

    fn of_welcomes() -> Vec<Welcome> {
        vec![
            Welcome::Accepted {
                protocol: 2,
                build: build(),
                pid: 1,
                notice: Some("n".into()),
                successor: None,
            },
            Welcome::Refused {
                protocol: 2,
                build: build(),
                reason: "r".into(),
                retiring: true,
                successor: Some("/x".into()),
            },
        ]
    }

    /// Checks that a message decodes to itself, and is refused with anything after it, or with a byte
    /// missing.
    fn is_exact<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(message: &T) {
        let body = frame_body(message);
        assert_eq!(decode::<T>(&body).as_ref(), Ok(message));
        for byte in 0..=u8::MAX {
            let longer = [&body[..], &[byte]].concat();
            let error = decode::<T>(&longer).expect_err("one byte more");
            assert!(error.contains("1 bytes follow"), "{error}");
        }
        let twice = [&body[..], &body[..]].concat();
        assert!(decode::<T>(&twice).is_err(), "two messages in one body: {message:?}");
        for length in 0..body.len() {
            assert!(decode::<T>(&body[..length]).is_err(), "{length} bytes of {message:?}");
        }
        let in_order = rmp_serde::to_vec(message).expect("it can be written so");
        // A message without parts is the same either way.
        assert!(in_order == body || decode::<T>(&in_order).is_err(), "{message:?} without names");
    }

    #[test]
    fn every_message_is_exact() {
        is_exact(&hello());
        of_clients().iter().for_each(is_exact);
        of_servers().iter().for_each(is_exact);
        of_welcomes().iter().for_each(is_exact);
    }

    #[test]
    fn no_number_is_a_message() {
        for byte in 0..=u8::MAX {
            for rubbish in [&[][..], b"rubbish", &[byte; 9]] {
                let body = [&[byte], rubbish].concat();
                assert!(decode::<ClientMessage>(&body).is_err(), "{body:x?}");
                assert!(decode::<ServerMessage>(&body).is_err(), "{body:x?}");
                assert!(decode::<Hello>(&body).is_err(), "{body:x?}");
            }
        }
    }

    #[test]
    fn variants_within_a_message_are_names_too() {
        let mut value = serde_json::to_value(hello()).expect("plain data");
        value["kind"] = json!(2);
        let error = decode::<Hello>(&frame_body(&value)).expect_err("a number");
        assert!(error.contains("the name of a variant"), "{error}");
        value["kind"] = json!("cli");
        value["build"] = json!(["1.2.3", 7]);
        let error = decode::<Hello>(&frame_body(&value)).expect_err("a list");
        assert!(error.contains("a map from names"), "{error}");
    }

    #[test]
    fn a_newer_peer_may_say_more() {
        let mut value = serde_json::to_value(hello()).expect("plain data");
        value["later"] = json!([1, {"x": null}]);
        assert_eq!(decode::<Hello>(&frame_body(&value)), Ok(hello()));
    }

    #[test]
    fn nothing_is_said_twice() {
        let body = [
            &[0x82][..],
            &rmp_serde::to_vec(&("id", 1)).expect("plain")[1..],
            &rmp_serde::to_vec(&("id", 2)).expect("plain")[1..],
        ];
        let error = decode::<Value>(&body.concat()).expect_err("two of them");
        assert!(error.contains("`id` is said twice"), "{error}");
    }

    #[test]
    fn there_is_an_end_to_what_a_message_holds() {
        let many = rmp_serde::to_vec(&vec![0_u8; VALUES + 1]).expect("plain");
        let error = decode::<Value>(&many).expect_err("too many");
        assert!(error.contains("values in one message"), "{error}");
    }

    #[test]
    fn what_is_nested_without_end_is_refused() {
        let deep = [vec![0x91; 1 << 20], vec![0xc0]].concat();
        assert!(decode::<ClientMessage>(&deep).is_err());
    }
}
