//! Writes the page: hob's style and script around the picture as data.
//!
//! Names, paths and docs come from untrusted repositories. They enter the page in two blocks that are no scripts,
//! packed into letters (`deflate`), and the script shows them as text only. A content policy in the page forbids every
//! script that is not part of it, and every address: the page opens without a network.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::data::PackedData;
use super::model::Picture;
use crate::visible::in_words;

const STYLE: &str = include_str!("page.css");
/// The scripts: one without access to the document, one for the canvas alone, and the page's own.
const SCRIPTS: [&str; 3] = [include_str!("core.js"), include_str!("paint.js"), include_str!("panel.js")];

/// Returns the whole HTML page of a picture.
pub(super) fn html_page(picture: &Picture, data: &PackedData) -> String {
    let nonce = nonce(&data.core);
    let title = escape_text(&picture.name);
    let totals = escape_text(&totals_line(picture));
    let PackedData { core, source, .. } = data;
    let scripts = SCRIPTS.map(|script| format!("<script nonce=\"{nonce}\">\n{script}</script>\n")).concat();
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
<div class="searching"><input id="search" type="search" placeholder="Search symbols and files ( / )" aria-label="Search symbols and files" autocomplete="off" spellcheck="false"><div id="found" hidden></div></div>
<span class="tools">
<select id="mode" aria-label="Colours"><option value="cluster">Colours: clusters</option><option value="language">Colours: languages</option><option value="heat">Colours: change heat</option></select>
<button class="tool" id="farther" type="button" aria-label="Zoom out">−</button><button class="tool" id="closer" type="button" aria-label="Zoom in">+</button><button class="tool" id="whole" type="button" aria-label="Show all">◎</button><button class="tool" id="theme" type="button" aria-label="Light or dark">◐</button><button class="tool" id="keys" type="button" aria-label="Keys">?</button>
</span>
</header>
<main>
<canvas id="stage" role="img" aria-label="The symbols of the workspace by cluster; search and the lists say the same in words"></canvas>
<aside id="legend"><noscript>This page needs scripts to be allowed; it loads none from elsewhere.</noscript></aside>
<div id="help" hidden><dl><dt>/</dt><dd>search</dd><dt>Enter</dt><dd>choose</dd><dt>Escape</dt><dd>close, go back to all</dd><dt>← →</dt><dd>callers, callees; without a choice, move</dd><dt>↑ ↓</dt><dd>walk through a list; without one, move</dd><dt>+ − 0</dt><dd>nearer, farther, all</dd><dt>c</dt><dd>colours: clusters, languages, change heat</dd><dt>o</dt><dd>open in the editor</dd><dt>l</dt><dd>hide or show the legend</dd><dt>t</dt><dd>light or dark</dd></dl></div>
</main>
<section id="dock" aria-live="polite" hidden></section>
<script type="text/plain" id="data">{core}</script>
<script type="text/plain" id="source">{source}</script>
{scripts}</body>
</html>
"#
    )
}

/// Writes `1,200 symbols in 40 files, ...`.
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

/// Escapes text for HTML and SVG, between tags and in quoted attributes; characters that no document may hold are
/// replaced.
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

/// Returns a word that the author of a repository cannot know beforehand, and that is the same for the same picture.
fn nonce(data: &str) -> String {
    let mut hasher = DefaultHasher::new();
    data.hash(&mut hasher);
    let first = hasher.finish();
    first.hash(&mut hasher);
    format!("{first:016x}{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::super::data::pack_picture;
    use super::super::editor::EditorChoice;
    use super::*;

    fn page_of(picture: &Picture) -> String {
        html_page(picture, &pack_picture(picture, &EditorChoice::default()).expect("packed"))
    }

    #[test]
    fn nothing_of_the_data_is_markup() {
        let name = "</script><script>alert(1)</script><img src=x onerror=alert(1)><!-- & \u{2028}";
        let plain = page_of(&Picture::default());
        let page = page_of(&Picture { name: name.into(), notes: vec![name.into()], ..Picture::default() });
        let tags = |page: &str| page.matches('<').count();
        assert_eq!(tags(&page), tags(&plain), "{page}");
        assert!(!page.contains("<img") && !page.contains("<!--"));
        assert_eq!(escape_text("<a b='\"'>\u{0}&"), "&lt;a b=&#39;&quot;&#39;&gt;\u{fffd}&amp;");
    }

    #[test]
    fn the_page_refers_to_nothing_outside() {
        let page = page_of(&Picture::default());
        for outside in ["://", "src=", "@import", "url(", "<link"] {
            assert!(!page.contains(outside), "{outside}: nothing is loaded");
        }
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "Function(",
            "createContextualFragment",
        ] {
            assert!(!page.contains(sink), "{sink}: no string becomes markup or a script");
        }
    }
}
