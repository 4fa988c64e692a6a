//! Makes the document of one file: its definitions, and the references in it of which the map is sure.

use hob_base::{Contents as _, FileId, WsPath};
use hob_map::Map;
use hob_scip::{ColumnUnit, SourceDocument, SourceName, SourceSpan, WrittenSymbol};

use super::super::workspace::Workspace;
use super::packages::OwnPackages;
use super::places::NamesInText;
use super::symbols::{symbol_of, symbol_of_file};

/// Returns the document of a file with the symbols that it defines; `None` where the map or the disk has the file no
/// more.
pub(super) fn of_file(
    workspace: &Workspace,
    path: &WsPath,
    packages: &OwnPackages,
) -> Option<(SourceDocument, Vec<WrittenSymbol>)> {
    let bytes = workspace.disk_contents().read(path).ok()?;
    let text = std::str::from_utf8(&bytes).ok()?;
    let map = workspace.map();
    let file = map.file_at(path.as_str())?;
    let maker = DocumentMaker { map: &map, file, packages, text: NamesInText::new(text) };
    let (mut names, mut symbols) = maker.definitions();
    names.push(file_name(packages, path));
    names.extend(maker.references());
    names.sort_by(|a, b| (a.span, !a.is_definition, &a.symbol).cmp(&(b.span, !b.is_definition, &b.symbol)));
    names.dedup_by(|a, b| a.span == b.span && a.symbol == b.symbol);
    symbols.push(WrittenSymbol {
        symbol: symbol_of_file(packages, path),
        kind: "file",
        name: path.file_name().to_owned(),
        ..WrittenSymbol::default()
    });
    symbols.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    symbols.dedup_by(|a, b| a.symbol == b.symbol);
    let (path, unit) = (path.to_string(), ColumnUnit::Utf16);
    let language = maker.language();
    Some((SourceDocument { path, language, text: None, unit, names, relations: Vec::new() }, symbols))
}

/// Returns the name of the file itself. It does not occur in the text, so it is defined at the beginning.
fn file_name(packages: &OwnPackages, path: &WsPath) -> SourceName {
    SourceName {
        span: SourceSpan::default(),
        symbol: symbol_of_file(packages, path),
        is_definition: true,
        is_import: false,
        lines: None,
    }
}

/// A file of the map with its text.
struct DocumentMaker<'m> {
    map: &'m Map,
    file: FileId,
    packages: &'m OwnPackages,
    text: NamesInText<'m>,
}

impl DocumentMaker<'_> {
    /// Returns SCIP's name of the language: the map's, with signs spelt out (`C#` is `CSharp`).
    fn language(&self) -> String {
        let spec = self.map.file(self.file).and_then(|(_, facts)| facts.lang.spec());
        let name = spec.map_or("", |spec| spec.name);
        name.replace("++", "PP").replace('#', "Sharp")
    }

    fn definitions(&self) -> (Vec<SourceName>, Vec<WrittenSymbol>) {
        let (mut names, mut symbols) = (Vec::new(), Vec::new());
        for def in self.map.defs_of(self.file) {
            let Some(info) = self.map.info(def.into()) else { continue };
            let Some(symbol) = symbol_of(self.map, self.packages, def) else { continue };
            let (line, col) = info.name_at;
            if let Some(span) = self.text.name_at(line, col, &info.name) {
                let lines = self.text.whole_lines(info.lines.0, info.lines.1);
                names.push(SourceName {
                    span,
                    symbol: symbol.clone(),
                    is_definition: true,
                    is_import: false,
                    lines,
                });
            }
            let bases = self.map.derived_from(def).into_iter();
            symbols.push(WrittenSymbol {
                symbol,
                kind: info.kind.as_str(),
                name: info.name,
                signature: info.signature,
                doc: info.doc,
                implements: bases.filter_map(|base| symbol_of(self.map, self.packages, base)).collect(),
            });
        }
        (names, symbols)
    }

    fn references(&self) -> Vec<SourceName> {
        let sure = self.map.sure_references(self.file).into_iter();
        let placed = sure.filter_map(|one| {
            let span = match one.col {
                Some(col) => self.text.name_at(one.line, col, &one.name)?,
                None => self.text.name_on_line(one.line, &one.name)?,
            };
            let symbol = symbol_of(self.map, self.packages, one.to)?;
            Some(SourceName { span, symbol, is_definition: false, is_import: one.col.is_none(), lines: None })
        });
        placed.collect()
    }
}
