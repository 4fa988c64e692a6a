//! Files that hold scripts among other things: Vue, Svelte and Astro components, HTML pages.
//!
//! No grammar of their own: a small scanner finds the script elements, and the extractor of the script's language reads
//! each in place, so that positions are those of the whole file. Their imports and exports work as in any module, whichever
//! way they lead. A component is its file's default export, written or not. Elements of a template that are named after
//! something the scripts have are uses of it; the expressions in a template are not read.

mod scan;
#[cfg(test)]
mod tests;

use crate::extract::{EmbeddedSource, extract_part};
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, FactsBuilder, ImportInput, ImportKind, RefInput};
use crate::facts::{Receiver, RefKind};
use crate::langs::ecma;
use crate::langs::lang::Lang;
use crate::langs::rules::{LangSpec, LanguageReader, PackageScope};
use crate::langs::support::PiecePositions;
use crate::parse::Patience;
use scan::{EmbeddedPageKind, PagePiece, scan_page};

/// Vue's row in the language table.
pub const VUE: LangSpec = LangSpec {
    lang: Lang::Vue,
    id: "vue",
    name: "Vue",
    extensions: &["vue"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Own { read: read_component, is_built: ecma::is_built },
    imports: ecma::TYPESCRIPT.imports,
    bare_members: false,
    package_scope: PackageScope::File,
    project_files: &[],
    semantics: ecma::TYPESCRIPT.semantics,
    source: ecma::TYPESCRIPT.source,
};

/// Svelte's row in the language table.
pub const SVELTE: LangSpec =
    LangSpec { lang: Lang::Svelte, id: "svelte", name: "Svelte", extensions: &["svelte"], ..VUE };

/// Astro's row. What stands between the lines of dashes at the top is TypeScript.
pub const ASTRO: LangSpec = LangSpec {
    lang: Lang::Astro,
    id: "astro",
    name: "Astro",
    extensions: &["astro"],
    reader: LanguageReader::Own { read: read_astro, is_built: ecma::is_built },
    ..VUE
};

/// HTML's row in the language table.
pub const HTML: LangSpec = LangSpec {
    lang: Lang::Html,
    id: "html",
    name: "HTML",
    extensions: &["html", "htm"],
    reader: LanguageReader::Own { read: read_page, is_built: ecma::is_built },
    ..VUE
};

fn read_component(source: &[u8], facts: FactsBuilder, patience: Patience<'_>) -> FactsBuilder {
    read(source, facts, EmbeddedPageKind::Component, patience)
}

fn read_astro(source: &[u8], facts: FactsBuilder, patience: Patience<'_>) -> FactsBuilder {
    read(source, facts, EmbeddedPageKind::Astro, patience)
}

fn read_page(source: &[u8], facts: FactsBuilder, patience: Patience<'_>) -> FactsBuilder {
    read(source, facts, EmbeddedPageKind::Html, patience)
}

fn read(
    source: &[u8],
    mut facts: FactsBuilder,
    page: EmbeddedPageKind,
    patience: Patience<'_>,
) -> FactsBuilder {
    let pieces = scan_page(source, page);
    let mut places = PiecePositions::new(source);
    for piece in &pieces {
        if let PagePiece::Script { lang, from, to } = *piece {
            let row = places.position_at(from).0 as usize - 1;
            facts = extract_part(lang, &EmbeddedSource { source, from, to, row }, facts, patience);
        }
    }
    let component =
        if page == EmbeddedPageKind::Html { None } else { Some(define_component(source, &mut facts)) };
    let mut places = PiecePositions::new(source);
    for piece in &pieces {
        match piece {
            PagePiece::Source { at, module } => load(module, places.position_at(*at).0, &mut facts),
            PagePiece::Element { at, name } => {
                let (line, col) = places.position_at(*at);
                refer_element(name, line, col, component, &mut facts);
            }
            PagePiece::Script { .. } => {}
        }
    }
    facts
}

/// The component itself: what the scripts export by default, or the file.
fn define_component(source: &[u8], facts: &mut FactsBuilder) -> DefIdx {
    let exported = facts.defs().iter().position(|def| def.flags.has(DefFlags::DEFAULT));
    if let Some(at) = exported {
        return DefIdx(at as u32);
    }
    let lines = source.split_inclusive(|&b| b == b'\n').count().max(1) as u32;
    facts.define(&DefInput {
        name: "default",
        kind: DefKind::Class,
        flags: DefFlags::EXPORTED.with(DefFlags::DEFAULT),
        parent: None,
        qualifier: None,
        lines: (1, lines),
        bytes: (0, source.len() as u32),
        name_at: (1, 1),
        signature: "component",
        doc: "",
    })
}

/// Records the import of a loaded script: `<script src="x.js">`.
fn load(module: &str, line: u32, facts: &mut FactsBuilder) {
    let outside = module.contains(':') || module.starts_with("//");
    if module.is_empty() || outside {
        return;
    }
    let told = module.starts_with(['.', '/', '@', '~']);
    let module = if told { module.to_owned() } else { format!("./{module}") };
    facts.add_import(&ImportInput {
        kind: ImportKind::Effect,
        module: &module,
        name: None,
        local: None,
        reexported: false,
        owner: None,
        line,
    });
}

/// `<Button>` and, in Vue, `<my-button>`: used if the file has such a name.
fn refer_element(element: &str, line: u32, col: u32, owner: Option<DefIdx>, facts: &mut FactsBuilder) {
    let name = pascal_case(element.split('.').next().unwrap_or(element));
    if facts.binds_at_top(&name) {
        facts.add_reference(&RefInput {
            name: &name,
            kind: RefKind::Call,
            receiver: Receiver::None,
            owner,
            line,
            col,
        });
    }
}

/// Returns the name of the component that an element means: `MyButton` for `my-button`.
fn pascal_case(element: &str) -> String {
    if !element.contains('-') {
        return element.to_owned();
    }
    let capital = |part: &str| {
        let mut chars = part.chars();
        chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect::<String>())
    };
    element.split('-').map(capital).collect()
}
