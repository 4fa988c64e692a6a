//! Renders source with its line numbers, and outlines.

use hob_proto::tools::read::{OutlineSymbol, ReadOutline, ReadSymbolsResult, SymbolSource};

use super::candidates::candidates_section;
use super::handle::count;
use super::search::signature_parameters;
use crate::document::{AnswerDocument, AnswerItem, BodySource, Section};
use crate::one_line::one_line;

/// Renders each symbol's lines under `path:from-to name`, then outlines, then ambiguous and unknown targets.
pub(super) fn symbols(result: ReadSymbolsResult) -> AnswerDocument {
    let mut sections = vec![
        Section::new("symbols", result.symbols.iter().map(source_item).collect()),
        Section::new("outlines", result.outlines.iter().flat_map(outline_items).collect()),
        candidates_section(&result.ambiguous),
    ];
    if !result.not_found.is_empty() {
        let names: Vec<_> = result.not_found.iter().map(|name| one_line(name)).collect();
        sections.push(Section::new(
            "targets",
            vec![AnswerItem::line(format!("not found: {}", names.join(", ")))],
        ));
    }
    sections.retain(|section| !section.items.is_empty());
    if sections.is_empty() {
        return AnswerDocument::of_line("nothing");
    }
    AnswerDocument { sections, ..AnswerDocument::default() }
}

fn source_item(symbol: &SymbolSource) -> AnswerItem {
    let (first, last) = (symbol.start_line, symbol.end_line);
    let beside = if symbol.is_neighbor { " (beside it)" } else { "" };
    let path = one_line(&symbol.file);
    let head = match symbol.kind.as_str() {
        "file" => format!("{path}{beside}"),
        _ => format!("{path}:{first}-{last} {}{beside}", one_line(&symbol.name)),
    };
    let whole = BodySource { path: symbol.file.clone(), from: 0, first };
    AnswerItem {
        group: vec![head],
        lines: numbered_lines(symbol),
        source: symbol.missing.is_empty().then_some(whole),
    }
}

/// Numbers the lines and removes their common indentation. A range that was omitted for room becomes one
/// line.
fn numbered_lines(symbol: &SymbolSource) -> Vec<String> {
    let gaps: Vec<((u32, u32), String)> = symbol
        .missing
        .iter()
        .enumerate()
        .filter_map(|(at, gap)| Some((parse_stretch(gap)?, gap_calls(symbol, at))))
        .collect();
    let text = symbol.source.lines().filter(|line| !line.trim().is_empty());
    let shared = text.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len()).min().unwrap_or(0);
    let mut lines = Vec::new();
    let mut number = symbol.start_line;
    let pass_gaps = |lines: &mut Vec<String>, number: &mut u32| {
        while let Some(((first, last), calls)) = gaps.iter().find(|((first, _), _)| first == number) {
            match lines.last_mut() {
                // The gap is unwanted documentation.
                Some(before) if symbol.body_complete => before.push_str(" …"),
                _ if first == last => lines.push(format!("… {first}{calls}")),
                _ => lines.push(format!("… {first}-{last}{calls}")),
            }
            *number = last.saturating_add(1);
        }
    };
    for line in symbol.source.lines() {
        pass_gaps(&mut lines, &mut number);
        let row = format!("{number} {}", one_line(line.get(shared..).unwrap_or("").trim_end()));
        lines.push(row.trim_end().to_owned());
        number += 1;
    }
    pass_gaps(&mut lines, &mut number);
    lines
}

/// Formats ` calls a, b`: the known calls in a gap.
fn gap_calls(symbol: &SymbolSource, gap: usize) -> String {
    let names = symbol.missing_calls.get(gap).filter(|names| !names.is_empty());
    names.map(|names| format!(" calls {}", one_line(&names.join(", ")))).unwrap_or_default()
}

fn parse_stretch(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once('-')?;
    Some((first.parse().ok()?, last.parse().ok()?)).filter(|(first, last)| first <= last)
}

/// Renders a file's symbols with their lines; on one line if they have only names.
fn outline_items(outline: &ReadOutline) -> Vec<AnswerItem> {
    let path = one_line(&outline.file);
    if let Some(files) = outline.files {
        return vec![AnswerItem::line(format!("{path} {}", count(files as u64, "file")))];
    }
    let is_plain = outline.symbols.iter().all(|one| one.signature.is_none() && one.children.is_empty());
    if is_plain {
        let names = by_kind(&outline.symbols);
        return vec![AnswerItem::line(
            format!("{path}: {}", names.join("; ")).trim_end_matches([':', ' ']).to_owned(),
        )];
    }
    let mut lines = Vec::new();
    write_symbols(&mut lines, &outline.symbols, 0);
    lines.into_iter().map(|line| AnswerItem::below_header(path.clone(), line)).collect()
}

/// Groups symbols by kind: `class Store 3-40, Item 44-60; function open 70-82`.
fn by_kind(symbols: &[OutlineSymbol]) -> Vec<String> {
    let mut kinds: Vec<&str> = Vec::new();
    for symbol in symbols {
        if !kinds.contains(&symbol.kind.as_str()) {
            kinds.push(&symbol.kind);
        }
    }
    let of_kind = |kind: &&str| {
        let names = symbols.iter().filter(|one| one.kind == *kind);
        let names: Vec<String> =
            names.map(|one| format!("{} {}", one_line(&one.name), lines_of(one))).collect();
        format!("{kind} {}", names.join(", "))
    };
    kinds.iter().map(of_kind).collect()
}

/// Writes symbols with a signature or children one by one, and the others together, by kind.
fn write_symbols(lines: &mut Vec<String>, symbols: &[OutlineSymbol], level: usize) {
    let is_more = |one: &&OutlineSymbol| one.signature.is_some() || !one.children.is_empty();
    let plain: Vec<OutlineSymbol> = symbols.iter().filter(|one| !is_more(one)).cloned().collect();
    let indent = " ".repeat(level);
    lines.extend(by_kind(&plain).into_iter().map(|names| format!("{indent}{names}")));
    for one in symbols.iter().filter(is_more) {
        let last = one.name.rsplit('.').next().unwrap_or(&one.name);
        let takes = one.signature.as_deref().map(|text| signature_parameters(text, last)).unwrap_or_default();
        lines.push(format!(
            "{indent}{} {} {}{}",
            lines_of(one),
            one.kind,
            one_line(&one.name),
            one_line(&takes)
        ));
        write_symbols(lines, &one.children, level + 1);
    }
}

fn lines_of(one: &OutlineSymbol) -> String {
    if one.end_line > one.line { format!("{}-{}", one.line, one.end_line) } else { one.line.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::document;
    use crate::fit::{Frame, fit};

    fn text(data: &Value) -> String {
        fit(&document("read_symbols", data), &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    fn symbol(source: &str, complete: bool, missing: &Value) -> Value {
        json!({"uid": "py:a.py#C.f", "name": "C.f", "kind": "method", "file": "a.py", "start_line": 5, "end_line": 20,
            "source": source, "body_complete": complete, "missing": missing})
    }

    #[test]
    fn lines_have_their_numbers_and_gaps_are_told() {
        let source = "    def f(self):\n        a\n\n        b";
        let none = json!({"symbols": [symbol(source, true, &json!([]))], "ambiguous": [], "not_found": []});
        assert_eq!(text(&none), "a.py:5-20 C.f\n 5 def f(self):\n 6     a\n 7\n 8     b");
        let cut = json!({"symbols": [symbol(source, false, &json!(["6-9", "13-20"]))], "ambiguous": [], "not_found": ["x"]});
        assert_eq!(
            text(&cut),
            "a.py:5-20 C.f\n 5 def f(self):\n … 6-9\n 10     a\n 11\n 12     b\n … 13-20\nnot found: x"
        );
        let docs = json!({"symbols": [symbol("def f():\n  b", true, &json!(["6-9"]))], "ambiguous": [], "not_found": []});
        assert_eq!(text(&docs), "a.py:5-20 C.f\n 5 def f(): …\n 10   b");
    }

    #[test]
    fn candidates_are_lines_that_can_be_passed_back() {
        let candidate =
            |uid: &str, line: u32| json!({"uid": uid, "kind": "method", "file": "a.py", "line": line});
        let data = json!({"symbols": [], "not_found": [], "ambiguous": [{"target": "f", "more": 4,
            "candidates": [candidate("py:a.py#A.f", 3), candidate("py:a.py#B.f", 9), candidate("py:a.py#B.g.f", 9)]}]});
        assert_eq!(
            text(&data),
            "f is the name of 7 definitions:\n a.py:3 A.f method\n a.py#B.f method\n a.py#B.g.f method\n 4 more: narrow with Class.name or path#name"
        );
    }

    #[test]
    fn an_outline_names_what_is_there() {
        let one = |kind: &str, name: &str, line: u32, end: u32| json!({"kind": kind, "name": name, "line": line, "end_line": end});
        let mut method = one("method", "get", 5, 9);
        method["signature"] = json!("def get(self, key)");
        let mut class = one("class", "Store", 2, 9);
        class["children"] = json!([one("field", "a", 3, 3), one("field", "b", 4, 4), method]);
        let data = json!({"symbols": [], "ambiguous": [], "not_found": [], "outlines": [
            {"file": "a.py", "symbols": [class, one("constant", "LIMIT", 1, 1)]},
            {"file": "b.py", "symbols": [one("class", "A", 1, 4), one("function", "f", 6, 8), one("function", "g", 9, 9)]},
            {"file": "lib/", "files": 3, "symbols": []}]});
        assert_eq!(
            text(&data),
            "a.py\n constant LIMIT 1\n 2-9 class Store\n  field a 3, b 4\n  5-9 method get(self, key)\nb.py: class A 1-4; function f 6-8, g 9\nlib/ 3 files"
        );
    }
}
