//! Places clusters in the picture by a force layout that gives the same result on every machine.
//!
//! It uses only additions, multiplications, divisions and square roots, which IEEE 754 fixes to the last bit, and no
//! random start: clusters begin on a spiral, the largest in the middle. Linked ones pull each other, and all keep their
//! distance.

use super::model::Picture;

/// Cosine and sine of the golden angle: turning by it spreads points evenly.
const TURN: (f64, f64) = (-0.737_368_878_078_320_1, 0.675_490_294_261_523_8);

/// Rounds in which linked clusters pull.
const PULLING: usize = 220;
/// Later rounds in which clusters only push each other apart.
const SETTLING: usize = 80;
/// Distance around a cluster, for its label.
const GAP: f64 = 34.0;

/// Places the circle of every cluster; its radius is already known.
pub(super) fn place_clusters(picture: &mut Picture) {
    let mut turning = spiral_points();
    for cluster in &mut picture.clusters {
        let (x, y) = turning.next().unwrap_or_default();
        (cluster.x, cluster.y) = (x * 120.0, y * 90.0);
    }
    let heaviest = picture.links.iter().map(|link| link.2).max().unwrap_or(0).max(1) as f64;
    for _ in 0..PULLING {
        pull_linked(picture, heaviest);
        push_apart(picture);
    }
    for _ in 0..SETTLING {
        push_apart(picture);
    }
    for cluster in &mut picture.clusters {
        (cluster.x, cluster.y, cluster.r) =
            (round_to_tenth(cluster.x), round_to_tenth(cluster.y), round_to_tenth(cluster.r));
    }
}

/// Points on a spiral with about one to each unit of area.
pub(super) fn spiral_points() -> impl Iterator<Item = (f64, f64)> {
    let mut direction = (1.0_f64, 0.0_f64);
    (0u32..).map(move |n| {
        let (c, s) = direction;
        direction = (c * TURN.0 - s * TURN.1, c * TURN.1 + s * TURN.0);
        let far = (f64::from(n) + 0.5).sqrt();
        (c * far, s * far)
    })
}

fn pull_linked(picture: &mut Picture, heaviest: f64) {
    for &(a, b, uses) in &picture.links {
        let (a, b) = (a as usize, b as usize);
        let (p, q) = (&picture.clusters[a], &picture.clusters[b]);
        let strength = 0.03 * (uses as f64 / heaviest).sqrt();
        let (dx, dy) = ((q.x - p.x) * strength, (q.y - p.y) * strength);
        let share = p.r / (p.r + q.r);
        let clusters = &mut picture.clusters;
        // The smaller cluster moves more.
        (clusters[a].x, clusters[a].y) =
            (clusters[a].x + dx * (1.0 - share), clusters[a].y + dy * (1.0 - share));
        (clusters[b].x, clusters[b].y) = (clusters[b].x - dx * share, clusters[b].y - dy * share);
    }
    for cluster in &mut picture.clusters {
        // The picture becomes wider than high, as screens are.
        (cluster.x, cluster.y) = (cluster.x * 0.995, cluster.y * 0.988);
    }
}

/// Moves clusters apart that are too near.
fn push_apart(picture: &mut Picture) {
    let clusters = &mut picture.clusters;
    for a in 0..clusters.len() {
        for b in a + 1..clusters.len() {
            let (dx, dy) = (clusters[b].x - clusters[a].x, clusters[b].y - clusters[a].y);
            let wanted = clusters[a].r + clusters[b].r + GAP;
            let square = dx * dx + dy * dy;
            if square >= wanted * wanted {
                continue;
            }
            let far = square.sqrt().max(0.01);
            let push = (wanted - far) / far * 0.5;
            // Two clusters in one place part along a line that depends on their numbers.
            let (dx, dy) = if square < 0.0001 { (0.01, 0.001 * (a + b) as f64) } else { (dx, dy) };
            (clusters[a].x, clusters[a].y) = (clusters[a].x - dx * push, clusters[a].y - dy * push);
            (clusters[b].x, clusters[b].y) = (clusters[b].x + dx * push, clusters[b].y + dy * push);
        }
    }
}

/// Returns the rectangle that the picture covers: left, top, width, height.
pub(super) fn picture_frame(picture: &Picture) -> [f64; 4] {
    let edge = |of: fn(f64, f64) -> f64, start: f64, at: &dyn Fn(usize) -> f64| {
        (0..picture.clusters.len()).map(at).fold(start, of)
    };
    let c = &picture.clusters;
    let left = edge(f64::min, -120.0, &|i| c[i].x - c[i].r) - 60.0;
    let right = edge(f64::max, 120.0, &|i| c[i].x + c[i].r) + 60.0;
    let top = edge(f64::min, -80.0, &|i| c[i].y - c[i].r) - 30.0;
    let bottom = edge(f64::max, 80.0, &|i| c[i].y + c[i].r) + 40.0;
    [round_to_tenth(left), round_to_tenth(top), round_to_tenth(right - left), round_to_tenth(bottom - top)]
}

pub(super) fn round_to_tenth(x: f64) -> f64 {
    (x * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::super::model::Cluster;
    use super::*;

    #[test]
    fn clusters_do_not_lie_on_each_other_and_linked_ones_are_near() {
        let cluster = |n: u32| Cluster { r: 9.0 + 50.0 / f64::from(n + 1), ..Cluster::default() };
        let clusters = (0..60).map(cluster).collect();
        let mut picture = Picture { clusters, links: vec![(0, 59, 100)], ..Picture::default() };
        place_clusters(&mut picture);
        let far = |a: usize, b: usize| {
            let (p, q) = (&picture.clusters[a], &picture.clusters[b]);
            ((p.x - q.x).powi(2) + (p.y - q.y).powi(2)).sqrt() - p.r - q.r
        };
        for a in 0..60 {
            for b in a + 1..60 {
                assert!(far(a, b) > 0.0, "{a} lies on {b}");
            }
        }
        assert!(far(0, 59) < far(0, 58), "the linked one is nearer than one of its size");
    }
}
