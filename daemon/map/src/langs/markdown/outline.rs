//! Turns the events of the parser, in one pass, into facts: headings into sections, links into references.

use std::ops::Range;

use hob_base::LineIndex;
use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::{front, target};
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, FactsBuilder, Receiver, RefInput, RefKind};

/// Longest name of a section, in characters: names repeat in the qualified names of the sections below.
const NAME_LIMIT: usize = 160;
/// Longest part of a paragraph that is searched for its first sentence, in bytes.
const DOC_LIMIT: usize = 1000;

/// Reads a whole note.
pub(super) fn read(text: &str, mut facts: FactsBuilder) -> FactsBuilder {
    let front = front::read(text);
    let mut outline = MarkdownOutline::new(text, front.end);
    outline.read_front_matter(&front, &mut facts);
    let options = Options::ENABLE_WIKILINKS | Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(&text[front.end..], options).into_offset_iter() {
        outline.read_event(event, range.start + front.end..range.end + front.end, &mut facts);
    }
    outline.close_from(1, text.len(), &mut facts);
    facts
}

/// A heading that is being read.
#[derive(Debug)]
struct Heading {
    level: u8,
    start: usize,
    at: (u32, u32),
    name: String,
    id: Option<String>,
}

/// A link that waits for the section whose heading it stands in.
#[derive(Debug)]
struct MarkdownLink {
    key: String,
    spec: String,
    at: (u32, u32),
}

struct MarkdownOutline<'t> {
    text: &'t str,
    lines: LineIndex,
    cursor: Cursor,
    /// The sections around the current place: level and definition.
    open: Vec<(u8, DefIdx)>,
    has_title: bool,
    /// Number of quotes and lists around the current place.
    nested: usize,
    heading: Option<Heading>,
    waiting: Vec<MarkdownLink>,
    /// The definition whose first sentence is yet to come.
    undocumented: Option<DefIdx>,
    /// The paragraph that may have that sentence.
    doc: Option<String>,
    images: usize,
}

impl<'t> MarkdownOutline<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        Self {
            text,
            lines: LineIndex::new(text.as_bytes()),
            cursor: Cursor { at: start, ..Cursor::default() },
            open: Vec::new(),
            has_title: false,
            nested: 0,
            heading: None,
            waiting: Vec::new(),
            undocumented: None,
            doc: None,
            images: 0,
        }
    }

    /// Reads the title and the links of the front matter.
    fn read_front_matter(&mut self, front: &front::FrontMatter<'t>, facts: &mut FactsBuilder) {
        self.cursor = Cursor::default();
        if let Some((title, at)) = front.title {
            let last = self.last_line(self.text.len());
            let note = facts.define(&DefInput {
                name: truncated_name(title),
                kind: DefKind::Note,
                flags: DefFlags::EXPORTED,
                parent: None,
                qualifier: None,
                lines: (1, last),
                bytes: (0, self.text.len() as u32),
                name_at: self.position(at),
                signature: title,
                doc: front.description,
            });
            self.has_title = true;
            self.undocumented = Some(note).filter(|_| front.description.is_empty());
        }
        let block = &self.text[..front.end];
        for (at, _) in block.match_indices("[[") {
            let rest = &block[at + 2..];
            let end = rest.find(['\n', ']']).filter(|&end| rest[end..].starts_with("]]"));
            let inner = end.and_then(|end| rest[..end].split('|').next());
            if let Some(link) = inner.and_then(|inner| self.make_link(inner, true, at)) {
                record_link(&link, None, facts);
            }
        }
    }

    fn read_event(&mut self, event: Event<'_>, range: Range<usize>, facts: &mut FactsBuilder) {
        match event {
            Event::Start(tag) => self.start(tag, range.start, facts),
            Event::End(tag) => self.end(tag, range, facts),
            Event::Text(text) | Event::Code(text) => self.add_words(&text),
            Event::SoftBreak | Event::HardBreak => self.add_words(" "),
            Event::Html(html) | Event::InlineHtml(html) => self.add_anchor(&html, facts),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, at: usize, facts: &mut FactsBuilder) {
        match tag {
            Tag::Heading { level, id, .. } if self.nested == 0 => {
                let at_name = self.position(at);
                let id = id.map(|id| id.to_string());
                let level = level_number(level);
                self.heading = Some(Heading { level, start: at, at: at_name, name: String::new(), id });
            }
            Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_) => self.nested += 1,
            Tag::Paragraph if self.nested == 0 && self.undocumented.is_some() => {
                self.doc = Some(String::new());
            }
            Tag::Link { link_type, dest_url, .. } => self.add_link(link_type, &dest_url, at, facts),
            Tag::Image { link_type, dest_url, .. } => {
                self.images += 1;
                self.add_link(link_type, &dest_url, at, facts);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>, facts: &mut FactsBuilder) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some(heading) = self.heading.take() {
                    self.define_section(heading, range.end, facts);
                }
            }
            TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition => {
                self.nested = self.nested.saturating_sub(1);
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Paragraph => self.set_section_doc(facts),
            _ => {}
        }
    }

    fn add_words(&mut self, words: &str) {
        if let Some(heading) = &mut self.heading {
            if heading.name.len() < NAME_LIMIT * 4 {
                heading.name.push_str(words);
            }
        } else if let Some(doc) = &mut self.doc
            && self.images == 0
            && doc.len() < DOC_LIMIT
        {
            doc.push_str(words);
        }
    }

    /// Records `<a id="x">` as another name for the section that it stands in.
    fn add_anchor(&mut self, html: &str, facts: &mut FactsBuilder) {
        let Some(section) = self.innermost_section().filter(|_| self.heading.is_none()) else { return };
        for attribute in [" id=\"", " name=\""] {
            let Some((_, rest)) = html.split_once(attribute) else { continue };
            let id = rest.split('"').next().unwrap_or("");
            if !id.is_empty() && id.len() < NAME_LIMIT {
                let name = facts.provisional_name(facts.defs()[section.index()].name).to_owned();
                facts.add_export(&name, id);
            }
        }
    }

    fn define_section(&mut self, heading: Heading, end: usize, facts: &mut FactsBuilder) {
        let name = heading.name.split_whitespace().collect::<Vec<_>>().join(" ");
        let waiting = std::mem::take(&mut self.waiting);
        if name.is_empty() {
            let owner = self.innermost_section();
            waiting.iter().for_each(|link| record_link(link, owner, facts));
            return;
        }
        self.close_from(heading.level, heading.start, facts);
        let is_title = heading.level == 1 && !self.has_title;
        self.has_title |= is_title;
        let source = &self.text[heading.start..end];
        let section = facts.define(&DefInput {
            name: truncated_name(&name),
            kind: if is_title { DefKind::Note } else { DefKind::Section },
            flags: DefFlags::default().with_if(is_title, DefFlags::EXPORTED),
            parent: self.innermost_section(),
            qualifier: None,
            lines: (heading.at.0, heading.at.0),
            bytes: (heading.start as u32, end as u32),
            name_at: heading.at,
            signature: source.lines().next().unwrap_or("").trim_end(),
            doc: "",
        });
        if let Some(id) = heading.id.filter(|id| *id != name) {
            facts.add_export(truncated_name(&name), &id);
        }
        self.open.push((heading.level, section));
        self.undocumented = Some(section);
        waiting.iter().for_each(|link| record_link(link, Some(section), facts));
    }

    /// Ends the open sections of this level and below, because the next one starts at `at`.
    fn close_from(&mut self, level: u8, at: usize, facts: &mut FactsBuilder) {
        while let Some((_, section)) = self.open.pop_if(|(open, _)| *open >= level) {
            let last = self.last_line(at);
            let def = facts.def_mut(section);
            def.lines.1 = last.max(def.lines.0);
            def.bytes.1 = at as u32;
        }
    }

    /// Returns the line that ends at byte `at`, which starts a line or is the end of the text.
    fn last_line(&self, at: usize) -> u32 {
        let ends_line = at > 0 && self.text.as_bytes()[at - 1] == b'\n';
        self.lines.line_of((at - usize::from(ends_line)) as u32)
    }

    fn innermost_section(&self) -> Option<DefIdx> {
        self.open.last().map(|(_, section)| *section)
    }

    fn set_section_doc(&mut self, facts: &mut FactsBuilder) {
        let (Some(doc), Some(section)) = (self.doc.take(), self.undocumented) else { return };
        let sentence = first_sentence(doc.trim());
        if !sentence.is_empty() {
            facts.set_doc(section, sentence);
            self.undocumented = None;
        }
    }

    fn add_link(&mut self, kind: LinkType, destination: &str, at: usize, facts: &mut FactsBuilder) {
        let by_name = matches!(kind, LinkType::WikiLink { .. });
        if kind == LinkType::Email {
            return;
        }
        let Some(link) = self.make_link(destination, by_name, at) else { return };
        if self.heading.is_some() {
            self.waiting.push(link);
        } else {
            record_link(&link, self.innermost_section(), facts);
        }
    }

    fn make_link(&mut self, destination: &str, by_name: bool, at: usize) -> Option<MarkdownLink> {
        let (key, spec) = target::link_name_and_path(destination, by_name)?;
        Some(MarkdownLink { key, spec, at: self.position(at) })
    }

    /// Returns the 1-based line and UTF-16 column of a byte; bytes are asked for in order, or nearly.
    fn position(&mut self, at: usize) -> (u32, u32) {
        self.cursor.advance(self.text, &self.lines, at)
    }
}

fn record_link(link: &MarkdownLink, owner: Option<DefIdx>, facts: &mut FactsBuilder) {
    let receiver = Receiver::Path(facts.intern(&link.spec));
    let (line, col) = link.at;
    facts.add_reference(&RefInput { name: &link.key, kind: RefKind::Use, receiver, owner, line, col });
}

/// The last place that was asked for: columns are counted from it, since a line of megabytes may have a link every few
/// bytes.
#[derive(Debug, Default)]
struct Cursor {
    at: usize,
    line: u32,
    col: u32,
}

impl Cursor {
    fn advance(&mut self, text: &str, lines: &LineIndex, at: usize) -> (u32, u32) {
        let line = lines.line_of(at as u32);
        let start = lines.line_range(line).map_or(0, |range| range.start);
        if line != self.line || at < self.at {
            *self = Self { at: start, line, col: 1 };
        }
        self.col += text.get(self.at..at).map_or(0, |between| between.encode_utf16().count() as u32);
        self.at = at;
        (self.line, self.col)
    }
}

fn level_number(level: HeadingLevel) -> u8 {
    level as u8
}

fn truncated_name(name: &str) -> &str {
    name.char_indices().nth(NAME_LIMIT).map_or(name, |(end, _)| &name[..end])
}

/// Returns the text up to the first full stop that ends a sentence: white space follows, and then no small letter.
fn first_sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', '!', '?', '。']);
    let mut ends = ends.map(|(at, mark)| at + mark.len()).filter(|&end| {
        let rest = &text[end..];
        let next = rest.trim_start().chars().next();
        rest.starts_with(char::is_whitespace) && next.is_some_and(|c| !c.is_lowercase())
    });
    ends.next().map_or(text, |end| &text[..end])
}
