//! Finds macros among the words before a declared name.
//!
//! `ZEXTERN int ZEXPORT deflate OF((z_streamp strm, int flush));` is a declaration only for a reader who knows those
//! macros. But a declaration has one type and one name: of all other words that the language does not know, each is a
//! macro that stands for an attribute, a storage class or a calling convention, and can be left out. In a body, a word
//! with arguments that is followed by a statement is a loop.

use super::groups::ConditionReading;
use super::lex::{CTokenKind, Token};
use super::words::{CALLED, TAGS, is_known, is_type_word, looks_like_type};
use super::{Errors, RemovedSpan, Take};
use crate::facts::RefKind;
use crate::langs::c::grammar::is_keyword;
use crate::langs::c::names::{attribute_like, is_macro_name};

/// Words that begin something else than such a declaration.
const OTHERS: &[&str] =
    &["using", "template", "namespace", "friend", "return", "goto", "asm", "__asm__", "operator"];
/// Most words of a head.
const WORDS: usize = 24;
/// Most tokens of arguments that are searched.
const ARGUMENTS: usize = 200;

/// The part of a declaration that has been read so far, by numbers of tokens.
#[derive(Debug, Default)]
struct CDeclarationHead {
    /// The words before its arguments, or before the end of the head.
    words: Vec<usize>,
    /// The number of words before the first `*`; `None` without one.
    stars_at: Option<usize>,
    /// The opening bracket of the arguments.
    open: usize,
    close: Option<usize>,
    /// The words after the arguments.
    trailing: Vec<usize>,
    /// True if the head has something that this reader does not understand.
    odd: bool,
    /// True if the head has been judged.
    judged: bool,
    /// True behind `extern` and a string.
    linkage: bool,
    /// The place in `names` of the name that it declares.
    named: Option<usize>,
}

/// A name that is declared at file level.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Name {
    pub(super) start: usize,
    /// The end of the function's body, for a function.
    pub(super) end: usize,
}

/// An open bracket around the tokens being read.
#[derive(Clone, Copy, Debug)]
struct OpenCBracket {
    kind: Bracket,
    /// The word before it, if that begins a statement.
    callee: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bracket {
    /// A bracket of `extern "C"` or of a namespace: what is in it counts as file level.
    Transparent,
    /// A brace that holds statements.
    Block,
    /// A bracket of any other kind.
    Other,
}

pub(super) struct Heads<'a> {
    reading: ConditionReading<'a>,
    errors: &'a Errors,
    blanks: &'a mut Vec<RemovedSpan>,
    /// The names that are declared at file level.
    names: Vec<Name>,
    open: Vec<OpenCBracket>,
    /// Number of open brackets that are not transparent: 0 at file level.
    inside: usize,
    item: CDeclarationHead,
}

impl<'a> Heads<'a> {
    pub(super) fn new(
        reading: ConditionReading<'a>,
        errors: &'a Errors,
        blanks: &'a mut Vec<RemovedSpan>,
    ) -> Self {
        let (open, names, item) = (Vec::new(), Vec::new(), CDeclarationHead::default());
        Self { reading, errors, blanks, names, open, inside: 0, item }
    }

    /// Reads all tokens that are not `removed`, and returns the names that they declare at file level.
    pub(super) fn read(mut self, removed: &[bool]) -> Vec<Name> {
        for at in (0..self.reading.tokens.len()).filter(|at| !removed[*at]) {
            let token = self.reading.tokens[at];
            match token.kind {
                CTokenKind::Mark(mark) => self.read_mark(at, mark),
                _ if self.inside > 0 => {}
                CTokenKind::Directive => self.item = CDeclarationHead::default(),
                CTokenKind::Text => {
                    let words = self.item.words.len();
                    self.item.linkage = words == 1 && self.text(self.item.words[0]) == "extern";
                    self.item.odd |= !self.item.linkage;
                }
                CTokenKind::Word if self.item.judged => {}
                CTokenKind::Word if self.item.close.is_some() => self.item.trailing.push(at),
                CTokenKind::Word => self.item.words.push(at),
            }
            self.item.odd |= self.item.words.len() + self.item.trailing.len() > WORDS;
        }
        self.names
    }

    fn read_mark(&mut self, at: usize, mark: u8) {
        match mark {
            b'(' | b'[' | b'{' => self.open_bracket(at, mark),
            b')' | b']' | b'}' => self.close_bracket(at, mark),
            _ if self.inside > 0 => {}
            b';' => {
                self.judge_head(at, mark);
                // Declarations may stand between the arguments and the body of an old-style function.
                if !self.is_old_style() {
                    self.item = CDeclarationHead::default();
                }
                self.item.trailing.clear();
            }
            b'=' | b',' => self.judge_head(at, mark),
            b':' if !self.item.judged && self.has_tag() => self.judge_head(at, mark),
            b'*' | b'&' => {
                let words = self.item.words.len();
                self.item.stars_at.get_or_insert(words);
            }
            _ => self.item.odd = true,
        }
    }

    fn open_bracket(&mut self, at: usize, mark: u8) {
        if self.inside == 0 {
            match mark {
                b'{' if self.is_open_scope() => {
                    self.open.push(OpenCBracket { kind: Bracket::Transparent, callee: None });
                    self.item = CDeclarationHead::default();
                    return;
                }
                b'(' => self.begin_arguments(at),
                _ => self.judge_head(at, mark),
            }
        }
        let kind = if mark == b'{' && self.is_block(at) { Bracket::Block } else { Bracket::Other };
        let callee = at.checked_sub(1).filter(|_| mark == b'(').filter(|word| self.begins_statement(*word));
        self.open.push(OpenCBracket { kind, callee });
        self.inside += 1;
    }

    fn close_bracket(&mut self, at: usize, mark: u8) {
        let open = self.open.pop();
        match open {
            None | Some(OpenCBracket { kind: Bracket::Transparent, .. }) => {
                self.item = CDeclarationHead::default();
            }
            Some(_) => self.inside -= 1,
        }
        if self.inside > 0 {
            if let Some(callee) = open.and_then(|open| open.callee) {
                self.loop_of_macro(callee, at);
            }
            return;
        }
        let is_body = mark == b'}' && self.item.close.is_some();
        if is_body {
            let named = self.item.named.and_then(|named| self.names.get_mut(named));
            named.into_iter().for_each(|name| name.end = self.reading.tokens[at].end);
            self.item = CDeclarationHead::default();
        } else if mark == b')' && self.item.close.is_none() && self.item.open > 0 {
            self.item.close = Some(at);
        }
    }

    /// Begins arguments at file level: those of the declared function, of an attribute, or of a macro behind these.
    fn begin_arguments(&mut self, at: usize) {
        if self.item.judged {
            return;
        }
        let last = self.item.words.last().map(|word| self.text(*word));
        match last {
            None => self.item.odd = true,
            Some(_) if self.item.close.is_some() => {
                if self.take_invocation() {
                    self.item.open = at;
                }
            }
            Some(word) if CALLED.contains(&word) => self.item.odd |= word.ends_with("asm"),
            Some(_) => self.item.open = at,
        }
    }

    /// Takes `INITCALL(name)` in a line of its own out, if a declaration follows: the item then begins anew.
    fn take_invocation(&mut self) -> bool {
        let Some(close) = self.item.close.filter(|_| self.item.words.len() == 1) else { return false };
        let (Some(&first), Some(&last)) = (self.item.trailing.first(), self.item.trailing.last()) else {
            return false;
        };
        let between = self.reading.tokens[close].end..self.reading.tokens[first].start;
        let apart = self.reading.source[between].contains(&b'\n');
        let makro = self.item.words[0];
        let is_parameter = self.is_argument(self.text(last));
        let span = (self.reading.tokens[makro].start, self.reading.tokens[first].end);
        if !apart || is_parameter || !self.errors.has_error_in(span.0, span.1) {
            return false;
        }
        for at in makro..=close {
            let token = self.reading.tokens[at];
            let is_called = self.reading.tokens.get(at + 1).is_some_and(|next| next.is(b'('));
            let kind = if is_called { RefKind::Call } else { RefKind::Use };
            let is_name = token.kind == CTokenKind::Word && !is_keyword(self.text(at));
            self.add_blank(token, if is_name { Take::Word(kind) } else { Take::Rest });
        }
        let words = std::mem::take(&mut self.item.trailing);
        self.item = CDeclarationHead { words, odd: self.item.odd, ..CDeclarationHead::default() };
        true
    }

    /// Returns true if a brace holds statements.
    fn is_block(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map(|at| self.reading.tokens[at]);
        match before.map(|before| before.kind) {
            _ if self.inside == 0 => self.item.close.is_some(),
            Some(CTokenKind::Mark(b')' | b';' | b'{' | b'}' | b':' | b'(')) => true,
            Some(CTokenKind::Word) => matches!(self.text(at - 1), "else" | "do"),
            _ => false,
        }
    }

    /// Returns true if a word that is no keyword begins a statement of C.
    fn begins_statement(&self, word: usize) -> bool {
        let is_in_block = self.open.last().is_some_and(|open| open.kind == Bracket::Block);
        let token = self.reading.tokens[word];
        if self.reading.cpp || !is_in_block || token.kind != CTokenKind::Word {
            return false;
        }
        let Some(before) = word.checked_sub(1) else { return false };
        let begins = match self.reading.tokens[before].kind {
            CTokenKind::Mark(mark) => matches!(mark, b';' | b'{' | b'}' | b':' | b')'),
            CTokenKind::Word => matches!(self.text(before), "else" | "do"),
            CTokenKind::Directive => true,
            CTokenKind::Text => false,
        };
        begins && !is_known(self.text(word))
    }

    /// Makes a loop of `for_each(a, b) statement`, which is a call and a statement with nothing between.
    fn loop_of_macro(&mut self, word: usize, close: usize) {
        let tokens = self.reading.tokens;
        let [Some(&next), after] = [tokens.get(close + 1), tokens.get(close + 2)] else { return };
        let apart = self.reading.source[tokens[close].end..next.start].contains(&b'\n');
        let declares =
            after.is_some_and(|after| matches!(after.kind, CTokenKind::Mark(b';' | b'=' | b',' | b'[')));
        let is_loop = match next.kind {
            CTokenKind::Mark(b'{') => true,
            CTokenKind::Word => apart || !declares,
            _ => false,
        };
        let makro = tokens[word];
        if is_loop && close > word + 2 && self.errors.has_error_in(makro.start, next.end) {
            self.add_blank(makro, Take::Loop);
        }
    }

    /// Returns true before the brace of `extern "C" {` and `namespace a {`.
    fn is_open_scope(&self) -> bool {
        let first = self.item.words.first().map(|word| self.text(*word));
        self.item.close.is_none() && (self.item.linkage || matches!(first, Some("namespace")))
    }

    fn is_old_style(&self) -> bool {
        self.item.trailing.last().is_some_and(|last| self.is_argument(self.text(*last)))
    }

    fn is_argument(&self, name: &str) -> bool {
        let close = self.item.close.unwrap_or(0);
        (self.item.open + 1..close).take(ARGUMENTS).any(|at| self.text(at) == name)
    }

    fn has_tag(&self) -> bool {
        self.item.words.iter().any(|word| TAGS.contains(&self.text(*word)))
    }

    fn text(&self, at: usize) -> &'a str {
        std::str::from_utf8(self.reading.tokens[at].text(self.reading.source)).unwrap_or("")
    }

    fn add_blank(&mut self, token: Token, take: Take) {
        self.blanks.push(RemovedSpan { start: token.start, end: token.end, take });
    }

    /// Decides which words of a head are macros, now that its end is known.
    fn judge_head(&mut self, at: usize, mark: u8) {
        if std::mem::replace(&mut self.item.judged, true) || self.item.odd || self.item.words.is_empty() {
            return;
        }
        if mark != b';' && self.take_invocation() {
            return self.judge_head(at, mark);
        }
        let first = self.item.words[0];
        let span = (self.reading.tokens[first].start, self.reading.tokens[at].end);
        if OTHERS.contains(&self.text(first)) {
            return;
        }
        if let Some(start) = self.name(mark) {
            self.item.named = Some(self.names.len());
            self.names.push(Name { start, end: start });
        }
        if !self.errors.has_error_in(span.0, span.1) {
            return;
        }
        self.unwrap_arguments();
        let macros = match (self.item.close, mark) {
            (None, b'{' | b':') => self.macros_of_tag(),
            _ => self.macros_of_declaration(),
        };
        let is_type = self.item.close.is_none() && matches!(mark, b'{' | b':');
        for word in macros {
            let token = self.reading.tokens[word];
            let stands_in = word == first && !is_type && self.text(self.item.words[1]) != "typedef";
            let silent = attribute_like(self.text(word));
            self.add_blank(
                token,
                match () {
                    () if stands_in => Take::Lead,
                    () if silent => Take::Rest,
                    () => Take::Word(RefKind::Use),
                },
            );
        }
    }

    /// Returns the first byte of the name that a head declares, as far as words tell.
    fn name(&self, mark: u8) -> Option<usize> {
        let mut words = &self.item.words[..];
        if self.doubled_bracket().is_some() {
            words = &words[..words.len() - 1];
        }
        if self.item.close.is_none() && matches!(mark, b'{' | b':') && !self.has_tag() {
            return None;
        }
        while let Some((_, rest)) = words.split_last().filter(|(_, rest)| self.ends_in_macro(words, rest)) {
            words = rest;
        }
        let name = *words.last().filter(|_| words.len() > 1)?;
        let text = self.text(name);
        // `static DEFINE_MUTEX(name);`
        let is_makro = self.item.close.is_some() && is_macro_name(text);
        (!is_known(text) && !is_makro).then(|| self.reading.tokens[name].start)
    }

    /// Returns the last bracket of `name OF((arguments))`; `None` for other heads.
    fn doubled_bracket(&self) -> Option<usize> {
        let close = self.item.close.filter(|_| self.item.words.len() > 2)?;
        let tokens = self.reading.tokens;
        let doubled = tokens[self.item.open + 1].is(b'(') && tokens[close - 1].is(b')');
        (doubled && close > self.item.open + 2).then_some(close)
    }

    /// Takes the macro and its brackets out of `name OF((arguments))`.
    fn unwrap_arguments(&mut self) {
        let Some(close) = self.doubled_bracket() else { return };
        let tokens = self.reading.tokens;
        if let Some(makro) = self.item.words.pop() {
            self.add_blank(tokens[makro], Take::Word(RefKind::Call));
            self.add_blank(tokens[self.item.open], Take::Rest);
            self.add_blank(tokens[close], Take::Rest);
        }
    }

    /// Returns the macros of `struct PACKED name {`: of the words after the tag's keyword, the last is the name.
    fn macros_of_tag(&self) -> Vec<usize> {
        let is_name = |word: &&usize| !is_known(self.text(**word));
        let mut names: Vec<usize> = self.item.words.iter().filter(is_name).copied().collect();
        let last = names.pop();
        if self.has_tag() && last.is_some() { names } else { Vec::new() }
    }

    /// Returns true if the last of these words is an attribute behind the name. Without arguments behind it, it may be
    /// a macro.
    fn ends_in_macro(&self, words: &[usize], rest: &[usize]) -> bool {
        let [last, before] = [words, rest].map(|words| words.last().map_or("", |word| self.text(*word)));
        if self.item.close.is_some() || !is_macro_name(last) || is_macro_name(before) || is_known(before) {
            return attribute_like(last);
        }
        let unknown = words.iter().filter(|word| !is_known(self.text(**word))).count();
        let has_type = words.iter().any(|word| is_type_word(self.text(*word)));
        unknown > 2 - usize::from(has_type)
    }

    /// Returns the words before the name that are macros. One of the words is the type, unless words of the language
    /// are; the others that the language does not know are macros.
    fn macros_of_declaration(&self) -> Vec<usize> {
        let mut words = &self.item.words[..];
        let mut macros = Vec::new();
        while let Some((last, rest)) = words.split_last().filter(|(_, rest)| self.ends_in_macro(words, rest))
        {
            macros.push(*last);
            words = rest;
        }
        let Some((_, words)) = words.split_last().filter(|(name, _)| !is_known(self.text(**name))) else {
            return Vec::new();
        };
        let mut has_type = false;
        let mut after_tag = false;
        let mut candidates = Vec::new();
        for (place, &word) in words.iter().enumerate() {
            let text = self.text(word);
            let is_tag = std::mem::take(&mut after_tag) && !is_known(text);
            after_tag = TAGS.contains(&text);
            has_type |= is_type_word(text);
            if !is_tag && !is_known(text) {
                candidates.push((place, word));
            }
        }
        if !has_type {
            let stars_at = self.item.stars_at.unwrap_or(usize::MAX);
            let before_star = candidates.iter().filter(|(place, _)| *place < stars_at);
            let best = before_star.max_by_key(|(place, word)| (looks_like_type(self.text(*word)), *place));
            let Some(&best) = best else { return Vec::new() };
            candidates.retain(|candidate| *candidate != best);
        }
        macros.extend(candidates.into_iter().map(|(_, word)| word));
        macros
    }
}
