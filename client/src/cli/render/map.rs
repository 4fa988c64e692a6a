//! The map's results.

use serde_json::Value;

use super::{column, count, grouped, items, number_of, pad, place, text_of};
use crate::cli::term::Style;

/// Clusters with their hubs.
pub(super) fn overview(data: &Value, style: &Style) -> Option<String> {
    data.get("clusters")?;
    let mut out = format!("{}\n", style.bold(totals(data)));
    let stale = number_of(data, "staleFiles").unwrap_or(0);
    if stale > 0 {
        out.push_str(&format!(
            "{}\n",
            style.notice(format!("{} changed and not taken in yet", count(stale, "file")))
        ));
    }
    for cluster in items(data, "clusters") {
        let files = count(number_of(cluster, "files").unwrap_or(0), "file");
        out.push_str(&format!("\n{}  {}\n", style.path(text_of(cluster, "label")), style.dim(files)));
        hubs(&mut out, items(cluster, "hubs"), style);
    }
    Some(out)
}

fn totals(data: &Value) -> String {
    let number = |field: &str| number_of(data, field).unwrap_or(0);
    let languages = data["languages"].as_object().into_iter().flatten();
    let mut languages: Vec<_> =
        languages.map(|(name, files)| (files.as_u64().unwrap_or(0), name.as_str())).collect();
    languages.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    let languages: Vec<_> =
        languages.iter().map(|(files, name)| format!("{name} {}", grouped(*files))).collect();
    let mut line = format!("{}, {}", count(number("files"), "file"), count(number("symbols"), "symbol"));
    if !languages.is_empty() {
        line.push_str(&format!(" ({})", languages.join(", ")));
    }
    line
}

fn hubs(out: &mut String, hubs: &[Value], style: &Style) {
    let width = column(hubs.iter().map(|hub| text_of(hub, "id")), 60);
    for hub in hubs {
        let id = text_of(hub, "id");
        let signature = one_line(text_of(hub, "signature"));
        let used = 4 + width.max(id.chars().count());
        out.push_str(&format!("  {}{}  {}\n", id, pad(id, width), style.dim(style.fit(&signature, used))));
    }
}

/// Hits, one a line. How many there are beyond these, the envelope says.
pub(super) fn search(data: &Value, style: &Style) -> Option<String> {
    let results = data.get("results")?.as_array()?;
    if results.is_empty() {
        return Some("nothing found\n".to_owned());
    }
    Some(table(results, style, |hit| text_of(hit, "kind").to_owned()))
}

/// Lines of `label  id  place  signature`, aligned.
fn table(rows: &[Value], style: &Style, label: impl Fn(&Value) -> String) -> String {
    let labels: Vec<_> = rows.iter().map(label).collect();
    let places: Vec<_> = rows.iter().map(place).collect();
    let label_width = column(labels.iter().map(String::as_str), 40);
    let id_width = column(rows.iter().map(|row| text_of(row, "id")), 60);
    let place_width = column(places.iter().map(String::as_str), 50);
    let mut out = String::new();
    for ((row, label), place) in rows.iter().zip(&labels).zip(&places) {
        let id = text_of(row, "id");
        let signature = one_line(text_of(row, "signature"));
        let cells = [(label.as_str(), label_width), (id, id_width), (place.as_str(), place_width)];
        let used: usize = cells.iter().map(|(text, width)| text.chars().count().max(*width) + 2).sum();
        let line = format!(
            "{}{}  {}{}  {}{}  {}",
            style.dim(label.as_str()),
            pad(label, label_width),
            style.bold(id),
            pad(id, id_width),
            style.path(place.as_str()),
            pad(place, place_width),
            style.dim(style.fit(&signature, used)),
        );
        out.push_str(line.trim_end());
        out.push_str(if row["stale"] == true { "  (stale)\n" } else { "\n" });
    }
    out
}

/// A node and what it is connected to.
pub(super) fn neighbors(data: &Value, style: &Style) -> Option<String> {
    let rows = data.get("neighbors")?.as_array()?;
    let mut out = node(&data["node"], style);
    out.push_str(&table(rows, style, edge));
    if rows.is_empty() {
        out.push_str("no neighbours\n");
    }
    Some(out)
}

/// `<- calls import`: direction, kind, confidence; deeper steps are indented.
fn edge(row: &Value) -> String {
    let arrow = if text_of(row, "direction") == "in" { "<-" } else { "->" };
    let depth = usize::try_from(number_of(row, "depth").unwrap_or(1)).unwrap_or(1).clamp(1, 10);
    format!("{}{arrow} {} {}", "  ".repeat(depth - 1), text_of(row, "edge"), text_of(row, "confidence"))
}

fn node(node: &Value, style: &Style) -> String {
    let signature = one_line(text_of(node, "signature"));
    let cells = [text_of(node, "kind"), text_of(node, "id"), &place(node), &signature].map(str::to_owned);
    let cells: Vec<_> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
    if cells.is_empty() { String::new() } else { format!("{}\n", style.bold(cells.join("  "))) }
}

/// The chain, a node a line with the edge that leads to it.
pub(super) fn path(data: &Value, style: &Style) -> Option<String> {
    if data.get("found")? != true {
        return Some("not connected\n".to_owned());
    }
    let mut out = String::new();
    for (at, step) in items(data, "nodes").iter().enumerate() {
        if let Some(edge) = at.checked_sub(1).and_then(|before| items(data, "edges").get(before)) {
            let (before, after) =
                if text_of(edge, "direction") == "in" { ("<-", "--") } else { ("--", "->") };
            let label =
                format!("  {before} {} ({}) {after}", text_of(edge, "kind"), text_of(edge, "confidence"));
            out.push_str(&format!("{}\n", style.dim(label)));
        }
        out.push_str(&format!("{}  {}\n", style.bold(text_of(step, "id")), style.path(place(step))));
    }
    Some(out)
}

/// Signatures may span lines; a table row may not.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_overview_shows_clusters_and_hubs() {
        let data = json!({"builtAt": "", "files": 1200, "symbols": 1, "staleFiles": 2, "languages": {"go": 3, "python": 9},
            "clusters": [{"id": 0, "label": "src/auth", "files": 12, "hubs": [
                {"id": "py:a.py#A", "kind": "class", "signature": "class A(\n  B)", "score": 1.0},
                {"id": "py:a.py#longer", "kind": "function", "signature": "def longer()", "score": 0.5}]}]});
        let expected = "1,200 files, 1 symbol (python 9, go 3)\n2 files changed and not taken in yet\n\nsrc/auth  12 files\n  \
                        py:a.py#A       class A( B)\n  py:a.py#longer  def longer()\n";
        assert_eq!(overview(&data, &Style::default()).expect("an overview"), expected);
    }

    #[test]
    fn hits_are_aligned() {
        let data = json!({"results": [
            {"id": "py:a.py#A", "kind": "class", "name": "A", "file": "a.py", "line": 3, "col": 7, "signature": "class A", "score": 1.0},
            {"id": "py:b.py", "kind": "file", "name": "b.py", "file": "b.py", "line": 0, "score": 0.1, "stale": true}],
            "total": 40});
        let expected = "class  py:a.py#A  a.py:3:7  class A\nfile   py:b.py    b.py  (stale)\n";
        assert_eq!(search(&data, &Style::default()).expect("a list"), expected);
    }

    #[test]
    fn neighbours_show_direction_and_confidence() {
        let data = json!({"node": {"id": "py:a.py#f", "kind": "function", "file": "a.py", "line": 1}, "omitted": 3,
            "neighbors": [{"id": "py:b.py#g", "kind": "function", "file": "b.py", "line": 9, "edge": "calls",
                "direction": "in", "resolved": true, "confidence": "import", "depth": 1, "score": 0.5}]});
        let expected = "function  py:a.py#f  a.py:1\n<- calls import  py:b.py#g  b.py:9\n";
        assert_eq!(neighbors(&data, &Style::default()).expect("neighbours"), expected);
    }

    #[test]
    fn a_path_shows_its_edges() {
        let data = json!({"found": true, "length": 1, "nodes": [{"id": "py:a.py#f", "file": "a.py", "line": 1},
            {"id": "py:b.py#g", "file": "b.py", "line": 2}],
            "edges": [{"from": "py:a.py#f", "to": "py:b.py#g", "kind": "calls", "direction": "in", "confidence": "exact"}]});
        let expected = "py:a.py#f  a.py:1\n  <- calls (exact) --\npy:b.py#g  b.py:2\n";
        assert_eq!(path(&data, &Style::default()).expect("a path"), expected);
        assert_eq!(path(&json!({"found": false}), &Style::default()).expect("none"), "not connected\n");
    }
}
