//! The results of `flow_trace` and `impact`.

use serde_json::Value;

use super::{column, count, items, number_of, pad, place, text_of};
use crate::cli::term::Style;

/// A tree of callees.
pub(super) fn trace(data: &Value, style: &Style) -> Option<String> {
    if let Some(candidates) = ambiguous(data, style) {
        return Some(candidates);
    }
    let root = data.get("root")?;
    let mut out = String::new();
    branch(&mut out, root, &mut Vec::new(), style);
    if items(root, "calls").is_empty() {
        out.push_str("calls nothing that is known\n");
    }
    if let Some(depth) = number_of(data, "truncated_at") {
        out.push_str(&format!("{}\n", style.dim(format!("whole to depth {depth}; there is more below"))));
    }
    Some(out)
}

/// A node and what is below it. `last` says of each level above whether its branch has ended.
fn branch(out: &mut String, node: &Value, last: &mut Vec<bool>, style: &Style) {
    if let Some((ends, above)) = last.split_last() {
        let rails: String = above.iter().map(|ended| if *ended { "   " } else { "│  " }).collect();
        let turn = if *ends { "└─ " } else { "├─ " };
        out.push_str(&style.dim(format!("{rails}{turn}")));
    }
    out.push_str(step(node, style).trim_end());
    out.push('\n');
    let calls = items(node, "calls");
    for (at, call) in calls.iter().enumerate() {
        last.push(at + 1 == calls.len());
        branch(out, call, last, style);
        last.pop();
    }
}

/// `name  file:line  confidence  what is remarkable`.
fn step(node: &Value, style: &Style) -> String {
    let candidates = items(node, "candidates");
    let guess = node["unresolved"] == true || !candidates.is_empty();
    let mut line = style.bold(text_of(node, "name")).into_owned();
    let place = place(node);
    if !place.is_empty() {
        line.push_str(&format!("  {}", style.path(place)));
    }
    let mut remarks: Vec<String> = Vec::new();
    let depth = number_of(node, "depth").unwrap_or(1);
    remarks.extend(
        Some(text_of(node, "confidence")).filter(|word| !word.is_empty() && depth > 0).map(str::to_owned),
    );
    let times = number_of(node, "site_count").unwrap_or(items(node, "sites").len() as u64);
    remarks.extend((times > 1).then(|| format!("{times} calls")));
    remarks.extend((guess && candidates.len() != 1).then(|| match candidates.len() {
        0 => "not resolved".to_owned(),
        n => format!("one of {n}"),
    }));
    for (flag, word) in [("cycle", "cycle"), ("seen", "shown elsewhere"), ("stale", "stale")] {
        remarks.extend((node[flag] == true).then(|| word.to_owned()));
    }
    remarks.extend(number_of(node, "more").map(|more| format!("{more} more not shown")));
    if !remarks.is_empty() {
        line.push_str(&format!("  {}", style.dim(format!("({})", remarks.join(", ")))));
    }
    line
}

/// Who is affected, and who may be.
pub(super) fn impact(data: &Value, style: &Style) -> Option<String> {
    if let Some(candidates) = ambiguous(data, style) {
        return Some(candidates);
    }
    let (symbol, counts) = (data.get("symbol")?, data.get("counts")?);
    let number = |field: &str| number_of(counts, field).unwrap_or(0);
    let mut out = format!("{}  {}\n", style.bold(text_of(symbol, "uid")), style.path(place(symbol)));
    if number("affected") + number("possible") == 0 {
        out.push_str("nothing is known to depend on it\n");
        return Some(out);
    }
    out.push_str(&format!(
        "{} affected in {}, {} among them; {} more may be\n",
        number("affected"),
        count(number("files"), "file"),
        count(number("tests"), "test"),
        number("possible")
    ));
    for (title, list) in [("affected", "affected"), ("possible", "possible")] {
        let rows = items(data, list);
        if !rows.is_empty() {
            out.push_str(&format!("\n{}\n", style.dim(title)));
            table(&mut out, rows, style);
        }
    }
    let files = items(data, "files");
    if !files.is_empty() {
        out.push_str(&format!("\n{}\n", style.dim("files")));
    }
    for file in files {
        let affected = number_of(file, "affected").unwrap_or(0);
        let tests = number_of(file, "tests").map(|n| format!(", {}", count(n, "test"))).unwrap_or_default();
        out.push_str(&format!("  {}  {affected}{tests}\n", style.path(text_of(file, "file"))));
    }
    Some(out)
}

/// Lines of `depth cause confidence  id  place`, aligned.
fn table(out: &mut String, rows: &[Value], style: &Style) {
    let label = |row: &Value| {
        let depth = number_of(row, "depth").unwrap_or(0);
        format!("{depth} {} {}", text_of(row, "cause"), text_of(row, "confidence"))
    };
    let labels: Vec<String> = rows.iter().map(label).collect();
    let label_width = column(labels.iter().map(String::as_str), 40);
    let id_width = column(rows.iter().map(|row| text_of(row, "uid")), 70);
    for (row, label) in rows.iter().zip(&labels) {
        let id = text_of(row, "uid");
        let test = if row["test"] == true { "  test" } else { "" };
        let stale = if row["stale"] == true { "  (stale)" } else { "" };
        out.push_str(&format!(
            "  {}{}  {}{}  {}{}{stale}\n",
            style.dim(label.as_str()),
            pad(label, label_width),
            style.bold(id),
            pad(id, id_width),
            style.path(place(row)),
            style.notice(test)
        ));
    }
}

/// What a name may mean, if it means several things.
fn ambiguous(data: &Value, style: &Style) -> Option<String> {
    let several = items(data, "ambiguous").first()?;
    let mut out = format!("{} may mean:\n", style.bold(text_of(several, "target")));
    let candidates = items(several, "candidates");
    let width = column(candidates.iter().map(|one| text_of(one, "uid")), 70);
    for one in candidates {
        let id = text_of(one, "uid");
        out.push_str(&format!(
            "  {id}{}  {}  {}\n",
            pad(id, width),
            text_of(one, "kind"),
            style.path(place(one))
        ));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_trace_is_a_tree() {
        let data = json!({"root": {"name": "main", "file": "a.py", "line": 1, "depth": 0, "confidence": "exact", "calls": [
            {"name": "load", "file": "a.py", "line": 9, "depth": 1, "confidence": "exact", "sites": [2, 3], "calls": [
                {"name": "main", "depth": 2, "confidence": "exact", "cycle": true, "calls": []}]},
            {"name": "run", "depth": 1, "confidence": "candidate", "candidates": ["x", "y"], "more": 2, "calls": []}]},
            "cycles": [], "truncated_at": 2});
        let expected = "main  a.py:1\n├─ load  a.py:9  (exact, 2 calls)\n│  └─ main  (exact, cycle)\n\
                        └─ run  (candidate, one of 2, 2 more not shown)\nwhole to depth 2; there is more below\n";
        assert_eq!(trace(&data, &Style::default()).expect("a tree"), expected);
    }

    #[test]
    fn an_impact_tells_sure_from_possible() {
        let row = |uid: &str, confidence: &str| json!({"uid": uid, "file": "b.py", "line": 2, "depth": 1, "cause": "calls", "confidence": confidence, "test": true});
        let data = json!({"symbol": {"uid": "py:a.py#f", "file": "a.py", "line": 1}, "affected": [row("py:b.py#test_f", "import")],
            "possible": [row("py:b.py#g", "candidate")], "files": [{"file": "b.py", "affected": 1, "tests": 1, "depth": 1}],
            "counts": {"affected": 1, "tests": 1, "files": 1, "possible": 1}});
        let expected = "py:a.py#f  a.py:1\n1 affected in 1 file, 1 test among them; 1 more may be\n\naffected\n  1 calls import  \
                        py:b.py#test_f  b.py:2  test\n\npossible\n  1 calls candidate  py:b.py#g  b.py:2  test\n\nfiles\n  b.py  1, 1 \
                        test\n";
        assert_eq!(impact(&data, &Style::default()).expect("a list"), expected);
    }

    #[test]
    fn an_ambiguous_name_lists_what_it_may_mean() {
        let data = json!({"ambiguous": [{"target": "f", "candidates": [{"uid": "py:a.py#f", "kind": "function", "file": "a.py", "line": 3}]}]});
        assert_eq!(
            trace(&data, &Style::default()).expect("a list"),
            "f may mean:\n  py:a.py#f  function  a.py:3\n"
        );
    }
}
