//! Reads XML into a small tree with byte offsets, as far as the text is valid.
//!
//! A pull parser returns everything before the first error. Comments, attributes, processing instructions and entities
//! other than the five plain ones are left out, so the result cannot grow beyond the text.

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::{BytesRef, Event};

/// Most levels of nested elements; a `pom.xml` needs a dozen.
const DEPTH: usize = 64;

/// One element of an XML document.
#[derive(Default)]
pub(crate) struct Element {
    /// Byte offset of the text within, or of the element's end tag when there is none.
    pub(crate) at: usize,
    /// Name of the element, without its prefix.
    pub(crate) name: String,
    /// The element's own text without its children's, trimmed.
    pub(crate) text: String,
    pub(crate) children: Vec<Element>,
}

impl Element {
    /// Returns the first child of this name.
    pub(crate) fn first_child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|child| child.name == name)
    }

    /// Returns the text of the first child of this name, unless it is empty.
    pub(crate) fn text_of(&self, name: &str) -> Option<&str> {
        self.first_child(name).map(|child| child.text.as_str()).filter(|text| !text.is_empty())
    }

    /// Returns the elements at the end of a path of names.
    pub(crate) fn all_at(&self, way: &[&str]) -> Vec<&Self> {
        let Some((first, rest)) = way.split_first() else { return vec![self] };
        let next = self.children.iter().filter(|child| child.name == *first);
        next.flat_map(|child| child.all_at(rest)).collect()
    }
}

/// Reads `text` as far as it is XML. The result has no name and holds what is at the top.
pub(crate) fn parse(text: &str) -> Element {
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    // Number of open elements that are nested too deep to be kept.
    let mut dropped = 0_usize;
    loop {
        match reader.read_event() {
            Ok(Event::Start(_)) if open.len() > DEPTH => dropped += 1,
            Ok(Event::End(_)) if dropped > 0 => dropped -= 1,
            Ok(Event::Start(tag)) => {
                let name = tag.local_name().as_ref().to_owned();
                open.push(Element { at: position(&reader), name, ..Element::default() });
            }
            Ok(Event::End(_)) => close(&mut open),
            Ok(Event::Text(piece)) if dropped == 0 => {
                add(&mut open, &piece, position(&reader).saturating_sub(piece.len()));
            }
            Ok(Event::CData(piece)) if dropped == 0 => {
                add(&mut open, &piece, position(&reader));
            }
            Ok(Event::GeneralRef(entity)) if dropped == 0 => {
                add(&mut open, &resolve_entity(&entity), position(&reader));
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().unwrap_or_default()
}

fn position(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

fn close(open: &mut Vec<Element>) {
    if open.len() > 1
        && let Some(mut element) = open.pop()
    {
        element.text = element.text.trim().to_owned();
        open.last_mut().expect("one is never closed").children.push(element);
    }
}

fn add(open: &mut [Element], piece: &str, at: usize) {
    let Some(element) = open.last_mut() else { return };
    if element.text.trim().is_empty() {
        element.at = at + (piece.len() - piece.trim_start().len());
    }
    element.text.push_str(piece);
}

fn resolve_entity(entity: &BytesRef<'_>) -> Cow<'static, str> {
    let plain = match &**entity {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => return entity.resolve_char_ref().ok().flatten().map_or("".into(), |c| c.to_string().into()),
    };
    plain.into()
}
