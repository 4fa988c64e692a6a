//! Parses the short notation for result shapes: `{results: [{id: str, line?: int}], total: int}`.
//!
//! Types are `str`, `int`, `num`, `bool`, `any`, an object in braces, a list in brackets; `?` after a name makes it
//! optional. It reads like the tool documentation and becomes a JSON schema.

use serde_json::{Map, Value, json};

/// Reads a shape.
///
/// # Errors
/// A line with the place of the mistake.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    let mut parser = Parser { rest: text };
    let value = parser.value()?;
    parser.skip_spaces();
    if parser.rest.is_empty() { Ok(value) } else { Err(format!("unexpected `{}`", parser.rest)) }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat_token(&mut self, token: char) -> bool {
        self.skip_spaces();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect_token(&mut self, token: char) -> Result<(), String> {
        if self.eat_token(token) { Ok(()) } else { Err(format!("expected `{token}` before `{}`", self.rest)) }
    }

    fn next_word(&mut self) -> &'a str {
        self.skip_spaces();
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn value(&mut self) -> Result<Value, String> {
        if self.eat_token('{') {
            return self.parse_object();
        }
        if self.eat_token('[') {
            let items = self.value()?;
            self.expect_token(']')?;
            return Ok(json!({"type": "array", "items": items}));
        }
        match self.next_word() {
            "str" => Ok(json!({"type": "string"})),
            "int" => Ok(json!({"type": "integer"})),
            "num" => Ok(json!({"type": "number"})),
            "bool" => Ok(json!({"type": "boolean"})),
            "any" => Ok(json!({})),
            other => Err(format!("unknown type `{other}` before `{}`", self.rest)),
        }
    }

    fn parse_object(&mut self) -> Result<Value, String> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        while !self.eat_token('}') {
            let name = self.next_word();
            if name.is_empty() {
                return Err(format!("expected a name before `{}`", self.rest));
            }
            if !self.eat_token('?') {
                required.push(Value::from(name));
            }
            self.expect_token(':')?;
            properties.insert(name.to_owned(), self.value()?);
            self.eat_token(',');
        }
        let mut object = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            object["required"] = required.into();
        }
        Ok(object)
    }
}
