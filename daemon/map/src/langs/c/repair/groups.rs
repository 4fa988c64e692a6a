//! Finds conditional groups that split a text so that the grammar cannot read it in parts.
//!
//! A grammar reads all branches of `#if`, one after another, which works as long as each is complete by itself. Where
//! branches open brackets that others close, or stand in the midst of an expression, one branch is read and the others
//! are removed. The condition decides which one, alike for all groups of a file: a reading that takes the `{` of
//! `#ifdef A` takes its `}` too.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::lex::{CTokenKind, Token, is_word};

/// A group from `#if` to `#endif`, by numbers of tokens.
#[derive(Debug)]
pub(super) struct Group {
    /// The tokens at which branches begin: `#if`, `#elif`, `#else`.
    pub(super) branches: Vec<usize>,
    /// Token number of the group's `#endif`.
    pub(super) end: usize,
    /// The branch that is read, if any.
    pub(super) kept: Option<usize>,
    /// True if a branch opens or closes brackets outside of it.
    pub(super) unbalanced: bool,
    /// True if it stands, begins or ends in the midst of a statement.
    pub(super) torn: bool,
}

impl Group {
    /// Returns the tokens of a branch, without its directive.
    pub(super) fn branch_body(&self, branch: usize) -> Range<usize> {
        let end = self.branches.get(branch + 1).copied().unwrap_or(self.end);
        self.branches[branch] + 1..end
    }
}

/// A file's tokens, and the way in which its conditions are read.
#[derive(Clone, Copy)]
pub(super) struct ConditionReading<'a> {
    pub(super) source: &'a [u8],
    pub(super) tokens: &'a [Token],
    pub(super) cpp: bool,
    /// True if the second branch of each group is wanted, and not the first.
    pub(super) second: bool,
}

/// The effect of a directive on conditional groups.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Directive<'a> {
    If { key: &'a [u8], negated: bool },
    Elif,
    Else,
    Endif,
    Other,
}

/// The open brackets, as a list with shared tails: each branch begins with those that were open where its group began.
struct Brackets {
    /// Each bracket, with the number of the one around it.
    open: Vec<(u32, u8)>,
}

const OUTSIDE: u32 = 0;

/// The mark of a brace that holds a list of values.
const LIST: u8 = b'=';

impl Brackets {
    fn next_state(&mut self, state: u32, mark: u8, before: Option<CTokenKind>) -> u32 {
        match mark {
            b'{' | b'(' | b'[' => {
                let is_list = match before {
                    Some(CTokenKind::Mark(b'=' | b',')) => mark == b'{',
                    Some(CTokenKind::Mark(b'{')) => mark == b'{' && self.open[state as usize].1 == LIST,
                    _ => false,
                };
                self.open.push((state, if is_list { LIST } else { mark }));
                self.open.len() as u32 - 1
            }
            b'}' | b')' | b']' => self.open[state as usize].0,
            _ => state,
        }
    }

    /// Returns true if statements can stand inside these brackets.
    fn is_block(&self, state: u32) -> bool {
        state == OUTSIDE || self.open[state as usize].1 == b'{'
    }
}

/// A group whose end has not been reached.
struct OpenGroup {
    group: Group,
    start: u32,
    /// The brackets that are open at the end of the branch that is read; `None` if that has not ended.
    after: Option<u32>,
}

impl<'a> ConditionReading<'a> {
    /// Returns the groups of a file, by their ends; one without an end is left out.
    pub(super) fn groups(self) -> Vec<Group> {
        let mut groups = Vec::new();
        let mut begun: Vec<OpenGroup> = Vec::new();
        let mut decided = FxHashMap::default();
        let mut brackets = Brackets { open: vec![(OUTSIDE, 0)] };
        let mut state = OUTSIDE;
        for (at, token) in self.tokens.iter().enumerate() {
            match token.kind {
                CTokenKind::Mark(mark) => state = brackets.next_state(state, mark, self.kind_before(at)),
                CTokenKind::Directive => match self.parse_directive(*token) {
                    Directive::If { key, negated } => {
                        let first = self.takes_first(key, negated, &mut decided);
                        let kept = Some(usize::from(!first));
                        let torn = !brackets.is_block(state) || self.is_amid(at);
                        let group = Group { branches: vec![at], end: at, kept, unbalanced: false, torn };
                        begun.push(OpenGroup { group, start: state, after: None });
                    }
                    Directive::Elif | Directive::Else => {
                        let Some(last) = begun.last_mut() else { continue };
                        self.end_branch(last, at, state);
                        last.group.branches.push(at);
                        state = last.start;
                    }
                    Directive::Endif => {
                        let Some(mut last) = begun.pop() else { continue };
                        self.end_branch(&mut last, at, state);
                        state = last.after.unwrap_or(last.start);
                        last.group.kept = last.group.kept.filter(|kept| *kept < last.group.branches.len());
                        groups.push(last.group);
                    }
                    Directive::Other => {}
                },
                CTokenKind::Word | CTokenKind::Text => {}
            }
        }
        groups
    }

    fn end_branch(self, begun: &mut OpenGroup, at: usize, state: u32) {
        let group = &mut begun.group;
        group.end = at;
        let branch = group.branches.len() - 1;
        let body = group.branch_body(branch);
        group.unbalanced |= state != begun.start;
        group.torn |= self.is_torn(body);
        if group.kept == Some(branch) {
            begun.after = Some(state);
        }
    }

    /// Returns true if a branch begins or ends in the midst of a statement.
    fn is_torn(self, body: Range<usize>) -> bool {
        let tokens = &self.tokens[body];
        let Some((first, last)) = tokens.first().zip(tokens.last()) else { return false };
        let is_whole =
            matches!(last.kind, CTokenKind::Mark(b';' | b'{' | b'}' | b':' | b',') | CTokenKind::Directive);
        !is_whole || first.text(self.source) == b"else"
    }

    /// Returns true if a statement that begins before a group continues in it.
    fn is_amid(self, at: usize) -> bool {
        let ends = [b';', b'{', b'}', b':', b')', b','].map(CTokenKind::Mark);
        self.kind_before(at).is_some_and(|before| before != CTokenKind::Directive && !ends.contains(&before))
    }

    fn kind_before(self, at: usize) -> Option<CTokenKind> {
        Some(self.tokens[at.checked_sub(1)?].kind)
    }

    fn parse_directive(self, token: Token) -> Directive<'a> {
        let text = &self.source[token.start..token.end];
        let text = text[1..].trim_ascii_start();
        let name = text.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (name, rest) = text.split_at(name);
        match name {
            b"if" => parse_condition(rest.trim_ascii()),
            b"ifdef" => Directive::If { key: first_word(rest.trim_ascii()), negated: false },
            b"ifndef" => Directive::If { key: first_word(rest.trim_ascii()), negated: true },
            b"elif" | b"elifdef" | b"elifndef" => Directive::Elif,
            b"else" => Directive::Else,
            b"endif" => Directive::Endif,
            _ => Directive::Other,
        }
    }

    /// Returns true if a group's first branch is read, false if the second is.
    fn takes_first(self, key: &'a [u8], negated: bool, decided: &mut FxHashMap<&'a [u8], bool>) -> bool {
        let value = match key {
            b"0" => false,
            b"1" => true,
            b"__cplusplus" => self.cpp,
            _ => *decided.entry(key).or_insert(self.second == negated),
        };
        value != negated
    }
}

/// Reads a condition: `X`, `defined X` or `defined(X)`, each perhaps with a `!`; any other text is a name of its own.
fn parse_condition(text: &[u8]) -> Directive<'_> {
    let (negated, rest) = match text.strip_prefix(b"!") {
        Some(rest) => (true, rest.trim_ascii_start()),
        None => (false, text),
    };
    let rest = rest.strip_prefix(b"defined").map_or(rest, <[u8]>::trim_ascii_start);
    let name = rest.strip_prefix(b"(").and_then(|rest| rest.strip_suffix(b")")).unwrap_or(rest).trim_ascii();
    let is_name = !name.is_empty() && name.iter().all(|byte| is_word(*byte));
    match is_name {
        true => Directive::If { key: name, negated },
        false => Directive::If { key: text, negated: false },
    }
}

fn first_word(text: &[u8]) -> &[u8] {
    &text[..text.iter().take_while(|byte| is_word(**byte)).count()]
}
