//! Reads files that hold scripts among other things: Vue, Svelte and Astro components, HTML pages.
//!
//! They have no grammar of their own: a small scanner finds the elements of scripts and styles, and the extractor of
//! their language reads each in place, so that positions are those of the whole file. Their imports and exports work as
//! in any module, in both directions. A component is its file's default export, written or not. Elements of a template
//! that are named after a name of the scripts are uses of it; the expressions in a template are not read.
//!
//! A class in a tag is one of the file's own styles or, in a page, of the sheets that the page loads; a class of any
//! other file has nothing to do with it, even under the same name. An id of a page is a definition for the links of
//! that page alone.

mod marks;
mod scan;
mod tag;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

use crate::extract::{EmbeddedSource, extract_part};
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, FactsBuilder, ImportInput, ImportKind, RefInput};
use crate::facts::{Receiver, RefKind, StrId};
use crate::langs::css;
use crate::langs::ecma;
use crate::langs::lang::Lang;
use crate::langs::rules::{LangSpec, LanguageReader, PackageScope};
use crate::langs::support::PiecePositions;
use crate::parse::Patience;
use marks::{MarkKind, PageMark};
use scan::{EmbeddedPageKind, PagePiece, scan_page};

/// Vue's row in the language table.
pub const VUE: LangSpec = LangSpec {
    lang: Lang::Vue,
    id: "vue",
    name: "Vue",
    extensions: &["vue"],
    file_names: &[],
    interpreters: &[],
    reader: LanguageReader::Own { read: read_component, is_built },
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

/// Astro's row in the language table. The text between the lines of dashes at the top is TypeScript.
pub const ASTRO: LangSpec = LangSpec {
    lang: Lang::Astro,
    id: "astro",
    name: "Astro",
    extensions: &["astro"],
    reader: LanguageReader::Own { read: read_astro, is_built },
    ..VUE
};

/// HTML's row in the language table.
pub const HTML: LangSpec = LangSpec {
    lang: Lang::Html,
    id: "html",
    name: "HTML",
    extensions: &["html", "htm"],
    reader: LanguageReader::Own { read: read_page, is_built },
    ..VUE
};

fn is_built() -> bool {
    ecma::is_built() && css::is_built()
}

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
    let scan = scan_page(source, page);
    if page == EmbeddedPageKind::Html {
        // Ids come before the styles, whose rules for an id then are uses of it.
        define_ids(source, &scan.marks, &mut facts);
    }
    let mut places = PiecePositions::new(source);
    for piece in &scan.pieces {
        let (lang, from, to) = match *piece {
            PagePiece::Script { lang, from, to } => (lang, from, to),
            PagePiece::Style { from, to } => (Lang::Css, from, to),
            _ => continue,
        };
        let row = places.position_at(from).0 as usize - 1;
        facts = extract_part(lang, &EmbeddedSource { source, from, to, row }, facts, patience);
    }
    let component =
        if page == EmbeddedPageKind::Html { None } else { Some(define_component(source, &mut facts)) };
    let mut places = PiecePositions::new(source);
    for piece in &scan.pieces {
        match piece {
            PagePiece::Source { at, module } => {
                load(module, ImportKind::Effect, places.position_at(*at).0, &mut facts);
            }
            PagePiece::Sheet { at, module } => {
                load(module, ImportKind::Star, places.position_at(*at).0, &mut facts);
            }
            PagePiece::Element { at, name } => {
                let (line, col) = places.position_at(*at);
                refer_element(name, line, col, component, &mut facts);
            }
            PagePiece::Script { .. } | PagePiece::Style { .. } => {}
        }
    }
    refer_marks(source, &scan.marks, component, &mut facts);
    facts
}

/// Defines the ids of a page, each with its tag as its range.
fn define_ids(source: &[u8], marks: &[PageMark], facts: &mut FactsBuilder) {
    let mut places = PiecePositions::new(source);
    for mark in marks.iter().filter(|mark| mark.kind == MarkKind::Id) {
        let (first, _) = places.position_at(mark.tag.start);
        let name_at = places.position_at(mark.at);
        let (last, _) = places.position_at(mark.tag.end);
        facts.define(&DefInput {
            name: &mark.name,
            kind: DefKind::Constant,
            flags: DefFlags::default(),
            parent: None,
            qualifier: None,
            lines: (first, last),
            bytes: (mark.tag.start as u32, mark.tag.end as u32),
            name_at,
            signature: &format!("id=\"{}\"", &mark.name[1..]),
            doc: "",
        });
    }
}

/// Records the uses of classes and ids: those that the file has, and classes of the sheets that it loads.
fn refer_marks(source: &[u8], marks: &[PageMark], owner: Option<DefIdx>, facts: &mut FactsBuilder) {
    let known: FxHashSet<StrId> = facts.defs().iter().map(|def| def.name).collect();
    let loads_sheets = facts.has_star_imports();
    let mut places = PiecePositions::new(source);
    for mark in marks.iter().filter(|mark| mark.kind != MarkKind::Id) {
        let is_loaded = loads_sheets && mark.kind == MarkKind::Class;
        if !is_loaded && !known.contains(&facts.intern(&mark.name)) {
            continue;
        }
        let (line, col) = places.position_at(mark.at);
        let (name, receiver) = (mark.name.as_str(), Receiver::None);
        facts.add_reference(&RefInput { name, kind: RefKind::Use, receiver, owner, line, col });
    }
}

/// Returns the definition of the component: the scripts' default export, or a definition of the whole file.
fn define_component(source: &[u8], facts: &mut FactsBuilder) -> DefIdx {
    let exported = facts.defs().iter().position(|def| def.flags.has(DefFlags::DEFAULT));
    if let Some(at) = exported {
        return DefIdx::new(at as u32);
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

/// Records the import of a loaded script or sheet: `<script src="x.js">`, `<link rel=stylesheet href="x.css">`.
fn load(module: &str, kind: ImportKind, line: u32, facts: &mut FactsBuilder) {
    let outside = module.contains(':') || module.starts_with("//");
    if module.is_empty() || outside {
        return;
    }
    let told = module.starts_with(['.', '/', '@', '~']);
    let module = if told { module.to_owned() } else { format!("./{module}") };
    facts.add_import(&ImportInput {
        kind,
        module: &module,
        name: None,
        local: None,
        reexported: false,
        owner: None,
        line,
    });
}

/// Records `<Button>` and, in Vue, `<my-button>`, if the file has such a name.
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
