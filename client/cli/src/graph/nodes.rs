//! Where symbols lie in their cluster's circle: a force layout for each cluster, which comes out the same on every machine.
//!
//! The most connected begin in the middle, on a spiral. Those that use each other pull each other, uses of other clusters pull to
//! the side where these lie, all keep their distance and stay in the circle. As in `layout`, only operations are used that IEEE
//! 754 fixes to the last bit. Clusters are placed by themselves, so a layout takes time in proportion to the symbols.

use std::collections::HashMap;

use super::layout::{round_to_tenth, spiral_points};
use super::model::{Circle, Cluster, Picture, Symbol};

/// Rounds in which symbols pull and push.
const ROUNDS: usize = 140;
/// Rounds after these in which they only get out of each other's way.
const SETTLING: usize = 30;
/// Room between two circles.
const GAP: f64 = 2.4;
/// Room between the outermost circles and the cluster's.
const RIM: f64 = 4.0;
/// Share of a cluster's circle that the circles of its symbols take at most.
const FILLED: f64 = 0.42;

/// Gives every drawn symbol its radius, and every cluster the room for its symbols.
pub(super) fn size_circles(picture: &mut Picture) {
    let mut needed = vec![0.0_f64; picture.clusters.len()];
    for symbol in &mut picture.symbols[..picture.drawn] {
        let r = round_to_tenth((1.9 + 0.72 * f64::from(symbol.degree).sqrt()).min(11.0));
        symbol.at = Some(Circle { r, ..Circle::default() });
        if let Some(cluster) = picture.files[symbol.file as usize].cluster {
            needed[cluster as usize] += (r + GAP / 2.0) * (r + GAP / 2.0);
        }
    }
    for (cluster, needed) in picture.clusters.iter_mut().zip(needed) {
        cluster.r = round_to_tenth((needed / FILLED).sqrt() + RIM).max(10.0);
    }
}

/// Places the drawn symbols in the circles of their clusters.
pub(super) fn place_nodes(picture: &mut Picture) {
    let cluster_of = |picture: &Picture, symbol: &Symbol| picture.files[symbol.file as usize].cluster;
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); picture.clusters.len()];
    let mut homes = vec![None; picture.drawn];
    for (number, symbol) in picture.symbols[..picture.drawn].iter().enumerate() {
        homes[number] = cluster_of(picture, symbol);
        homes[number].into_iter().for_each(|home| members[home as usize].push(number));
    }
    let mut swarms: Vec<Swarm> =
        members.iter().zip(&picture.clusters).map(|(members, cluster)| Swarm::new(picture, members, cluster)).collect();
    let mut places = vec![0; picture.drawn];
    members.iter().for_each(|members| members.iter().enumerate().for_each(|(at, number)| places[*number] = at));
    for edge in &picture.edges {
        let (from, to) = (edge[0] as usize, edge[1] as usize);
        let (Some(Some(home)), Some(Some(other))) = (homes.get(from), homes.get(to)) else { continue };
        match home == other {
            true => swarms[*home as usize].springs.push((places[from], places[to])),
            false => {
                let (p, q) = (&picture.clusters[*home as usize], &picture.clusters[*other as usize]);
                let (dx, dy) = (q.x - p.x, q.y - p.y);
                let far = (dx * dx + dy * dy).sqrt().max(1.0);
                swarms[*home as usize].lean(places[from], dx / far, dy / far);
                swarms[*other as usize].lean(places[to], -dx / far, -dy / far);
            }
        }
    }
    for ((swarm, members), cluster) in swarms.iter_mut().zip(&members).zip(&picture.clusters) {
        swarm.settle();
        for (body, number) in swarm.bodies.iter().zip(members) {
            let (x, y) = (round_to_tenth(cluster.x + body.x), round_to_tenth(cluster.y + body.y));
            picture.symbols[*number].at = Some(Circle { x, y, r: body.r });
        }
    }
}

/// A symbol on its way to its place, relative to the middle of its cluster.
#[derive(Clone, Copy, Debug, Default)]
struct Body {
    x: f64,
    y: f64,
    r: f64,
    /// The sum of the directions to other clusters that it is connected with.
    lean_x: f64,
    lean_y: f64,
    leans: f64,
}

/// The symbols of one cluster.
#[derive(Debug)]
struct Swarm {
    bodies: Vec<Body>,
    /// Pairs that use each other.
    springs: Vec<(usize, usize)>,
    r: f64,
}

impl Swarm {
    fn new(picture: &Picture, members: &[usize], cluster: &Cluster) -> Self {
        let step = 0.9 * (cluster.r - RIM) / (members.len().max(1) as f64).sqrt();
        let body = |(number, (x, y)): (&usize, (f64, f64))| {
            let r = picture.symbols[*number].at.map_or(2.0, |circle| circle.r);
            Body { x: x * step, y: y * step, r, ..Body::default() }
        };
        let bodies = members.iter().zip(spiral_points()).map(body).collect();
        Self { bodies, springs: Vec::new(), r: cluster.r }
    }

    fn lean(&mut self, at: usize, x: f64, y: f64) {
        let body = &mut self.bodies[at];
        (body.lean_x, body.lean_y, body.leans) = (body.lean_x + x, body.lean_y + y, body.leans + 1.0);
    }

    fn settle(&mut self) {
        if let [only] = self.bodies.as_mut_slice() {
            (only.x, only.y) = (0.0, 0.0);
            return;
        }
        self.springs.sort_unstable();
        self.springs.dedup();
        for _ in 0..ROUNDS {
            self.pull();
            self.push_apart();
        }
        for _ in 0..SETTLING {
            self.push_apart();
        }
    }

    fn pull(&mut self) {
        for &(a, b) in &self.springs {
            let (p, q) = (self.bodies[a], self.bodies[b]);
            let (dx, dy) = (q.x - p.x, q.y - p.y);
            // The larger one moves less.
            let share = p.r * p.r / (p.r * p.r + q.r * q.r);
            let strength = 0.04;
            (self.bodies[a].x, self.bodies[a].y) =
                (p.x + dx * strength * (1.0 - share), p.y + dy * strength * (1.0 - share));
            (self.bodies[b].x, self.bodies[b].y) = (q.x - dx * strength * share, q.y - dy * strength * share);
        }
        let reach = self.r * 0.012;
        for body in &mut self.bodies {
            let per = reach / body.leans.max(1.0);
            (body.x, body.y) = (body.x * 0.994 + body.lean_x * per, body.y * 0.994 + body.lean_y * per);
        }
    }

    /// Moves apart what is too near, found by a grid, and back into the circle what has left it.
    fn push_apart(&mut self) {
        let widest = self.bodies.iter().map(|body| body.r).fold(1.0, f64::max);
        let cell = 2.0 * widest + GAP;
        let place = |body: &Body| ((body.x / cell).floor() as i64, (body.y / cell).floor() as i64);
        let mut grid: HashMap<(i64, i64), Vec<usize>> = HashMap::new();
        self.bodies.iter().enumerate().for_each(|(at, body)| grid.entry(place(body)).or_default().push(at));
        for a in 0..self.bodies.len() {
            let (column, row) = place(&self.bodies[a]);
            for (dx, dy) in NEAR {
                let Some(others) = grid.get(&(column + dx, row + dy)) else { continue };
                others.iter().filter(|b| **b > a).for_each(|b| part_bodies(&mut self.bodies, a, *b));
            }
        }
        for body in &mut self.bodies {
            let (far, most) = ((body.x * body.x + body.y * body.y).sqrt(), (self.r - RIM - body.r).max(0.0));
            if far > most {
                (body.x, body.y) = (body.x * most / far, body.y * most / far);
            }
        }
    }
}

/// The cells around a cell, and itself.
const NEAR: [(i64, i64); 9] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0), (1, 1)];

fn part_bodies(bodies: &mut [Body], a: usize, b: usize) {
    let (p, q) = (bodies[a], bodies[b]);
    let (dx, dy) = (q.x - p.x, q.y - p.y);
    let wanted = p.r + q.r + GAP;
    let square = dx * dx + dy * dy;
    if square >= wanted * wanted {
        return;
    }
    let far = square.sqrt().max(0.01);
    let push = (wanted - far) / far * 0.5;
    // Two in one place part along a line that their numbers choose.
    let (dx, dy) = if square < 0.0001 { (0.01, 0.001 * (a + b) as f64) } else { (dx, dy) };
    (bodies[a].x, bodies[a].y) = (p.x - dx * push, p.y - dy * push);
    (bodies[b].x, bodies[b].y) = (q.x + dx * push, q.y + dy * push);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swarm(count: usize, springs: Vec<(usize, usize)>) -> Swarm {
        let bodies = (0..count).zip(spiral_points());
        let bodies = bodies.map(|(_, (x, y))| Body { x: x * 6.0, y: y * 6.0, r: 3.0, ..Body::default() }).collect();
        let r = (count as f64 * (3.0 + GAP / 2.0) * (3.0 + GAP / 2.0) / FILLED).sqrt() + RIM;
        Swarm { bodies, springs, r }
    }

    fn distance(p: &Body, q: &Body) -> f64 {
        ((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y)).sqrt()
    }

    #[test]
    fn circles_do_not_overlap_and_stay_in_the_cluster() {
        let mut swarm = swarm(150, (1..150).map(|n| (n, n / 7)).collect());
        swarm.lean(149, 1.0, 0.0);
        swarm.settle();
        for (a, p) in swarm.bodies.iter().enumerate() {
            assert!((p.x * p.x + p.y * p.y).sqrt() + p.r <= swarm.r, "{a} is outside: {p:?}");
            for (b, q) in swarm.bodies.iter().enumerate().skip(a + 1) {
                assert!(distance(p, q) >= p.r + q.r, "{a} lies on {b}");
            }
        }
    }

    #[test]
    fn those_that_use_each_other_are_near_and_the_layout_repeats() {
        let mut first = swarm(60, vec![(0, 59), (1, 58)]);
        let mut second = swarm(60, vec![(1, 58), (0, 59)]);
        let begun = distance(&first.bodies[0], &first.bodies[59]);
        first.settle();
        second.settle();
        assert!(distance(&first.bodies[0], &first.bodies[59]) < begun / 2.0);
        let places = |swarm: &Swarm| swarm.bodies.iter().map(|body| (body.x, body.y)).collect::<Vec<_>>();
        assert_eq!(places(&first), places(&second));
    }
}
