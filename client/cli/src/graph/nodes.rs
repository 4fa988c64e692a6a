//! Places symbols in their cluster by a force layout for each cluster, which gives the same result on every machine.
//!
//! The most connected symbols begin in the middle, on a spiral. Those that use each other pull each other, and all keep
//! their distance. The cluster's circle is drawn around the result. As in `layout`, it uses only operations that IEEE
//! 754 fixes to the last bit. Each cluster is laid out by itself, so that the time is proportional to the number of
//! symbols.

use super::layout::{round_to_tenth, spiral_points};
use super::model::{Circle, Picture};

/// Rounds in which symbols pull and push.
const ROUNDS: usize = 140;
/// Later rounds in which symbols only push each other apart.
const SETTLING: usize = 60;
/// Distance between two circles.
const GAP: f64 = 3.0;
/// Distance between the outermost circles and the cluster's.
const RIM: f64 = 4.0;
/// Number of root mean square distances from the middle, beyond which a symbol is brought back.
const STRAY: f64 = 1.6;
/// Radius of the smallest cluster.
const SMALLEST: f64 = 10.0;

/// Lays every drawn symbol out within its cluster, around the point 0, and gives the cluster its radius.
pub(super) fn lay_out_members(picture: &mut Picture) {
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); picture.clusters.len()];
    let mut homes = vec![None; picture.drawn];
    for (number, symbol) in picture.symbols[..picture.drawn].iter().enumerate() {
        homes[number] = picture.files[symbol.file as usize].cluster;
        homes[number].into_iter().for_each(|home| members[home as usize].push(number));
    }
    let degree = |number: &usize| picture.symbols[*number].degree;
    members
        .iter_mut()
        .for_each(|members| members.sort_by_key(|number| (std::cmp::Reverse(degree(number)), *number)));
    let mut places = vec![0; picture.drawn];
    members
        .iter()
        .for_each(|members| members.iter().enumerate().for_each(|(at, number)| places[*number] = at));
    let mut swarms: Vec<Swarm> = members
        .iter()
        .map(|members| Swarm::new(members.iter().map(|number| radius_for(degree(number)))))
        .collect();
    for edge in &picture.edges {
        let (from, to) = (edge[0] as usize, edge[1] as usize);
        if let (Some(Some(home)), Some(Some(other))) = (homes.get(from), homes.get(to))
            && home == other
        {
            swarms[*home as usize].springs.push((places[from], places[to]));
        }
    }
    for ((swarm, members), cluster) in swarms.iter_mut().zip(&members).zip(&mut picture.clusters) {
        cluster.r = round_to_tenth(swarm.settle().max(SMALLEST - RIM) + RIM);
        for (body, number) in swarm.bodies.iter().zip(members) {
            picture.symbols[*number].at = Some(Circle { x: body.x, y: body.y, r: body.r });
        }
    }
}

/// Moves the symbols to the places of their clusters.
pub(super) fn move_to_clusters(picture: &mut Picture) {
    for symbol in &mut picture.symbols[..picture.drawn] {
        let cluster =
            picture.files[symbol.file as usize].cluster.map(|home| &picture.clusters[home as usize]);
        if let (Some(at), Some(cluster)) = (&mut symbol.at, cluster) {
            (at.x, at.y) = (round_to_tenth(cluster.x + at.x), round_to_tenth(cluster.y + at.y));
        }
    }
}

/// Returns the radius of a symbol's circle, for its number of edges.
fn radius_for(degree: u32) -> f64 {
    round_to_tenth((1.9 + 0.72 * f64::from(degree).sqrt()).min(11.0))
}

/// A symbol during the layout, relative to the middle of its cluster.
#[derive(Clone, Copy, Debug, Default)]
struct Body {
    x: f64,
    y: f64,
    r: f64,
}

/// The symbols of one cluster.
#[derive(Debug)]
struct Swarm {
    bodies: Vec<Body>,
    /// Pairs of symbols that use each other.
    springs: Vec<(usize, usize)>,
    /// Half the width of the square that is divided into cells; the cells at the edges take the symbols beyond.
    reach: f64,
}

impl Swarm {
    /// Places symbols of these radii, the most connected first, on a spiral from the middle outwards.
    fn new(radii: impl Iterator<Item = f64>) -> Self {
        let mut area = 0.0;
        let body = |(r, (x, y)): (f64, (f64, f64))| {
            area += (r + GAP) * (r + GAP);
            // The distance of a point of the spiral is the root of its number, so it matches the area of the points
            // before it.
            let far = (x * x + y * y).sqrt();
            let step = 1.1 * area.sqrt() / far;
            Body { x: x * step, y: y * step, r }
        };
        let bodies = radii.zip(spiral_points()).map(body).collect();
        Self { bodies, springs: Vec::new(), reach: 1.3 * area.sqrt() + GAP }
    }

    /// Lays all symbols out, and returns the radius of the circle around the point 0 that holds them.
    fn settle(&mut self) -> f64 {
        self.springs.sort_unstable();
        self.springs.dedup();
        let mut grid = Grid::new(self);
        for _ in 0..ROUNDS {
            self.pull();
            self.push_apart(&mut grid);
        }
        self.gather_strays();
        for _ in 0..SETTLING {
            self.push_apart(&mut grid);
        }
        let count = self.bodies.len().max(1) as f64;
        let (x, y) = self.bodies.iter().fold((0.0, 0.0), |(x, y), body| (x + body.x, y + body.y));
        let (x, y) = (x / count, y / count);
        self.bodies.iter_mut().for_each(|body| (body.x, body.y) = (body.x - x, body.y - y));
        self.bodies.iter().map(|body| (body.x * body.x + body.y * body.y).sqrt() + body.r).fold(0.0, f64::max)
    }

    fn pull(&mut self) {
        for &(a, b) in &self.springs {
            let (p, q) = (self.bodies[a], self.bodies[b]);
            let (dx, dy) = (q.x - p.x, q.y - p.y);
            // The larger symbol moves less.
            let share = p.r * p.r / (p.r * p.r + q.r * q.r);
            let strength = 0.02;
            (self.bodies[a].x, self.bodies[a].y) =
                (p.x + dx * strength * (1.0 - share), p.y + dy * strength * (1.0 - share));
            (self.bodies[b].x, self.bodies[b].y) = (q.x - dx * strength * share, q.y - dy * strength * share);
        }
        for body in &mut self.bodies {
            (body.x, body.y) = (body.x * 0.99, body.y * 0.99);
        }
    }

    /// Brings back symbols far outside of all others, which would make the circle wide and empty.
    fn gather_strays(&mut self) {
        let count = self.bodies.len().max(1) as f64;
        let squares: f64 = self.bodies.iter().map(|body| body.x * body.x + body.y * body.y).sum();
        // An evenly filled disc ends at 1.41 times this.
        let mean = (squares / count).sqrt();
        for body in &mut self.bodies {
            let (far, most) = ((body.x * body.x + body.y * body.y).sqrt(), STRAY * mean);
            if far > most {
                (body.x, body.y) = (body.x * most / far, body.y * most / far);
            }
        }
    }

    /// Moves symbols apart that are too near, which a grid finds.
    fn push_apart(&mut self, grid: &mut Grid) {
        grid.fill(&self.bodies);
        for a in 0..self.bodies.len() {
            let cell = grid.cell_of(&self.bodies[a]);
            for near in grid.around(cell) {
                let others = grid.cells[near].iter().filter(|b| **b > a);
                others.for_each(|b| part_bodies(&mut self.bodies, a, *b));
            }
        }
    }
}

/// The symbols by squares as wide as two of the largest with their distance: every symbol that is too near lies in a
/// neighbouring square.
struct Grid {
    cells: Vec<Vec<usize>>,
    /// Number of cells in a row; the cells at the edges take the symbols beyond.
    side: usize,
    width: f64,
    reach: f64,
}

impl Grid {
    fn new(swarm: &Swarm) -> Self {
        let widest = swarm.bodies.iter().map(|body| body.r).fold(1.0, f64::max);
        let width = 2.0 * widest + GAP;
        let side = (2.0 * swarm.reach / width).ceil().max(1.0) as usize + 2;
        Self { cells: vec![Vec::new(); side * side], side, width, reach: swarm.reach }
    }

    fn fill(&mut self, bodies: &[Body]) {
        self.cells.iter_mut().for_each(Vec::clear);
        for (at, body) in bodies.iter().enumerate() {
            let cell = self.cell_of(body);
            self.cells[cell].push(at);
        }
    }

    fn cell_of(&self, body: &Body) -> usize {
        // Negative numbers convert to 0.
        let place = |at: f64| (((at + self.reach) / self.width) as usize + 1).min(self.side - 2);
        place(body.y) * self.side + place(body.x)
    }

    /// Returns a cell that is not at the edge, and the eight around it.
    fn around(&self, cell: usize) -> [usize; 9] {
        let (above, below) = (cell - self.side, cell + self.side);
        [above - 1, above, above + 1, cell - 1, cell, cell + 1, below - 1, below, below + 1]
    }
}

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
    // Two symbols in one place part along a line that depends on their numbers.
    let (dx, dy) = if square < 0.0001 { (0.01, 0.001 * ((a + b) % 9) as f64) } else { (dx, dy) };
    (bodies[a].x, bodies[a].y) = (p.x - dx * push, p.y - dy * push);
    (bodies[b].x, bodies[b].y) = (q.x + dx * push, q.y + dy * push);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swarm(count: usize, springs: Vec<(usize, usize)>) -> Swarm {
        Swarm { springs, ..Swarm::new((0..count).map(|_| 3.0)) }
    }

    fn distance(p: &Body, q: &Body) -> f64 {
        ((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y)).sqrt()
    }

    #[test]
    fn circles_do_not_overlap_and_fill_the_circle_around_them() {
        let mut swarm = swarm(150, (1..150).map(|n| (n, n / 7)).collect());
        let r = swarm.settle();
        for (a, p) in swarm.bodies.iter().enumerate() {
            assert!((p.x * p.x + p.y * p.y).sqrt() + p.r <= r, "{a} is outside: {p:?}");
            for (b, q) in swarm.bodies.iter().enumerate().skip(a + 1) {
                assert!(distance(p, q) >= p.r + q.r, "{a} lies on {b}");
            }
        }
        assert!(150.0 * 9.0 / (r * r) > 0.25, "the circle is {r} wide");
    }

    #[test]
    fn those_that_use_each_other_are_near_and_the_layout_repeats() {
        let mut first = swarm(60, vec![(0, 59), (1, 58)]);
        let mut second = swarm(60, vec![(1, 58), (0, 59)]);
        let mut alone = swarm(60, Vec::new());
        let _ = alone.settle();
        let _ = (first.settle(), second.settle());
        let between = |swarm: &Swarm| distance(&swarm.bodies[0], &swarm.bodies[59]);
        assert!(between(&first) < between(&alone) * 0.8, "{} of {}", between(&first), between(&alone));
        let places = |swarm: &Swarm| swarm.bodies.iter().map(|body| (body.x, body.y)).collect::<Vec<_>>();
        assert_eq!(places(&first), places(&second));
    }
}
