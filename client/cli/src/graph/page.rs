//! The page: our own style and script around the picture as data.
//!
//! Names, paths and docs come from repositories that nobody vouches for. They enter the page in one place, as JSON in a block
//! that is no script, with every character that could end the block written as an escape; the script shows them as text
//! only. Beyond that a policy in the page forbids whatever was not part of it, and every address: it opens without a network.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use hob_proto::tools::map::EDGE_KINDS;
use serde_json::{Map, Value, json};

use super::layout;
use super::model::Picture;
use crate::visible::in_words;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Signatures and docs are given of so many symbols, the most connected.
const TOLD: usize = 20_000;

/// Returns the whole HTML page of a picture.
pub(super) fn html_page(picture: &Picture) -> String {
    let data = picture_data(picture).to_string();
    let nonce = nonce(&data);
    let title = escape_text(&picture.name);
    let totals = escape_text(&totals_line(picture));
    let data = escape_markup(&data);
    format!(
        r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: map</title>
<style nonce="{nonce}">
{STYLE}</style>
</head>
<body>
<header>
<h1>{title}</h1>
<span class="totals">{totals}</span>
<input id="search" type="search" placeholder="Search symbols and files ( / )" aria-label="Search symbols and files" autocomplete="off" spellcheck="false">
<span><button class="plain" id="closer" type="button" aria-label="Zoom in">+</button> <button class="plain" id="farther" type="button" aria-label="Zoom out">−</button></span>
</header>
<main>
<svg id="stage" role="group" aria-label="Clusters of the workspace and their most connected symbols"></svg>
<aside id="panel" aria-live="polite"><noscript>This page needs scripts to be allowed; it loads none from elsewhere.</noscript></aside>
</main>
<script type="application/json" id="data">{data}</script>
<script nonce="{nonce}">
{SCRIPT}</script>
</body>
</html>
"#
    )
}

/// `1,200 symbols in 40 files, ...`
pub(super) fn totals_line(picture: &Picture) -> String {
    use crate::render::count;
    format!(
        "{} in {}, {}, {}",
        count(picture.symbols_total as u64, "symbol"),
        count(picture.files.len() as u64, "file"),
        count(picture.clusters.len() as u64, "cluster"),
        picture.built_at
    )
}

/// The picture as the script reads it: columns, since a page may hold a hundred thousand symbols.
fn picture_data(picture: &Picture) -> Value {
    let mut kinds: Vec<&str> = picture.symbols.iter().map(|symbol| symbol.seen.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kind = |word: &str| kinds.binary_search(&word).unwrap_or(0);
    let symbols = || picture.symbols.iter().map(|symbol| &symbol.seen);
    let numbered = || symbols().enumerate();
    let sparse = |pairs: Vec<(usize, &str)>| -> Map<String, Value> {
        pairs.into_iter().map(|(n, text)| (n.to_string(), in_words(text).into())).collect()
    };
    let suffix = numbered().filter_map(|(n, seen)| {
        let own = seen.id.split_once('#').map_or("", |(_, own)| own);
        (own != seen.name).then_some((n, own))
    });
    let signature = numbered().take(TOLD).map(|(n, seen)| (n, seen.signature.as_str()));
    let doc = numbered().take(TOLD).map(|(n, seen)| (n, seen.doc.as_str()));
    json!({
        "kinds": kinds,
        "edgeKinds": EDGE_KINDS,
        "names": symbols().map(|seen| in_words(&seen.name)).collect::<Vec<_>>(),
        "kind": symbols().map(|seen| kind(&seen.kind)).collect::<Vec<_>>(),
        "file": picture.symbols.iter().map(|symbol| symbol.file).collect::<Vec<_>>(),
        "line": symbols().map(|seen| seen.line).collect::<Vec<_>>(),
        "tests": numbered().filter(|(_, seen)| seen.test).map(|(n, _)| n).collect::<Vec<_>>(),
        "suffix": sparse(suffix.collect()),
        "signature": sparse(signature.filter(|(_, text)| !text.is_empty()).collect()),
        "doc": sparse(doc.filter(|(_, text)| !text.is_empty()).collect()),
        "paths": picture.files.iter().map(|file| in_words(&file.path)).collect::<Vec<_>>(),
        "ids": picture.files.iter().map(|file| in_words(&file.id)).collect::<Vec<_>>(),
        "cluster": picture.files.iter().map(|file| file.cluster.unwrap_or(0)).collect::<Vec<_>>(),
        "edges": picture.edges.iter().flatten().copied().collect::<Vec<u64>>(),
        "clusters": picture.clusters.iter().map(|cluster| {
            let dots = layout::dot_places(cluster.hubs.len(), cluster.x, cluster.y, cluster.r);
            json!({
                "label": in_words(&cluster.label), "files": cluster.files, "symbols": cluster.symbols,
                "x": cluster.x, "y": cluster.y, "r": cluster.r,
                "hubs": cluster.hubs.iter().zip(dots).map(|(hub, (x, y))| json!([hub, x, y])).collect::<Vec<_>>(),
            })
        }).collect::<Vec<_>>(),
        "links": picture.links,
        "notes": picture.notes,
        "box": layout::picture_frame(picture),
    })
}

/// JSON that no parser of HTML can take for markup: inside strings, where alone these characters occur, they are escapes.
fn escape_markup(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Text for HTML and SVG, between tags and in quoted attributes; what no document may hold is replaced.
pub(super) fn escape_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in in_words(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A word that nobody who writes a repository can know beforehand, and that is the same for the same picture.
fn nonce(data: &str) -> String {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let first = hasher.finish();
    first.hash(&mut hasher);
    format!("{first:016x}{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_data_is_markup() {
        let json = json!({"name": "</script><script>alert(1)</script><!-- & \u{2028}"}).to_string();
        let inert = escape_markup(&json);
        assert!(!inert.contains(['<', '>', '&', '\u{2028}']), "{inert}");
        assert_eq!(
            serde_json::from_str::<Value>(&inert).expect("still JSON"),
            serde_json::from_str::<Value>(&json).expect("JSON")
        );
        assert_eq!(escape_text("<a b='\"'>\u{0}&"), "&lt;a b=&#39;&quot;&#39;&gt;\u{fffd}&amp;");
    }

    #[test]
    fn the_page_refers_to_nothing_outside() {
        let page = html_page(&Picture { name: "<img src=x onerror=alert(1)>".into(), ..Picture::default() });
        assert!(!page.contains("<img"), "{page}");
        let page = html_page(&Picture::default());
        let elsewhere: Vec<_> = page
            .match_indices("://")
            .map(|(at, _)| &page[at.saturating_sub(5)..(at + 15).min(page.len())])
            .collect();
        assert_eq!(elsewhere.len(), 1, "only the name of SVG's own namespace: {elsewhere:?}");
        assert!(
            !page.contains("src=") && !page.contains("@import") && !page.contains("url("),
            "nothing is loaded"
        );
    }
}
