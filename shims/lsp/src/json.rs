//! Sets one member of a JSON object, and leaves everything else as it was written.

use std::fmt::Write as _;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object, in their order.
struct Members<'m>(Vec<(String, &'m RawValue)>);

impl<'m> Members<'m> {
    fn parse_object(text: &'m str) -> Option<Self> {
        struct Listing;
        impl<'de> Visitor<'de> for Listing {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        serde_json::Deserializer::from_str(text).deserialize_map(Listing).ok()
    }
}

/// Returns the object with the value at `path` set; missing objects on the way are made, and other values in their
/// place are replaced.
pub(crate) fn set(object: &str, path: &[&str], value: &str) -> String {
    let [name, rest @ ..] = path else { return value.to_owned() };
    let members = Members::parse_object(object).map_or_else(Vec::new, |members| members.0);
    let mut out = String::with_capacity(object.len() + value.len() + 16);
    let mut is_set = false;
    for (key, old) in &members {
        match key == name {
            true => add(&mut out, key, &set(old.get(), rest, value)),
            false => add(&mut out, key, old.get()),
        }
        is_set |= key == name;
    }
    if !is_set {
        add(&mut out, name, &set("", rest, value));
    }
    format!("{{{out}}}")
}

fn add(out: &mut String, key: &str, value: &str) {
    let comma = if out.is_empty() { "" } else { "," };
    // Writing to a string cannot fail.
    let _ = write!(out, "{comma}{}:{value}", text(key));
}

/// Writes a text as JSON.
pub(crate) fn text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_replaced_in_its_place_and_the_rest_stays_as_written() {
        let message = "{ \"a\" : [1.0, 2e+3],\"id\":1, \"z\\u0022\": \"\\u00fc\" }";
        let expected = "{\"a\":[1.0, 2e+3],\"id\":\"x\",\"z\\\"\":\"\\u00fc\"}";
        assert_eq!(set(message, &["id"], "\"x\""), expected);
    }

    #[test]
    fn what_is_missing_on_the_way_is_made() {
        assert_eq!(set("{}", &["a", "b"], "1"), r#"{"a":{"b":1}}"#);
        assert_eq!(set(r#"{"a":null,"c":2}"#, &["a", "b"], "1"), r#"{"a":{"b":1},"c":2}"#);
        assert_eq!(set(r#"{"a":{"x":0}}"#, &["a", "b"], "1"), r#"{"a":{"x":0,"b":1}}"#);
    }
}
