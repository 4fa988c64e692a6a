//! The picture as one still image: clusters, what ties them, and their hubs.

use super::layout;
use super::model::{Cluster, Picture};
use super::page::{escape_text, totals_line};

/// Longest label, in characters.
const LABEL: usize = 34;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#22201d}.small{font-size:10px;fill:#6b665e}\
.back{fill:#fbfaf8}.bubble{fill:#e9dccb;stroke:#8a8378}.link{stroke:#8a8378}.dot{fill:#b4491a}\
@media (prefers-color-scheme:dark){text{fill:#ece8e1}.small{fill:#a39c90}.back{fill:#1b1a18}.bubble{fill:#4a3d30}.dot{fill:#f0955f}}";

/// Returns the whole SVG image of a picture.
pub(super) fn svg_image(picture: &Picture) -> String {
    let [x, y, w, h] = layout::picture_frame(picture);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{x} {y} {w} {h}\" role=\"img\">\n<title>{}: {}</title>\n\
         <style>{STYLE}</style>\n<rect class=\"back\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>\n",
        escape_text(&picture.name),
        escape_text(&totals_line(picture))
    );
    let heaviest = picture.links.iter().map(|link| link.2).max().unwrap_or(0).max(1) as f64;
    for (a, b, uses) in &picture.links {
        let (p, q) = (&picture.clusters[*a as usize], &picture.clusters[*b as usize]);
        let share = (*uses as f64 / heaviest).sqrt();
        out.push_str(&format!(
            "<line class=\"link\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke-width=\"{:.2}\" stroke-opacity=\"{:.2}\"/>\n",
            p.x,
            p.y,
            q.x,
            q.y,
            0.5 + 4.0 * share,
            0.12 + 0.5 * share
        ));
    }
    picture.clusters.iter().for_each(|cluster| push_bubble(&mut out, picture, cluster));
    out.push_str("</svg>\n");
    out
}

fn push_bubble(out: &mut String, picture: &Picture, cluster: &Cluster) {
    let Cluster { x, y, r, .. } = *cluster;
    out.push_str(&format!(
        "<g><title>{}: {} symbols in {} files</title><circle class=\"bubble\" cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/>\
         <text x=\"{x}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></g>\n",
        escape_text(&cluster.label),
        cluster.symbols,
        cluster.files,
        y + r + 13.0,
        short_label(&cluster.label)
    ));
    for (hub, (x, y)) in cluster.hubs.iter().zip(layout::dot_places(cluster.hubs.len(), x, y, r)) {
        let symbol = &picture.symbols[*hub as usize].seen;
        out.push_str(&format!(
            "<g><title>{}</title><circle class=\"dot\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>",
            escape_text(&symbol.id)
        ));
        if r > 26.0 {
            let text = short_label(&symbol.name);
            out.push_str(&format!(
                "<text class=\"small\" x=\"{x}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>",
                y - 6.0
            ));
        }
        out.push_str("</g>\n");
    }
}

fn short_label(text: &str) -> String {
    let short: String = text.chars().take(LABEL).collect();
    let end = if short.len() < text.len() { "…" } else { "" };
    format!("{}{end}", escape_text(&short))
}
