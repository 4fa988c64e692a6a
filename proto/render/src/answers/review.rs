//! Renders `change_impact` as a review: the symbols in the order of risk, broken uses first; then files and
//! tests.

use hob_proto::tools::change::{BrokenUse, ChangeResult, ReviewedFile, ReviewedSymbol};

use super::handle::{count, handle_of, name_of};
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::one_line;

/// Renders a change: one section of symbols with headers for their risk.
pub(super) fn render_review(result: ChangeResult) -> AnswerDocument {
    let counts = &result.counts;
    if counts.symbols + counts.files == 0 {
        return AnswerDocument::of_line(format!("no file differs ({})", one_line(&result.compared)));
    }
    let broken = match counts.broken {
        0 => String::new(),
        1 => "; 1 use no longer fits".to_owned(),
        broken => format!("; {broken} uses no longer fit"),
    };
    let head = format!(
        "{} in {}{broken}; {} it ({})",
        count(counts.symbols as u64, "symbol"),
        count(counts.files as u64, "file"),
        if counts.tests == 1 { "1 test reaches".to_owned() } else { format!("{} tests reach", counts.tests) },
        one_line(&result.compared)
    );
    let symbols = result.symbols.iter().map(symbol_item).collect();
    let mut document = AnswerDocument::of_section(Section::new_paged("symbols", symbols).with_title(head));
    // The symbols of a file without a note already show its change.
    let has_symbols = |file: &ReviewedFile| result.symbols.iter().any(|symbol| symbol.file == file.file);
    let files =
        result.files.iter().filter(|file| !file.note.is_empty() || file.was.is_some() || !has_symbols(file));
    let files: Vec<AnswerItem> = files.map(|file| AnswerItem::line(file_row(file))).collect();
    if !files.is_empty() {
        document.sections.push(Section::new("files", files).with_title("files:"));
    }
    for used in result.symbols.iter().flat_map(|symbol| &symbol.broken) {
        document.explain_mark(Mark::of_confidence(&used.confidence));
    }
    for user in result.symbols.iter().flat_map(|symbol| &symbol.users) {
        document.explain_mark(Mark::of_confidence(&user.confidence));
    }
    document
}

fn risk_header(risk: &str) -> &'static str {
    match risk {
        "breaks" => "no longer fits:",
        "interface" => "interface:",
        "behaviour" => "behaviour:",
        "new" => "new:",
        "docs" => "docs alone:",
        _ => "nobody is known to depend on it:",
    }
}

fn symbol_item(symbol: &ReviewedSymbol) -> AnswerItem {
    let mut lines = vec![symbol_row(symbol)];
    if let (Some(before), Some(after)) = (&symbol.before, &symbol.after) {
        lines.extend((before != after).then(|| format!(" - {}", one_line(before))));
        lines.extend((before != after).then(|| format!(" + {}", one_line(after))));
    }
    lines.extend(symbol.broken.iter().map(|used| format!(" ! {}", broken_row(used))));
    let more = symbol.broken_count.map_or(0, |all| all.saturating_sub(symbol.broken.len()));
    lines.extend((more > 0).then(|| format!(" ! {more} more")));
    lines.extend(dependents_row(symbol));
    AnswerItem {
        group: vec![risk_header(&symbol.risk).to_owned(), one_line(&symbol.file).into_owned()],
        lines,
        source: None,
    }
}

/// Formats `line name change (parts), was PLACE, with n members`.
fn symbol_row(symbol: &ReviewedSymbol) -> String {
    let parts = if symbol.parts.is_empty() { String::new() } else { symbol.parts.join(", ") };
    let change = match (symbol.change.as_str(), parts.is_empty()) {
        ("changed", false) => parts,
        (change, true) => change.to_owned(),
        (change, false) => format!("{change}, {parts}"),
    };
    let was = symbol.was.as_deref().map(|was| format!(", was {}", one_line(was))).unwrap_or_default();
    let members = match symbol.members {
        0 => String::new(),
        members => format!(", with {}", count(members as u64, "member")),
    };
    format!("{} {}: {change}{was}{members}", symbol.line, one_line(&symbol.name))
}

fn broken_row(used: &BrokenUse) -> String {
    let name = if used.name.is_empty() { String::new() } else { format!(" {}", one_line(&used.name)) };
    let sign = Mark::of_confidence(&used.confidence).sign();
    format!("{sign}{}:{}{name} {}", one_line(&used.file), used.line, one_line(&used.why))
}

/// Formats `n depend: users; tests: names`.
fn dependents_row(symbol: &ReviewedSymbol) -> Option<String> {
    if symbol.dependents == 0 {
        return None;
    }
    let user = |user: &hob_proto::tools::change::DirectUser| {
        let sign = Mark::of_confidence(&user.confidence).sign();
        format!("{sign}{}:{} {}", one_line(&user.file), user.line, name_of(&user.uid))
    };
    let users: Vec<String> = symbol.users.iter().map(user).collect();
    let users = if users.is_empty() { String::new() } else { format!(": {}", users.join(", ")) };
    let tests: Vec<String> = symbol.tests.iter().map(|id| handle_of(id)).collect();
    let more = symbol.test_count.saturating_sub(tests.len());
    let more = if more > 0 { format!(", +{more}") } else { String::new() };
    let tests = if tests.is_empty() {
        "; no test".to_owned()
    } else {
        format!("; tests: {}{more}", tests.join(", "))
    };
    Some(format!(" {} depend{users}{tests}", symbol.dependents))
}

fn file_row(file: &ReviewedFile) -> String {
    let was = file.was.as_deref().map(|was| format!(" from {}", one_line(was))).unwrap_or_default();
    let note = if file.note.is_empty() { String::new() } else { format!(": {}", one_line(&file.note)) };
    format!("{} {}{was}{note}", one_line(&file.file), file.status)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit::{Frame, fit};

    fn rendered_text(result: serde_json::Value) -> String {
        let document = render_review(serde_json::from_value(result).expect("a result"));
        fit(&document, &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    #[test]
    fn a_review_begins_with_what_no_longer_fits() {
        let symbol = |name: &str, more: serde_json::Value| {
            let mut symbol = json!({"name": name, "kind": "function", "file": "a.py", "line": 3, "change": "changed", "risk": "breaks",
                "dependents": 0, "testCount": 0, "followed": true});
            more.as_object().expect("fields").iter().for_each(|(field, value)| symbol[field] = value.clone());
            symbol
        };
        let result = json!({
            "compared": "working tree against HEAD 1a2b3c",
            "symbols": [
                symbol("f", json!({"parts": ["signature"], "before": "def f(a)", "after": "def f(a, b)", "dependents": 2, "testCount": 1,
                    "broken": [{"file": "b.py", "line": 7, "name": "main", "why": "passes 1, takes 2", "confidence": "import"}],
                    "users": [{"uid": "py:b.py#main", "file": "b.py", "line": 7, "confidence": "import"}], "tests": ["py:t.py#test_f"]})),
                symbol("B", json!({"change": "renamed", "was": "a.py#A", "members": 2, "risk": "local"})),
            ],
            "files": [{"file": "a.py", "status": "changed", "note": ""}, {"file": "x.png", "status": "added", "note": "binary"}],
            "tests": ["py:t.py#test_f"], "counts": {"symbols": 2, "files": 2, "broken": 1, "tests": 1},
        });
        let expected = "2 symbols in 2 files; 1 use no longer fits; 1 test reaches it (working tree against HEAD 1a2b3c)\nno longer fits:\n \
                        a.py\n  3 f: signature\n   - def f(a)\n   + def f(a, b)\n   ! b.py:7 main passes 1, takes 2\n   2 depend: b.py:7 main; \
                        tests: t.py#test_f\nnobody is known to depend on it:\n a.py\n  3 B: renamed, was a.py#A, with 2 members\nfiles:\n\
                        x.png added: binary";
        assert_eq!(rendered_text(result), expected);
        let nothing = json!({"compared": "staged files against HEAD 1a2b3c", "symbols": [], "files": [], "tests": [],
            "counts": {"symbols": 0, "files": 0, "broken": 0, "tests": 0}});
        assert_eq!(rendered_text(nothing), "no file differs (staged files against HEAD 1a2b3c)");
    }
}
