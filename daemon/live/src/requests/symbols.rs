//! Asks for the outline of a file, and for symbols by name anywhere in the project.

use lsp_types::request::{DocumentSymbolRequest, WorkspaceSymbolRequest};
use lsp_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, OneOf, SymbolInformation, SymbolKind,
    TextDocumentIdentifier, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use hob_base::WsPath;
use hob_base::line_index::without_mark;

use super::context::{READY_WITHIN, ServerQueryContext};
use super::marked::Marked;
use super::place::{RequestPosition, ServerLocation};
use crate::instance::{Instance, ServerAnswer};
use crate::live::{LiveError, of_call};
use crate::uri::{self, FileRef, FileRefResolver};

/// One entry of a file's outline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerOutline {
    /// Name of the entry, as the server gives it.
    pub name: String,
    /// Kind of the symbol, as one word; see [`kind_word`].
    pub kind: &'static str,
    /// First and last line of the whole entry, 1-based, inclusive.
    pub lines: (u32, u32),
    /// Line and column of its name, 1-based.
    pub name_at: (u32, u32),
    /// Text that the server adds, such as a signature.
    pub detail: Option<String>,
    /// Entries within this one, in the server's order.
    pub children: Vec<ServerOutline>,
}

/// A symbol somewhere in the project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundSymbol {
    /// Name of the symbol, as the server gives it.
    pub name: String,
    /// Kind of the symbol, as one word.
    pub kind: &'static str,
    /// Name of the symbol's container; `None` if the server does not say.
    pub container: Option<String>,
    /// The file that holds the symbol.
    pub file: FileRef,
    /// Line and column, 1-based; line 1 where the server gives only the file.
    pub at: (u32, u32),
}

/// Returns the outline of a file, as a tree.
///
/// # Errors
/// [`LiveError`].
pub fn outline_of_file(
    instance: &Instance,
    file: &WsPath,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<ServerOutline>>, LiveError> {
    let at = RequestPosition { file: file.clone(), line: 1, col: 1 };
    let params = DocumentSymbolParams {
        text_document: TextDocumentIdentifier { uri: uri::of_path(&instance.root().join_ws(file)) },
        work_done_progress_params: Default::default(),
        partial_result_params: Default::default(),
    };
    let answer = asking.ask_about_place::<DocumentSymbolRequest>(
        instance,
        &at,
        ("documentSymbolProvider", &params),
    )?;
    Ok(answer.map(|found| match found {
        None => Vec::new(),
        Some(DocumentSymbolResponse::Nested(symbols)) => {
            symbols.into_iter().map(from_nested_symbol).collect()
        }
        Some(DocumentSymbolResponse::Flat(symbols)) => {
            let text = (asking.read)(file).map(without_mark);
            tree_from_list(symbols, &text.unwrap_or_default())
        }
    }))
}

/// Returns the symbols whose names match `query`, as far as this server knows.
///
/// # Errors
/// [`LiveError`].
pub fn workspace_symbols(
    instance: &Instance,
    query: &str,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<FoundSymbol>>, LiveError> {
    const QUESTION: &str = "workspace/symbol";
    let server = instance.spec().name;
    if !instance.has_capability("workspaceSymbolProvider", QUESTION) {
        return Err(LiveError::Unsupported { server, question: QUESTION });
    }
    let params = WorkspaceSymbolParams { query: query.to_owned(), ..WorkspaceSymbolParams::default() };
    let answer = instance.ask_whole::<WorkspaceSymbolRequest>(&params, READY_WITHIN, asking.cancel);
    let answer = answer.map_err(|error| of_call(server, QUESTION, error))?;
    Ok(answer.map(|found| found_symbols(found, instance, asking)))
}

fn found_symbols(
    found: Option<WorkspaceSymbolResponse>,
    instance: &Instance,
    asking: ServerQueryContext<'_>,
) -> Vec<FoundSymbol> {
    let root = instance.root();
    let (files, mut marked) = (FileRefResolver::new(root), Marked::for_question(instance, asking));
    let mut symbol = |name, kind, container, place: Option<ServerLocation>| {
        let place = marked.place_without_mark(place?);
        Some(FoundSymbol { name, kind: kind_word(kind), container, file: place.file, at: place.start })
    };
    match found {
        None => Vec::new(),
        Some(WorkspaceSymbolResponse::Flat(all)) => all
            .into_iter()
            .filter_map(|one| {
                let place = ServerLocation::of_location(&one.location, &files);
                symbol(one.name, one.kind, one.container_name, place)
            })
            .collect(),
        Some(WorkspaceSymbolResponse::Nested(all)) => all
            .into_iter()
            .filter_map(|one| {
                let place = match &one.location {
                    OneOf::Left(location) => ServerLocation::of_location(location, &files),
                    OneOf::Right(file) => {
                        ServerLocation::from_uri(&file.uri, lsp_types::Range::default(), root)
                    }
                };
                symbol(one.name, one.kind, one.container_name, place)
            })
            .collect(),
    }
}

fn from_nested_symbol(symbol: DocumentSymbol) -> ServerOutline {
    ServerOutline {
        name: symbol.name,
        kind: kind_word(symbol.kind),
        lines: lines(symbol.range),
        name_at: (symbol.selection_range.start.line + 1, symbol.selection_range.start.character + 1),
        detail: symbol.detail.filter(|detail| !detail.is_empty()),
        children: symbol.children.unwrap_or_default().into_iter().map(from_nested_symbol).collect(),
    }
}

/// Makes a tree from a list: an entry within another's lines becomes its child. A list has the lines of the whole entry
/// and not the place of its name, so the name is searched in the text.
fn tree_from_list(mut symbols: Vec<SymbolInformation>, text: &str) -> Vec<ServerOutline> {
    let text: Vec<&str> = text.lines().collect();
    symbols.sort_by_key(|one| (one.location.range.start, std::cmp::Reverse(one.location.range.end)));
    let mut roots: Vec<ServerOutline> = Vec::new();
    for one in symbols {
        let (start, lines) = (one.location.range.start, lines(one.location.range));
        let start = (start.line + 1, start.character + 1);
        let entry = ServerOutline {
            name_at: name_in(&text, &one.name, start, lines.1).unwrap_or(start),
            name: one.name,
            kind: kind_word(one.kind),
            lines,
            detail: None,
            children: Vec::new(),
        };
        plant_entry(&mut roots, entry);
    }
    roots
}

/// Finds the first place where a name stands by itself, from a place on down to a line; the search is short, because
/// further below are only uses.
fn name_in(text: &[&str], name: &str, from: (u32, u32), last: u32) -> Option<(u32, u32)> {
    const SOON: u32 = 20;
    if name.is_empty() {
        return None;
    }
    let belongs = |c: char| c.is_alphanumeric() || c == '_';
    for line in from.0..=last.min(from.0.saturating_add(SOON)) {
        let written = text.get(line as usize - 1)?;
        for (at, _) in written.match_indices(name) {
            let (before, after) = (&written[..at], &written[at + name.len()..]);
            let col = 1 + before.encode_utf16().count() as u32;
            let is_behind = line > from.0 || col >= from.1;
            if is_behind && !before.ends_with(belongs) && !after.starts_with(belongs) {
                return Some((line, col));
            }
        }
    }
    None
}

fn plant_entry(siblings: &mut Vec<ServerOutline>, entry: ServerOutline) {
    match siblings.last_mut() {
        Some(last)
            if last.lines.1 >= entry.lines.1 && last.lines.0 < entry.lines.1 && last.lines != entry.lines =>
        {
            plant_entry(&mut last.children, entry);
        }
        _ => siblings.push(entry),
    }
}

fn lines(range: lsp_types::Range) -> (u32, u32) {
    // A range that ends at the start of a line does not include that line.
    let last = if range.end.character == 0 && range.end.line > range.start.line {
        range.end.line
    } else {
        range.end.line + 1
    };
    (range.start.line + 1, last)
}

/// Returns the word for a kind of symbol.
#[must_use]
pub fn kind_word(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::FILE => "file",
        SymbolKind::MODULE => "module",
        SymbolKind::NAMESPACE => "namespace",
        SymbolKind::PACKAGE => "package",
        SymbolKind::CLASS => "class",
        SymbolKind::METHOD => "method",
        SymbolKind::PROPERTY => "property",
        SymbolKind::FIELD => "field",
        SymbolKind::CONSTRUCTOR => "constructor",
        SymbolKind::ENUM => "enum",
        SymbolKind::INTERFACE => "interface",
        SymbolKind::FUNCTION => "function",
        SymbolKind::VARIABLE => "variable",
        SymbolKind::CONSTANT => "constant",
        SymbolKind::ENUM_MEMBER => "enum_member",
        SymbolKind::STRUCT => "struct",
        SymbolKind::EVENT => "event",
        SymbolKind::OPERATOR => "operator",
        SymbolKind::TYPE_PARAMETER => "type_parameter",
        _ => "value",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn flat_symbols(entries: &[(&str, u32, u32)]) -> Vec<SymbolInformation> {
        let one = |(name, first, last): &(&str, u32, u32)| -> Value {
            let at = |line: u32, character: u32| json!({"line": line - 1, "character": character});
            json!({"name": name, "kind": 12, "location": {
                "uri": "file:///a", "range": {"start": at(*first, 0), "end": at(*last, 9)}}})
        };
        serde_json::from_value(entries.iter().map(one).collect()).expect("the protocol's shape")
    }

    fn outline_shape(outline: &[ServerOutline]) -> String {
        let one = |entry: &ServerOutline| format!("{}({})", entry.name, outline_shape(&entry.children));
        outline.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_list_becomes_a_tree_by_what_lies_in_what() {
        let list = flat_symbols(&[
            ("method", 3, 5),
            ("class", 1, 9),
            ("other", 7, 7),
            ("after", 10, 12),
            ("inner", 4, 4),
        ]);
        assert_eq!(outline_shape(&tree_from_list(list, "")), "class(method(inner()) other()) after()");
        assert_eq!(outline_shape(&tree_from_list(flat_symbols(&[("a", 1, 1), ("b", 1, 1)]), "")), "a() b()");
    }

    #[test]
    fn a_list_has_its_names_where_the_text_has_them() {
        let text = "@timed\ndef timed_run(run):\n    run()\n";
        let place = |name: &str| tree_from_list(flat_symbols(&[(name, 1, 3)]), text)[0].name_at;
        assert_eq!((place("timed_run"), place("run")), ((2, 5), (2, 15)));
        assert_eq!((place("elsewhere"), place("")), ((1, 1), (1, 1)));
    }
}
