//! Reads Markdown: notes, their sections, and the links between them.
//!
//! There is no grammar: `pulldown-cmark` reads CommonMark as it is specified, in linear time, with the place of every
//! event; a general parser would be slower, and would still have to be told what a link is. `front` reads the block
//! before the text, `outline` turns headings into sections and gathers links, `target` reads the text of links, `slug`
//! names headings as links do. The meaning of a link needs other files, and is found in `resolve::links`.
//!
//! Conventions that the graph relies on:
//! - A heading is a Section; its qualified name is the path of headings that lead to it, joined with `/`; its range
//!   ends before the next heading of the same or a higher level. Headings in quotes and lists are text.
//! - The note's title is one definition of the kind Note, exported: the whole file if the front matter has a title,
//!   else the first heading of level 1, which then is that section too. A note without either goes by its file's name.
//! - `{#id}` after a heading is an export of the section under that id.
//! - A link is a Use whose name says which file it may mean (`target::key`) and whose path is the link as written. Its
//!   owner is the section that it stands in. Links out of the project are left out; nothing in code is a link.

mod front;
mod outline;
pub(crate) mod slug;
pub(crate) mod target;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use hob_base::FileId;

use super::{
    ImportProject, ImportRules, Lang, LangSpec, LanguageReader, ModuleTarget, NameSemantics, PackageScope,
    SourceRules,
};
use crate::facts::FactsBuilder;
use crate::parse::Patience;

/// Markdown's row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Markdown,
    id: "md",
    name: "Markdown",
    extensions: &target::ENDINGS,
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Own { read, is_built: || true },
    imports: &NoImports,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: NameSemantics::PLAIN,
    source: SourceRules::PROSE,
};

/// The import rules of Markdown, which imports nothing.
struct NoImports;

impl ImportRules for NoImports {
    fn resolve(&self, _project: &dyn ImportProject, _from: FileId, _module: &str) -> ModuleTarget {
        ModuleTarget::Unknown
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

fn read(source: &[u8], facts: FactsBuilder, _: Patience<'_>) -> FactsBuilder {
    outline::read(&as_text(source), facts)
}

/// Returns the bytes as text of the same length: bytes that are not UTF-8 become one question mark each, so that places
/// stay true.
fn as_text(source: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(source) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(source.len());
    for chunk in source.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text)
}
