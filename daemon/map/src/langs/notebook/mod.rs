//! Reads Jupyter notebooks, as the Python that their code cells hold.
//!
//! `file` finds the cells in the JSON, `code` joins their sources to one text and remembers the place of each part in
//! the file, and `magics` takes out the lines that IPython reads and Python does not. The extractor of Python reads the
//! text as one module, so that later cells see the names of earlier ones; then the facts move to their places in the
//! file.
//!
//! Conventions that the graph relies on:
//! - A notebook is no module: nothing imports it, so its definitions are not exported and no other file means them.
//! - Its own imports lead where those of a Python file in its folder do.
//! - Broken JSON, another format than 4, and kernels of other languages give no facts.

mod code;
mod file;
mod magics;
#[cfg(test)]
mod tests;

use crate::extract::{EmbeddedSource, extract_part};
use crate::facts::{DefFlags, DefIdx, FactsBuilder};
use crate::langs::lang::Lang;
use crate::langs::python;
use crate::langs::rules::{LangSpec, LanguageReader};
use crate::langs::semantics::{NameSemantics, Reach};
use crate::langs::source::SourceRules;
use crate::parse::Patience;

/// The notebooks' row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Notebook,
    id: "ipynb",
    name: "Jupyter",
    extensions: &["ipynb"],
    interpreters: &[],
    reader: LanguageReader::Own { read, is_built: python::is_built },
    project_files: &[],
    semantics: NameSemantics { reach: Reach::File, ..python::SPEC.semantics },
    // The scopes of Python's grammar are those of a whole text, and a notebook is none.
    source: SourceRules { lexical_scopes: None, repair: None, ..python::SPEC.source },
    ..python::SPEC
};

fn read(source: &[u8], facts: FactsBuilder, patience: Patience<'_>) -> FactsBuilder {
    let Some(cells) = file::read_cells(source) else { return facts };
    let code = code::join_cells(source, &cells);
    let text = code.text.as_bytes();
    let part = EmbeddedSource { source: text, from: 0, to: text.len(), row: 0 };
    let mut facts = extract_part(Lang::Python, &part, facts, patience);
    facts.move_places(&code);
    for at in 0..facts.defs().len() as u32 {
        let def = facts.def_mut(DefIdx::new(at));
        def.flags = DefFlags(def.flags.0 & !DefFlags::EXPORTED.0);
    }
    facts
}
