//! Builds the map of a folder and prints what it costs: `map DIR [TARGET]...`; for each target, who points at it and how
//! long that took to find. For people who work on resolution.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use hob_base::{CancelToken, FileId, WsPath};
use hob_map::graph::{Confidence, Direction, EdgeKinds, KindFilter, Lookup, NeighborsQuery, SearchQuery};
use hob_map::{Map, MapChange, extract, language_of};
use rayon::prelude::*;

fn main() {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let start = Instant::now();
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    let changes: Vec<MapChange> =
        paths.par_iter().enumerate().filter_map(|(i, path)| change(i, path, &root)).collect();
    println!("read and extracted {} files in {:?}", changes.len(), start.elapsed());
    let start = Instant::now();
    let mut map = Map::new();
    map.apply(changes);
    println!("applied in {:?}", start.elapsed());
    println!("{:?}", map.stats());
    derive(&mut map);
    let targets: Vec<String> = args.collect();
    for target in &targets {
        show(&map, target);
    }
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && !hidden => collect(&path, paths),
            Ok(kind) if kind.is_file() => paths.push(path),
            _ => {}
        }
    }
}

fn change(number: usize, path: &Path, root: &Path) -> Option<MapChange> {
    let ws_path = WsPath::from_path(path.strip_prefix(root).ok()?).ok()?;
    let name = ws_path.file_name().to_owned();
    let source = std::fs::read(path).ok().filter(|source| source.len() <= 1 << 20)?;
    let lang = language_of(&name, &source[..source.len().min(4096)])?;
    let facts = Arc::new(extract(lang, &name, &source));
    Some(MapChange::Set { file: FileId(number as u32), path: ws_path, facts })
}

fn derive(map: &mut Map) {
    let start = Instant::now();
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 200) {}
    println!("resolved everything in {:?}", start.elapsed());
    let start = Instant::now();
    map.install(job.finish());
    println!("ranked and clustered in {:?}", start.elapsed());
    for cluster in map.overview(None, 5).clusters.iter().take(12) {
        let hubs: Vec<&str> = cluster.hubs.iter().map(|hub| hub.qualified.as_str()).collect();
        println!("  {} {} ({} files): {}", cluster.id, cluster.label, cluster.files, hubs.join(", "));
    }
}

fn show(map: &Map, target: &str) {
    let start = Instant::now();
    let found = map.search(&SearchQuery { text: target, kinds: KindFilter::Any, path_prefix: "", limit: 20 });
    println!("\n{target}: search finds {} in {:?}", found.total, start.elapsed());
    let node = match map.lookup(target) {
        Lookup::One(node) => node,
        other => return println!("{target}: {other:?}"),
    };
    let repeat = std::env::var("REPEAT").ok().and_then(|n| n.parse().ok()).unwrap_or(2);
    for _ in 0..repeat {
        let start = Instant::now();
        let edges = map.edges_in(node, EdgeKinds::ALL, &CancelToken::default()).unwrap_or_default();
        let took = start.elapsed();
        let count = |confidence| edges.iter().filter(|e| e.confidence == confidence).count();
        let sites: usize = edges.iter().map(|edge| edge.site_count).sum();
        println!(
            "{} edges in ({sites} sites): {} exact, {} import, {} name, {} candidate; {took:?}",
            edges.len(),
            count(Confidence::Exact),
            count(Confidence::Import),
            count(Confidence::Name),
            count(Confidence::Candidate)
        );
    }
    let query = NeighborsQuery {
        node,
        direction: Direction::Both,
        kinds: EdgeKinds::ALL,
        depth: 1,
        max_nodes: 50,
        cancel: CancelToken::default(),
    };
    let start = Instant::now();
    let Some(answer) = map.neighbors(&query) else { return };
    println!(
        "neighbors: {} shown, {} omitted; {:?}",
        answer.neighbors.len(),
        answer.omitted,
        start.elapsed()
    );
    for n in answer.neighbors.iter().take(8) {
        println!(
            "  {} {} {} {} {:.3} {:?}",
            n.edge.as_str(),
            n.direction.as_str(),
            n.confidence.as_str(),
            n.info.id,
            n.info.score,
            n.sites
        );
    }
}
