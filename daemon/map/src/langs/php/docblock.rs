//! Reads types from documentation comments: `@param Foo $x`, `@return Foo`, `@var Foo`.
//!
//! Only plain names count, and of `Foo|null` the one that is not null. Other types (arrays, shapes, generics, unions of
//! classes) do not say in which class a member is found.

use super::infer::is_own_type;
use super::rules::PhpRules;
use crate::facts::{DefIdx, Receiver, RefInput, RefKind, StrId};
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Longest comment that is read, in bytes.
const LIMIT: usize = 16 * 1024;

/// Words that are types of the language, or stand for the enclosing class.
const BUILTIN: &[&str] = &[
    "array",
    "bool",
    "boolean",
    "callable",
    "callback",
    "class-string",
    "closure",
    "double",
    "false",
    "float",
    "int",
    "integer",
    "iterable",
    "list",
    "mixed",
    "never",
    "null",
    "number",
    "numeric",
    "object",
    "parent",
    "positive-int",
    "resource",
    "scalar",
    "self",
    "static",
    "string",
    "true",
    "void",
];

/// The types that one documentation comment states.
#[derive(Clone, Debug, Default)]
pub(super) struct Doc {
    pub(super) tags: Vec<Tag>,
    pub(super) members: Vec<DocMember>,
}

/// One tag with a type.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    /// `param`, `return`, `var`, `throws`, ...
    pub(super) tag: String,
    /// The types' names as written, each with its line and UTF-16 column.
    pub(super) types: Vec<(String, u32, u32)>,
    /// True if the types are all there is: one name, perhaps `null` besides.
    pub(super) plain: bool,
    /// True if the type is that of the current object: `static`, `$this`.
    pub(super) is_own: bool,
    /// The variable, with its `$`.
    pub(super) variable: String,
}

/// A member that a class's comment declares: `@property Foo $bar`, `@method Foo bar()`.
#[derive(Clone, Debug)]
pub(super) struct DocMember {
    pub(super) name: String,
    pub(super) is_method: bool,
    /// The type as written; empty if there is none.
    pub(super) ty: String,
    /// The line and the UTF-16 column of the name.
    pub(super) name_at: (u32, u32),
    /// The bytes of the line.
    pub(super) bytes: (u32, u32),
    /// The tag as written.
    pub(super) text: String,
}

impl Doc {
    /// Reads the tags of a documentation comment.
    pub(super) fn read(node: Node<'_>, cx: &Cx<'_>) -> Self {
        let text = cx.slice(node.start_byte(), node.end_byte().min(node.start_byte() + LIMIT));
        let (row, column) = (node.start_position().row as u32, node.start_position().column);
        let (mut tags, mut members) = (Vec::new(), Vec::new());
        let mut start = node.start_byte() as u32;
        for (number, line) in text.split('\n').enumerate() {
            // The text before the comment on its first line is taken for ASCII.
            let before = if number == 0 { column as u32 } else { 0 };
            let row = row + 1 + number as u32;
            tags.extend(parse_tag(line, row, before));
            members.extend(
                parse_member(line, row, before).map(|member| DocMember {
                    bytes: (start, start + line.trim_end().len() as u32),
                    ..member
                }),
            );
            start += line.len() as u32 + 1;
        }
        Self { tags, members }
    }

    /// Returns true if the comment says that the function returns the current object.
    pub(super) fn returns_itself(&self) -> bool {
        self.tags.iter().any(|tag| tag.tag == "return" && tag.is_own)
    }

    /// Returns the one class that a tag names.
    pub(super) fn plain_class(&self, tag: &str, variable: &str) -> Option<&str> {
        let wanted = |t: &&Tag| t.tag == tag && (variable.is_empty() || t.variable == variable) && t.plain;
        self.tags.iter().find(wanted).and_then(|t| t.types.first()).map(|(name, ..)| name.as_str())
    }
}

/// Reads the tag on a line of a comment.
fn parse_tag(line: &str, row: u32, before: u32) -> Option<Tag> {
    let at = line.find('@')?;
    let leads = line[..at].chars().all(|c| c.is_whitespace() || matches!(c, '*' | '/'));
    let rest = &line[at + 1..];
    let end = rest.find(char::is_whitespace)?;
    let (tag, after) = rest.split_at(end);
    let tag = tag.trim_start_matches("psalm-").trim_start_matches("phpstan-");
    if !leads
        || !matches!(tag, "param" | "return" | "var" | "throws" | "property" | "property-read" | "mixin")
    {
        return None;
    }
    let start = at + 1 + end + (after.len() - after.trim_start().len());
    let mut words = after.split_whitespace();
    let written = words.next()?;
    let variable = words.next().unwrap_or("").trim_start_matches(['&', '.']);
    let types = parse_types(written, &line[..start.min(line.len())], row, before);
    let others = written.trim_start_matches('?').split('|').filter(|name| !name.eq_ignore_ascii_case("null"));
    let plain = types.len() == 1 && others.count() == 1 && !written.contains("[]");
    let variable = if variable.starts_with('$') { variable.to_owned() } else { String::new() };
    Some(Tag { tag: tag.to_owned(), types, plain, is_own: is_own_type(written), variable })
}

/// Reads the member that a line of a class's comment declares.
fn parse_member(line: &str, row: u32, before: u32) -> Option<DocMember> {
    let at = line.find('@')?;
    let leads = line[..at].chars().all(|c| c.is_whitespace() || matches!(c, '*' | '/'));
    let text = line[at..].trim_end().trim_end_matches("*/").trim_end();
    let (tag, rest) = text.split_once(char::is_whitespace).filter(|_| leads)?;
    let is_method =
        match tag.trim_start_matches("@psalm-").trim_start_matches("@phpstan-").trim_start_matches('@') {
            "property" | "property-read" | "property-write" => false,
            "method" => true,
            _ => return None,
        };
    let head = if is_method { rest.split_once('(')?.0 } else { rest };
    let mut words = head.split_whitespace().filter(|word| *word != "static" || !is_method);
    let word = if is_method { words.next_back()? } else { words.find(|word| word.starts_with('$'))? };
    let ty = head.split_whitespace().find(|ty| *ty != "static" && *ty != word).unwrap_or("");
    let name = word.trim_start_matches('$');
    let place = name.as_ptr() as usize - line.as_ptr() as usize;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name.then(|| DocMember {
        name: name.to_owned(),
        is_method,
        ty: ty.to_owned(),
        name_at: (row, before + line[..place].encode_utf16().count() as u32 + 1),
        bytes: (0, 0),
        text: text.to_owned(),
    })
}

/// Reads the class names in a written type.
fn parse_types(written: &str, lead: &str, row: u32, before: u32) -> Vec<(String, u32, u32)> {
    let mut column = before + lead.encode_utf16().count() as u32 + 1;
    let mut found = Vec::new();
    for part in written.split('|') {
        let name = part.trim_start_matches('?');
        let skipped = (part.len() - name.len()) as u32;
        let name = name.trim_end_matches("[]");
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '\\')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\\');
        if is_name && !BUILTIN.contains(&&*name.to_ascii_lowercase()) {
            let to_last = name.rfind('\\').map_or(0, |at| name[..=at].encode_utf16().count() as u32);
            found.push((name.to_owned(), row, column + skipped + to_last));
        }
        column += part.encode_utf16().count() as u32 + 1;
    }
    found
}

impl PhpRules {
    /// Binds the variables that `/** @var Foo $x */` before a statement names.
    pub(super) fn bind_documented(&mut self, cx: &mut Cx<'_>) {
        let tags = self.doc.tags.clone();
        for tag in tags.iter().filter(|t| t.tag == "var" && t.plain && !t.variable.is_empty()) {
            if let Some(ty) = self.type_written(&tag.types[0].0, cx) {
                cx.bind(&tag.variable, Binding::Typed(ty));
            }
        }
    }

    /// Returns the path of a class as written.
    pub(super) fn type_written(&self, written: &str, cx: &mut Cx<'_>) -> Option<StrId> {
        let named = self.class_written(written)?;
        Some(cx.facts.intern(&named.path()))
    }

    /// Returns the type that a tag of the comment before a definition states.
    pub(super) fn documented_type(&self, tag: &str, variable: &str, cx: &mut Cx<'_>) -> Option<StrId> {
        let written = self.doc.plain_class(tag, variable)?.to_owned();
        self.type_written(&written, cx)
    }

    /// Records the types that the last comment names as used by `owner`.
    pub(super) fn refer_documented(&mut self, owner: DefIdx, cx: &mut Cx<'_>) {
        for (written, line, col) in self.doc.tags.iter().flat_map(|tag| &tag.types) {
            let Some(named) = self.class_written(written) else { continue };
            let receiver = match &*named.before {
                "" => Receiver::None,
                before => Receiver::Path(cx.facts.intern(before)),
            };
            let (name, kind) = (&*named.name, RefKind::Type);
            cx.facts.add_reference(&RefInput {
                name,
                kind,
                receiver,
                owner: Some(owner),
                line: *line,
                col: *col,
            });
        }
    }
}
