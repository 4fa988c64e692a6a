//! Renders the neighbours of a symbol: under the path of each neighbour a row with its lines, its name, and the text
//! of the use.

use hob_proto::tools::map::{FamilyMember, FlowPlace, Neighbor, NeighborsResult};

use super::handle::{handle_of, lines_of_uses, name_of};
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::marks::Mark;
use crate::one_line::{one_line, shorten_to};

/// Most lines of uses for each neighbour.
const SITES: usize = 16;

/// Length of the longest text of a use, in characters.
const TEXT: usize = 140;

/// Number of rows from which readers look at the list and not at each text.
const MANY: usize = 20;

/// The length of a row of such a list, with its share of the paths' lines, in characters.
const ROW_OF_MANY: usize = 60;

/// Fewest characters for a row, however long the paths are.
const LEAST_ROW: usize = 40;

/// Fewest characters for which a text is worth showing.
const WORTH_SHOWING: usize = 12;

/// Renders neighbours by kind, grouped by file, then the family for which a method stands.
pub(super) fn render_neighbors(result: NeighborsResult) -> AnswerDocument {
    let mut document = AnswerDocument::default();
    let kinds = kinds_of(&result.neighbors);
    // The place of a definition already shows its container.
    let is_told = |kind: &&(&str, &str)| kinds.len() == 1 || **kind != ("in", "contains");
    for &(direction, edge) in kinds.iter().filter(is_told) {
        let is_kind = |found: &&Neighbor| found.direction == direction && found.edge == edge;
        let of_kind: Vec<&Neighbor> = result.neighbors.iter().filter(is_kind).collect();
        let most = longest_row(&of_kind);
        let items = |found: Vec<&Neighbor>| {
            found.into_iter().map(|found| neighbor_item(found, &result.node.id, most)).collect()
        };
        document.sections.push(match kinds.len() {
            // In the order of the answer, which the next page continues.
            1 => Section::new_paged("neighbors", items(of_kind)),
            _ => Section::new(edge_title(direction, edge), items(group_by_file(of_kind)))
                .with_title(format!("{}:", edge_title(direction, edge))),
        });
    }
    if result.neighbors.is_empty() {
        document = AnswerDocument::of_line("none");
    }
    for found in &result.neighbors {
        document.explain_mark(Mark::of_confidence(&found.confidence));
    }
    if !result.candidates.is_empty() {
        let others: Vec<String> = result.candidates.iter().map(|id| handle_of(id)).collect();
        document.notes.push(format!("? may mean instead: {}", one_line(&others.join(", "))));
    }
    let family: Vec<AnswerItem> = result.family.iter().map(family_member).collect();
    if !family.is_empty() {
        document.sections.push(Section::new("family", family));
    }
    document
}

/// Returns the occurring kinds of edges with their direction: calls, derivations and uses before edges that
/// only name a node.
fn kinds_of(neighbors: &[Neighbor]) -> Vec<(&str, &str)> {
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for found in neighbors {
        let kind = (found.direction.as_str(), found.edge.as_str());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let order = |edge: &str| {
        ["imports", "exports", "contains"].iter().position(|last| *last == edge).map_or(0, |at| at + 1)
    };
    kinds.sort_by_key(|(_, edge)| order(edge));
    kinds
}

/// Groups neighbours by file; files keep the order of their first neighbour.
fn group_by_file(neighbors: Vec<&Neighbor>) -> Vec<&Neighbor> {
    let mut files: Vec<&str> = Vec::new();
    for found in &neighbors {
        if !files.contains(&found.file.as_str()) {
            files.push(&found.file);
        }
    }
    let place = |file: &str| files.iter().position(|known| *known == file);
    let mut neighbors = neighbors;
    neighbors.sort_by_cached_key(|found| place(&found.file));
    neighbors
}

fn edge_title(direction: &str, edge: &str) -> &'static str {
    match (direction, edge) {
        ("in", "contains") => "within",
        ("in", "imports") => "imported by",
        ("in", "exports") => "exported by",
        ("in", "calls") => "called by",
        ("in", "extends") => "extended by",
        ("in", "implements") => "implemented by",
        ("in", _) => "used by",
        (_, "contains") => "contains",
        (_, "imports") => "imports",
        (_, "exports") => "exports",
        (_, "calls") => "calls",
        (_, "extends") => "extends",
        (_, "implements") => "implements",
        _ => "uses",
    }
}

/// Returns the most characters that a row may have; names and lines are never cut, only texts.
fn longest_row(rows: &[&Neighbor]) -> usize {
    if rows.len() < MANY {
        return usize::MAX;
    }
    let mut paths: Vec<&str> = rows.iter().map(|found| found.file.as_str()).collect();
    paths.dedup();
    let paths: usize = paths.iter().map(|path| path.chars().count() + 1).sum();
    // The row has an indentation and a line end.
    ROW_OF_MANY.saturating_sub(paths.div_ceil(rows.len()) + 2).max(LEAST_ROW)
}

fn neighbor_item(found: &Neighbor, node: &str, most: usize) -> AnswerItem {
    let row = if found.direction == "in" { inward_row(found, node, most) } else { outward_row(found) };
    let mut item = match found.file.as_str() {
        "" => AnswerItem::line(row),
        file => AnswerItem::below_header(one_line(file), row),
    };
    item.lines.extend(place_lines(found.chain.iter().chain(&found.definitions), found.chain_note.as_deref()));
    item
}

/// Formats the places along which the value of an edge goes, or those in a package that it leads to, each
/// indented below the edge: `path:line text`.
pub(super) fn place_lines<'p>(
    places: impl Iterator<Item = &'p FlowPlace>,
    note: Option<&str>,
) -> Vec<String> {
    let place = |place: &FlowPlace| {
        let text = one_line(&shorten_to(place.text.trim(), TEXT)).to_string();
        format!("  {} {text}", one_line(&place.location))
    };
    let note = note.map(|note| format!("  [{}]", one_line(note)));
    note.into_iter().chain(places.map(place)).collect()
}

/// Formats `lines name as the named symbol: text`; for a type below another one, its line and its base.
fn inward_row(found: &Neighbor, node: &str, most: usize) -> String {
    let sign = Mark::of_confidence(&found.confidence).sign();
    let name = name_of(&found.id);
    let via = found.via.as_deref().filter(|via| *via != node).map(name_of);
    // For a type without a definition and a name to show, the line is the one that names the base.
    let is_derived = matches!(found.edge.as_str(), "extends" | "implements");
    let base = via.as_ref().map(|base| format!(" < {base}")).unwrap_or_default();
    if let Some(derived) = found.derived.as_deref().filter(|_| is_derived) {
        return format!("{sign}{} {}{base}", sites_text(found), one_line(derived));
    }
    if is_derived && found.kind != "file" {
        return format!("{sign}{} {name}{base}", found.line);
    }
    if found.sites.is_empty() {
        return format!("{sign}{} {name}", found.line);
    }
    let named = found.names.as_deref().map(|id| format!(" as {}", name_of(id))).unwrap_or_default();
    let via = via.map(|via| format!(" -> {via}")).unwrap_or_default();
    let row = format!("{sign}{} {name}{named}{via}", sites_text(found));
    let room = most.saturating_sub(row.chars().count() + 2).min(TEXT);
    let used = name_of(found.names.as_deref().unwrap_or(node));
    let text = from_use(found.text.trim(), &used, room);
    let is_worth_it = !text.is_empty() && (room >= WORTH_SHOWING || text.chars().count() <= room);
    if is_worth_it { format!("{row}: {}", one_line(&shorten_to(text, room))) } else { row }
}

/// Returns a text that is too long from the use on: the use says more than the variable that it is assigned
/// to.
fn from_use<'t>(text: &'t str, qualified: &str, room: usize) -> &'t str {
    let name = qualified.rsplit(['.', ':', '#']).next().unwrap_or(qualified);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_whole =
        |at: &usize| !text[..*at].ends_with(is_word) && !text[*at + name.len()..].starts_with(is_word);
    let at = text.match_indices(name).map(|(at, _)| at).find(is_whole);
    &text[at.filter(|_| !name.is_empty() && text.chars().count() > room).unwrap_or(0)..]
}

/// Formats `line name, at the lines of the uses`; for an unresolved use, its candidates.
fn outward_row(found: &Neighbor) -> String {
    let mark = Mark::of_confidence(&found.confidence);
    let name = name_of(&found.id);
    let at = if found.sites.is_empty() { String::new() } else { format!(" at {}", sites_text(found)) };
    let others = found.candidates.iter().filter(|id| **id != found.id);
    let others: Vec<String> = others.map(|id| handle_of(id)).collect();
    let others =
        if others.is_empty() { String::new() } else { format!(" or {}", one_line(&others.join(", "))) };
    match found.line {
        0 => format!("{}{name}{at}", mark.sign()),
        line => format!("{}{line} {name}{at}{others}", mark.sign()),
    }
}

fn sites_text(found: &Neighbor) -> String {
    lines_of_uses(&found.sites, found.site_count, SITES)
}

fn family_member(kin: &FamilyMember) -> AnswerItem {
    let relation = if kin.is == "overridden" { "overrides" } else { "overridden by" };
    AnswerItem::line(format!("{relation} {}:{} {}", one_line(&kin.file), kin.line, name_of(&kin.id)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fit::{Frame, fit};

    fn text(data: serde_json::Value) -> String {
        let result = serde_json::from_value(data).expect("a result");
        fit(&render_neighbors(result), &Frame { max_chars: 4_000, ..Frame::default() }).text
    }

    fn row(id: &str, line: u32, more: serde_json::Value) -> serde_json::Value {
        let file = id.split_once(':').and_then(|(_, rest)| rest.split_once('#')).map_or("", |(file, _)| file);
        let mut row = json!({"id": id, "kind": "method", "file": file, "line": line, "edge": "calls", "direction": "in",
            "resolved": true, "confidence": "import", "depth": 1, "score": 0.1});
        more.as_object().expect("fields").iter().for_each(|(name, value)| row[name] = value.clone());
        row
    }

    #[test]
    fn callers_stand_under_their_files_with_the_text_of_the_call() {
        let data = json!({
            "node": {"id": "py:d.py#D.roll", "kind": "method", "file": "d.py", "line": 4},
            "family": [{"id": "py:i.py#I.roll", "is": "overridden", "file": "i.py", "line": 2}],
            "neighbors": [
                row("py:b.py#C.impl", 3, json!({"sites": [9], "text": "  self.d.roll()", "names": "py:i.py#I.roll"})),
                row("py:b.py#make", 20, json!({"sites": [22], "text": "x.roll()", "confidence": "candidate", "resolved": false})),
                row("py:m.py#M.roll", 5, json!({"sites": [7, 8], "text": "super().roll()"})),
            ],
            "candidates": ["py:o.py#O.roll"], "omitted": 0, "mapBuiltAt": "", "staleFiles": 0,
        });
        let expected = "b.py\n 9 C.impl as I.roll: self.d.roll()\n ?22 make: x.roll()\nm.py\n 7,8 M.roll: super().roll()\n\
                        overrides i.py:2 I.roll\n[? may mean another]\n[? may mean instead: o.py#O.roll]";
        assert_eq!(text(data), expected);
    }

    #[test]
    fn the_places_of_a_value_stand_below_the_edge_that_they_explain() {
        let place = |location: &str, text: &str| json!({"location": location, "text": text});
        let chain = [place("d.py:4", "def roll():"), place("b.py:8", "go = roll"), place("b.py:9", "go()")];
        let rows = [
            row(
                "py:b.py#C.impl",
                3,
                json!({"sites": [9], "text": "go()", "confidence": "flow", "chain": chain}),
            ),
            row(
                "py:c.py#far",
                1,
                json!({"sites": [2], "text": "go()", "confidence": "flow", "chainNote": "no chain"}),
            ),
        ];
        let data = json!({
            "node": {"id": "py:d.py#roll", "kind": "function", "file": "d.py", "line": 4},
            "neighbors": rows, "omitted": 0, "mapBuiltAt": "", "staleFiles": 0,
        });
        let expected = "b.py\n >9 C.impl: go()\n   d.py:4 def roll():\n   b.py:8 go = roll\n   b.py:9 go()\nc.py\n >2 far: go()\n   \
                        [no chain]";
        let text = text(data);
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn types_say_what_they_are_derived_from_and_kinds_stand_apart() {
        let below = json!({"edge": "extends", "depth": 2, "via": "py:a.py#B"});
        let data = json!({
            "node": {"id": "py:a.py#A", "kind": "class", "file": "a.py", "line": 1},
            "neighbors": [row("py:a.py#B", 3, json!({"edge": "extends"})), row("py:a.py#C", 5, below)],
            "omitted": 0, "mapBuiltAt": "", "staleFiles": 0,
        });
        assert_eq!(text(data), "a.py\n 3 B\n 5 C < B");
        let data = json!({
            "node": {"id": "py:a.py#f", "kind": "function", "file": "a.py", "line": 1},
            "neighbors": [
                row("py:a.py#g", 3, json!({"direction": "out", "sites": [2]})),
                row("py:ext:os", 0, json!({"direction": "out", "sites": [4], "kind": "external"})),
                row("py:b.py", 1, json!({"edge": "imports", "file": "b.py", "sites": [1]})),
            ],
            "omitted": 0, "mapBuiltAt": "", "staleFiles": 0,
        });
        let expected = "calls:\na.py\n 3 g at 2\nos at 4\nimported by:\nb.py\n 1 file level";
        assert_eq!(text(data), expected);
    }

    #[test]
    fn what_is_derived_outside_of_a_definition_has_the_line_that_says_so() {
        let apart = |line: u32, sites: &[u32], derived: &str| json!({"edge": "implements", "line": line, "sites": sites, "derived": derived});
        let outside = "tokio::net::TcpListener";
        let data = json!({
            "node": {"id": "rs:l.rs#Listener", "kind": "trait", "file": "l.rs", "line": 1},
            "neighbors": [
                row("rs:l.rs#Tap", 9, apart(9, &[20], "Tap")),
                row("rs:l.rs", 1, json!({"edge": "implements", "kind": "file", "file": "l.rs", "sites": [34], "derived": outside})),
            ],
            "omitted": 0, "mapBuiltAt": "", "staleFiles": 0,
        });
        assert_eq!(text(data), "l.rs\n 20 Tap\n 34 tokio::net::TcpListener");
    }

    #[test]
    fn rows_of_a_long_list_are_short_and_keep_the_use() {
        let caller = |n: u32| {
            let id = format!("py:shop/orders.py#Orders.place_{n}");
            row(
                &id,
                n,
                json!({"sites": [n], "text": "remembered = self.storage.remember(order, until=None, notify=True)"}),
            )
        };
        let rows: Vec<_> = (10..50).map(caller).collect();
        let data = json!({
            "node": {"id": "py:shop/store.py#Store.remember", "kind": "method", "file": "shop/store.py", "line": 4},
            "neighbors": rows, "omitted": 0, "mapBuiltAt": "", "staleFiles": 0,
        });
        let text = text(data);
        assert!(
            text.starts_with(
                "shop/orders.py\n 10 Orders.place_10: remember(order, until=None, notify=T…\n 11"
            ),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }
}
