//! Draws the picture as one still image: clusters, the links between them, and their symbols, with the names of the
//! hubs.

use super::model::{Cluster, Picture};
use super::page::{escape_text, totals_line};
use super::{layout, palette};

/// Longest label, in characters.
const LABEL: usize = 34;

/// Number of the largest clusters, whose hubs have their names in the image.
const NAMED: usize = 24;

const STYLE: &str = "text{font:600 12px system-ui,sans-serif;fill:#1f1e1c}.small{font:10px system-ui,sans-serif}\
.back{fill:#fafaf8}.link{stroke:#8d8a84;fill:none}text{paint-order:stroke;stroke:#fafaf8;stroke-width:3px}\
.bubble{fill-opacity:.12;stroke-opacity:.4}.grey{fill:#8a8781;stroke:#8a8781}\
@media (prefers-color-scheme:dark){text{fill:#eceae6;stroke:#17181b}.back{fill:#17181b}}";

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
            0.08 + 0.4 * share
        ));
    }
    let clusters = || picture.clusters.iter().enumerate();
    clusters().for_each(|(number, cluster)| push_bubble(&mut out, number, cluster));
    for symbol in &picture.symbols[..picture.drawn] {
        let (Some(at), Some(home)) = (symbol.at, picture.files[symbol.file as usize].cluster) else {
            continue;
        };
        let fill = fill_of(home as usize, &picture.clusters[home as usize]);
        out.push_str(&format!("<circle {fill} cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", at.x, at.y, at.r));
    }
    clusters().for_each(|(number, cluster)| push_names(&mut out, picture, cluster, number < NAMED));
    out.push_str("</svg>\n");
    out
}

fn fill_of(number: usize, cluster: &Cluster) -> String {
    match cluster.is_real {
        true => format!("fill=\"hsl({},62%,48%)\"", palette::cluster_hue(number)),
        false => "class=\"grey\"".to_owned(),
    }
}

fn push_bubble(out: &mut String, number: usize, cluster: &Cluster) {
    let Cluster { x, y, r, .. } = *cluster;
    let colours = match cluster.is_real {
        true => {
            let hue = palette::cluster_hue(number);
            format!("class=\"bubble\" fill=\"hsl({hue},62%,48%)\" stroke=\"hsl({hue},62%,48%)\"")
        }
        false => "class=\"bubble grey\"".to_owned(),
    };
    out.push_str(&format!(
        "<g><title>{}: {} symbols in {} files</title><circle {colours} cx=\"{x}\" cy=\"{y}\" r=\"{r}\"/></g>\n",
        escape_text(&cluster.label),
        cluster.symbols,
        cluster.files,
    ));
}

/// Writes the name of a cluster above it, and that of its first hub if `with_hub`.
fn push_names(out: &mut String, picture: &Picture, cluster: &Cluster, with_hub: bool) {
    let (x, y) = (cluster.x, cluster.y - cluster.r - 5.0);
    let label = short_label(&cluster.label);
    out.push_str(&format!("<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"middle\">{label}</text>\n"));
    let hub = cluster.hubs.first().map(|hub| &picture.symbols[*hub as usize]);
    if let Some((hub, at)) = hub.and_then(|hub| Some((hub, hub.at?))).filter(|_| with_hub) {
        let (y, name) = (at.y - at.r - 3.0, short_label(&hub.seen.name));
        out.push_str(&format!(
            "<text class=\"small\" x=\"{}\" y=\"{y:.1}\" text-anchor=\"middle\">{name}</text>\n",
            at.x
        ));
    }
}

fn short_label(text: &str) -> String {
    let short: String = text.chars().take(LABEL).collect();
    let end = if short.len() < text.len() { "…" } else { "" };
    format!("{}{end}", escape_text(&short))
}
