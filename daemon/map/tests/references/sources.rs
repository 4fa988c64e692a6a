//! Builds a map of a few sources, and answers questions about the names in them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hob_base::{FileId, WsPath};
use hob_map::graph::{Confidence, NodeRef};
use hob_map::locals::{LocalName, NamePlace, local_name_at};
use hob_map::meaning::{Meaning, NameInFile};
use hob_map::place_reading::read_place;
use hob_map::receiver::ReceiverExpr;
use hob_map::{Map, MapChange, extract, language_of};

/// A line of a file: the file's path, and the line from 1.
pub(crate) type Line = (String, u32);

/// A source of a project.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A name whose meaning is known.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) path: String,
    pub(crate) at: NamePlace,
    /// The lines that define it, according to the cases; empty if nothing in the project does.
    pub(crate) wanted: BTreeSet<Line>,
}

/// Sources, their map, and the questions about them.
pub(crate) struct Project {
    name: String,
    files: Vec<SourceFile>,
    map: Map,
    pub(crate) questions: Vec<Question>,
}

impl Project {
    pub(crate) fn new(name: &str, files: Vec<SourceFile>, questions: Vec<Question>) -> Self {
        let mut map = Map::new();
        map.apply(files.iter().enumerate().filter_map(|(number, file)| change(number, file)).collect());
        Self { name: name.to_owned(), files, map, questions }
    }

    /// Returns the lines that surely define the name of a question.
    pub(crate) fn answer(&self, question: &Question) -> BTreeSet<Line> {
        let Some(word) = self.word_at(&question.path, question.at) else { return BTreeSet::new() };
        let local = self.local_at(&question.path, question.at);
        let name = NameInFile { path: &question.path, at: question.at, word: &word };
        let meaning = self.map.meaning_at(name, local);
        let receiver = if meaning.is_sure() { None } else { self.receiver_at(&question.path, question.at) };
        let through_values =
            receiver.map(|of| self.map.meaning_through_values(name, &of)).unwrap_or_default();
        match if through_values.is_empty() { meaning } else { Meaning::Nodes(through_values) } {
            Meaning::Local(local) => {
                local.reaching.iter().map(|at| (question.path.clone(), at.line)).collect()
            }
            Meaning::Nodes(nodes) => {
                let sure = nodes.into_iter().filter(|(_, confidence)| *confidence < Confidence::Name);
                sure.filter_map(|(node, _)| self.line_of(node)).collect()
            }
        }
    }

    /// Returns true if the map has a definition, or the file's scopes a binding, whose name is at a place.
    pub(crate) fn defines(&self, path: &str, at: NamePlace) -> bool {
        let at = self.behind_sign(path, at);
        let binds = |local: LocalName| local.bindings.contains(&at);
        self.map.def_named_at(path, at.line, at.col).is_some() || self.local_at(path, at).is_some_and(binds)
    }

    /// Returns the place of the word in `:word` or `"word"`: some indexers count the sign as part of a name.
    fn behind_sign(&self, path: &str, at: NamePlace) -> NamePlace {
        let line =
            self.text(path).and_then(|text| text.lines().nth(at.line as usize - 1)).unwrap_or_default();
        let is_sign = line.chars().nth(at.col as usize - 1).is_some_and(|c| matches!(c, ':' | '"' | '\''));
        NamePlace { col: at.col + u32::from(is_sign), ..at }
    }

    /// Returns true if the map has a definition of the name on a wanted line, or the file's scopes bind it.
    pub(crate) fn has_definition(&self, question: &Question) -> bool {
        let word = self.word_at(&question.path, question.at).unwrap_or_default();
        let is_wanted =
            |node: NodeRef| self.line_of(node).is_some_and(|line| question.wanted.contains(&line));
        let files = (0..self.files.len() as u32).map(FileId);
        let mut defs = files.flat_map(|file| self.map.defs_of(file));
        self.local_at(&question.path, question.at).is_some()
            || defs.any(|def| {
                self.map.info(def.into()).is_some_and(|info| info.name == word) && is_wanted(def.into())
            })
    }

    /// Describes a question and a wrong answer on one line.
    pub(crate) fn describe(&self, question: &Question, answer: &BTreeSet<Line>) -> String {
        let Question { path, at, wanted } = question;
        let source =
            self.text(path).and_then(|text| text.lines().nth(at.line as usize - 1)).unwrap_or_default();
        let source: String = source
            .chars()
            .take(at.col as usize - 1)
            .chain(['^'])
            .chain(source.chars().skip(at.col as usize - 1))
            .collect();
        let lines = |places: &BTreeSet<Line>| {
            places.iter().map(|(path, line)| format!("{path}:{line}")).collect::<Vec<_>>().join(" ")
        };
        format!(
            "{} {path}:{} `{}` wanted [{}] found [{}]",
            self.name,
            at.line,
            source.trim(),
            lines(wanted),
            lines(answer)
        )
    }

    /// Returns the line of a node; for a file its first line with text.
    fn line_of(&self, node: NodeRef) -> Option<Line> {
        let info = self.map.info(node)?;
        let path = info.path?.to_string();
        let first = || self.text(&path)?.lines().position(|line| !line.trim().is_empty());
        let line = match node {
            NodeRef::File(_) => first().map_or(1, |index| index as u32 + 1),
            _ => info.name_at.0,
        };
        Some((path, line))
    }

    fn local_at(&self, path: &str, at: NamePlace) -> Option<LocalName> {
        let text = self.text(path)?.as_bytes();
        let name = path.rsplit('/').next().unwrap_or(path);
        local_name_at(language_of(name, text), text, at, &|| true)
    }

    fn receiver_at(&self, path: &str, at: NamePlace) -> Option<ReceiverExpr> {
        let text = self.text(path)?.as_bytes();
        let name = path.rsplit('/').next().unwrap_or(path);
        read_place(language_of(name, text), text, at, &|| true).receiver
    }

    fn text(&self, path: &str) -> Option<&str> {
        self.files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Returns the name around a place. Columns count characters here, which equals UTF-16 units in the cases' sources.
    fn word_at(&self, path: &str, at: NamePlace) -> Option<String> {
        let line: Vec<char> = self.text(path)?.lines().nth(at.line as usize - 1)?.chars().collect();
        let at = at.col as usize - 1;
        let is_part = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '$';
        // An operator beside a name does not belong to it.
        line.get(at).filter(|c| is_part(c))?;
        let before = line.get(..at)?.iter().rev().take_while(|c| is_part(c)).count();
        let after = line.get(at..)?.iter().take_while(|c| is_part(c)).count();
        Some(line[at - before..at + after].iter().collect())
    }
}

fn change(number: usize, file: &SourceFile) -> Option<MapChange> {
    let path = WsPath::from_path(Path::new(&file.path)).ok()?;
    let name = path.file_name().to_owned();
    let lang = language_of(&name, file.text.as_bytes())?;
    let facts = Arc::new(extract(lang, &name, file.text.as_bytes()));
    Some(MapChange::Set { file: FileId(number as u32), path, facts })
}

/// Returns every file below a folder, in order.
pub(crate) fn files_below(root: &Path) -> Vec<std::path::PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![root.to_path_buf()]);
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { waiting.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
