//! Packs the picture for the page's script: in columns, compressed, and never larger than the page may be.
//!
//! A page has room for a megabyte, and for more where a project has more than 5,000 files. Names, edges and places come
//! first; if there are too many, those of the most connected symbols stay, and a note says so. The rest of the room
//! goes to source: the beginning of definitions, and the lines of uses.

use hob_proto::tools::map::EDGE_KINDS;
use serde_json::{Map, Value, json};

use super::deflate::pack_text;
use super::editor::{EDITORS, EditorChoice};
use super::model::{MOST_DRAWN, Picture};
use super::source::{SourceLines, read_source};
use super::{layout, palette};
use crate::render;
use crate::visible::in_words;

/// Bytes of a page with up to [`FILES`] files, its style and script left out.
const ROOM: usize = 900_000;
/// Number of files up to which that is enough.
const FILES: usize = 5_000;
/// Share of the room, in per cent, that names and edges may take.
const CORE: usize = 72;
/// Number of symbols with signatures and docs.
const TOLD: usize = 6_000;
/// Most attempts to fit the picture into the page.
const TRIES: usize = 12;

/// The two packed parts of a page.
#[derive(Debug)]
pub(super) struct PackedData {
    /// Names, edges and places.
    pub(super) core: String,
    /// Lines of source.
    pub(super) source: String,
    /// Sentences that say what the page leaves out.
    pub(super) notes: Vec<String>,
}

/// The limits of the part of a picture that the page has.
#[derive(Clone, Copy, Debug)]
struct Extent {
    symbols: usize,
    edges: usize,
}

/// Packs as much of a picture as there is room for; `None` if packing fails.
pub(super) fn pack_picture(picture: &Picture, editor: &EditorChoice) -> Option<PackedData> {
    let room = ROOM * picture.files.len().max(FILES) / FILES;
    let mut extent = Extent { symbols: picture.symbols.len(), edges: picture.edges.len() };
    let mut core = pack_text(&core_data(picture, extent, editor).to_string())?;
    for _ in 0..TRIES {
        if core.len() * 100 <= room * CORE || extent.symbols <= picture.drawn {
            break;
        }
        let share = |count: usize| count * (room * CORE / 100) / core.len() * 95 / 100;
        extent = Extent { symbols: share(extent.symbols).max(picture.drawn), edges: share(extent.edges) };
        core = pack_text(&core_data(picture, extent, editor).to_string())?;
    }
    let source = pack_source(picture, room.saturating_sub(core.len()))?;
    Some(PackedData { core, source, notes: notes(picture, extent) })
}

/// Packs as much source as fits into `room` bytes.
fn pack_source(picture: &Picture, room: usize) -> Option<String> {
    let all = read_source(picture, picture.symbols.len().min(MOST_DRAWN));
    let mut symbols = MOST_DRAWN;
    loop {
        let packed = pack_text(&source_data(picture, &all, symbols).to_string())?;
        if packed.len() <= room || symbols == 0 {
            return Some(packed);
        }
        symbols = (symbols * room / packed.len()).min(symbols * 9 / 10);
    }
}

fn source_data(picture: &Picture, all: &SourceLines, symbols: usize) -> Value {
    let previews =
        all.previews.range(..symbols).map(|(number, text)| (number.to_string(), text.as_str().into()));
    let is_near = |number: &usize| picture.edges[*number][..2].iter().all(|end| *end < symbols as u64);
    let uses = all.uses.iter().filter(|(number, _)| is_near(number));
    // An edge is identified by its ends and its kind: the page may have fewer edges than the picture.
    let key =
        |number: &usize| picture.edges[*number][..3].iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    json!({
        "preview": previews.collect::<Map<String, Value>>(),
        "use": uses.map(|(number, text)| (key(number), json!([picture.edges[*number][4], text]))).collect::<Map<String, Value>>(),
    })
}

fn core_data(picture: &Picture, extent: Extent, editor: &EditorChoice) -> Value {
    let mut kinds: Vec<&str> = picture.symbols.iter().map(|symbol| symbol.seen.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = |word: &str| kinds.binary_search(&word).unwrap_or(0);
    let shown = &picture.symbols[..extent.symbols];
    let symbols = || shown.iter().map(|symbol| &symbol.seen);
    let numbered = || symbols().enumerate();
    let sparse = |pairs: Vec<(usize, &str)>| -> Map<String, Value> {
        let told = pairs.into_iter().filter(|(_, text)| !text.is_empty());
        told.map(|(n, text)| (n.to_string(), in_words(text).into())).collect()
    };
    let suffix = numbered().filter_map(|(n, seen)| {
        let own = seen.id.split_once('#').map_or("", |(_, own)| own);
        (own != seen.name).then_some((n, own))
    });
    let ids = picture.files.iter().enumerate();
    let other_ids =
        ids.filter(|(_, file)| id_path(&file.id) != file.path).map(|(n, file)| (n, file.id.as_str()));
    let circle = |of: fn(&super::model::Circle) -> f64| -> Vec<i64> {
        let circles = picture.symbols[..picture.drawn].iter().map(|symbol| symbol.at.unwrap_or_default());
        circles.map(|circle| (of(&circle) * 10.0).round() as i64).collect()
    };
    json!({
        "name": in_words(&picture.name),
        "root": picture.root,
        "kinds": kinds,
        "edgeKinds": EDGE_KINDS,
        "names": symbols().map(|seen| in_words(&seen.name)).collect::<Vec<_>>(),
        "kind": symbols().map(|seen| kind(&seen.kind)).collect::<Vec<_>>(),
        "file": shown.iter().map(|symbol| symbol.file).collect::<Vec<_>>(),
        "line": symbols().map(|seen| seen.line).collect::<Vec<_>>(),
        "degree": shown.iter().map(|symbol| symbol.degree).collect::<Vec<_>>(),
        "tests": numbered().filter(|(_, seen)| seen.test).map(|(n, _)| n).collect::<Vec<_>>(),
        "suffix": sparse(suffix.collect()),
        "signature": sparse(numbered().take(TOLD).map(|(n, seen)| (n, seen.signature.as_str())).collect()),
        "doc": sparse(numbered().take(TOLD).map(|(n, seen)| (n, seen.doc.as_str())).collect()),
        "x": circle(|circle| circle.x), "y": circle(|circle| circle.y), "r": circle(|circle| circle.r),
        "paths": picture.files.iter().map(|file| in_words(&file.path)).collect::<Vec<_>>(),
        "languages": picture.files.iter().map(|file| language_of(&file.id)).collect::<Vec<_>>(),
        "ids": sparse(other_ids.collect()),
        "cluster": picture.files.iter().map(|file| file.cluster.unwrap_or(0)).collect::<Vec<_>>(),
        "edges": edge_columns(picture, extent),
        "clusters": picture.clusters.iter().enumerate().map(|(number, cluster)| json!({
            "label": in_words(&cluster.label), "files": cluster.files, "symbols": cluster.symbols,
            "x": cluster.x, "y": cluster.y, "r": cluster.r, "hubs": cluster.hubs,
            "hue": cluster.is_real.then(|| palette::cluster_hue(number)),
        })).collect::<Vec<_>>(),
        "links": picture.links,
        "heat": picture.heat_days.map(|_| picture.files.iter().map(|file| file.changes).collect::<Vec<_>>()),
        "heatDays": picture.heat_days,
        "notes": notes(picture, extent),
        "box": layout::picture_frame(picture),
        "editors": EDITORS.iter().map(|editor| json!([editor.name, editor.address])).collect::<Vec<_>>(),
        "editor": editor.preferred,
        "command": in_words(&editor.command),
    })
}

fn language_of(id: &str) -> &str {
    id.split_once(':').map_or("", |(language, _)| language)
}

fn id_path(id: &str) -> &str {
    id.split_once(':').map_or("", |(_, path)| path)
}

/// Returns the edges between the symbols and files of the page.
fn edges_within(picture: &Picture, extent: Extent) -> Vec<[u64; 4]> {
    let left_out = (picture.symbols.len() - extent.symbols) as u64;
    // Files are numbered after the page's symbols.
    let number = |end: u64| match end as usize {
        end_symbol if end_symbol < extent.symbols => Some(end),
        end_symbol if end_symbol < picture.symbols.len() => None,
        _ => Some(end - left_out),
    };
    let here = picture
        .edges
        .iter()
        .filter_map(|[from, to, kind, sites, _]| Some([number(*from)?, number(*to)?, *kind, *sites]));
    here.collect()
}

/// Returns the edges as columns, with each end as the difference to the edge before where that is small, because that
/// compresses better.
fn edge_columns(picture: &Picture, extent: Extent) -> Value {
    let mut edges = edges_within(picture, extent);
    if edges.len() > extent.edges {
        edges.sort_unstable_by_key(|edge| (edge[0].min(edge[1]) + edge[0].max(edge[1]), *edge));
        edges.truncate(extent.edges);
        edges.sort_unstable();
    }
    let column = |of: fn(&[u64; 4]) -> u64| edges.iter().map(of).collect::<Vec<_>>();
    let mut before = 0;
    let steps: Vec<u64> =
        edges.iter().map(|edge| edge[0] - std::mem::replace(&mut before, edge[0])).collect();
    json!({
        "step": steps, "to": column(|edge| edge[1]), "kind": column(|edge| edge[2]), "sites": column(|edge| edge[3]),
    })
}

fn notes(picture: &Picture, extent: Extent) -> Vec<String> {
    let mut notes = picture.notes.clone();
    if picture.drawn < extent.symbols {
        let [drawn, found] =
            [picture.drawn, extent.symbols].map(|count| render::grouped_digits(count as u64));
        notes.push(format!(
            "The {drawn} most connected symbols are drawn; search finds all of these {found}."
        ));
    }
    let edges = edges_within(picture, extent).len().saturating_sub(extent.edges) as u64;
    if edges > 0 {
        notes.push(format!(
            "{} between these symbols are left out, to keep the page small.",
            render::count(edges, "use")
        ));
    }
    let symbols = (picture.symbols.len() - extent.symbols) as u64;
    if symbols > 0 {
        notes.push(format!(
            "{} are left out, the least connected, to keep the page small: hob search finds them.",
            render::count(symbols, "symbol")
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::graph::{GraphFile, GraphResult, GraphSymbol};

    use super::super::model::Gatherer;
    use super::*;

    /// Makes a picture of `files` files with `each` symbols, all of which use the first symbol of the file before.
    fn large(files: usize, each: usize) -> Picture {
        let id =
            |file: usize, n: usize| format!("py:pkg{}/module_{file}.py#handle_request_{file}_{n}", file % 40);
        let path = |file: usize| format!("pkg{}/module_{file}.py", file % 40);
        let symbol = |file: usize, n: usize| GraphSymbol {
            id: id(file, n),
            name: format!("handle_request_{file}_{n}"),
            kind: "function".into(),
            line: n as u32 * 9 + 1,
            score: 1.0 / (file * each + n + 1) as f64,
            signature: format!(
                "def handle_request_{file}_{n}(session, request_{}, options=None)",
                n * 7 % 13
            ),
            ..GraphSymbol::default()
        };
        let file = |file: usize| GraphFile {
            path: path(file),
            id: format!("py:{}", path(file)),
            cluster: Some((file % 40) as u32),
            symbols: (0..each).map(|n| symbol(file, n)).collect(),
            uses: (0..each as u64)
                .flat_map(|n| [n + 1, (file * 31 + n as usize * 17) as u64 % (files * each) as u64, 3, 1])
                .collect(),
            use_lines: vec![5; each],
        };
        let mut gatherer = Gatherer::default();
        gatherer.add_page(GraphResult {
            clusters: (0..40).map(|n| format!("pkg{n}")).collect(),
            others: (0..files * each).map(|n| id(n / each, n % each)).collect(),
            files: (0..files).map(file).collect(),
            ..GraphResult::default()
        });
        gatherer.finish()
    }

    #[test]
    fn a_page_of_five_thousand_files_stays_under_a_megabyte_and_says_what_it_leaves_out() {
        let picture = large(5_000, 6);
        let packed = pack_picture(&picture, &EditorChoice::default()).expect("packed");
        assert!(
            packed.core.len() + packed.source.len() <= ROOM,
            "{} + {}",
            packed.core.len(),
            packed.source.len()
        );
        let extent = Extent { symbols: 3_000, edges: 2_000 };
        let data = core_data(&picture, extent, &EditorChoice::default());
        assert!(data["notes"].to_string().contains("27,000 symbols are left out"), "{}", data["notes"]);
        let ends = data["edges"]["to"].as_array().expect("a list");
        assert!(
            ends.iter().all(|end| end.as_u64().is_some_and(|end| end < 8_000)),
            "files come after the symbols"
        );
    }

    #[test]
    fn nothing_is_left_out_of_a_small_picture() {
        let picture = large(80, 8);
        let data = core_data(&picture, Extent { symbols: 640, edges: 640 }, &EditorChoice::default());
        assert_eq!(data["names"].as_array().map(Vec::len), Some(640));
        assert_eq!(data["x"].as_array().map(Vec::len), Some(640));
        assert_eq!(data["languages"][0], "py");
        assert_eq!((&data["ids"], &data["suffix"], &data["notes"]), (&json!({}), &json!({}), &json!([])));
        assert_eq!(data["clusters"][0]["hue"], palette::cluster_hue(0));
        assert!(data["heat"].is_null());
    }
}
