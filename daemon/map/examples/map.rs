//! Builds the map of a folder and prints what it costs: `map DIR [TARGET]...`; for each target, who points at it and how
//! long that took to find; for each two in a row, a path between them. With `FACTS=FILE` in the environment, facts are kept there between runs; with `IMAGE=FILE` the map
//! comes from an image in that file, or leaves one there; with `REPEAT=N` each
//! question is asked that often, with `NODERIVE=1` nothing is derived. For people who work on resolution.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use hob_base::{CancelToken, FileId, WsPath};
use hob_map::graph::{
    Confidence, Direction, EdgeKind, EdgeKinds, KindFilter, Lookup, NeighborsQuery, PathQuery, PathStep,
    SearchQuery,
};
use hob_map::{Map, MapChange, PreparedFile, extract, language_of, persist};
use rayon::prelude::*;

fn main() {
    let mut args = std::env::args().skip(1);
    let root = PathBuf::from(args.next().unwrap_or_else(|| ".".to_owned()));
    let start = Instant::now();
    let changes = match std::env::var("FACTS") {
        Ok(store) if Path::new(&store).exists() => load(Path::new(&store)),
        Ok(store) => save(scan(&root), Path::new(&store)),
        Err(_) => scan(&root),
    };
    println!("read and extracted {} files in {:?}", changes.len(), start.elapsed());
    let start = Instant::now();
    let mut map = Map::new();
    match std::env::var("IMAGE") {
        Ok(image) => map = restore(changes, Path::new(&image)),
        Err(_) => map.apply(changes),
    }
    println!("applied in {:?}", start.elapsed());
    println!("{:?}", map.stats());
    if std::env::var("NODERIVE").is_err() {
        derive(&mut map);
    }
    let targets: Vec<String> = args.collect();
    for target in &targets {
        show(&map, target);
    }
    targets.windows(2).for_each(|pair| connect(&map, &pair[0], &pair[1]));
}

fn restore(changes: Vec<MapChange>, image: &Path) -> Map {
    let start = Instant::now();
    let prepare = |change| match change {
        MapChange::Set { file, path, facts } => Some(PreparedFile::new(file, path, facts)),
        MapChange::Remove { .. } => None,
    };
    let files = changes.into_par_iter().filter_map(prepare).collect();
    println!("prepared in {:?}", start.elapsed());
    let bytes = std::fs::read(image).ok();
    let restored = Map::restore(files, bytes.as_deref());
    println!("{} files were not in the image; refused: {:?}", restored.unknown, restored.rejected);
    if bytes.is_none() {
        let start = Instant::now();
        let bytes = restored.map.image();
        println!("an image of {} bytes in {:?}", bytes.len(), start.elapsed());
        std::fs::write(image, bytes).expect("the image can be written");
    }
    restored.map
}

fn connect(map: &Map, from: &str, to: &str) {
    let (Lookup::One(from), Lookup::One(to)) = (map.lookup(from), map.lookup(to)) else { return };
    let start = Instant::now();
    let cancel = CancelToken::default();
    let (kinds, direction) = ([EdgeKind::Calls].into_iter().collect(), Direction::Out);
    let found = map.path(&PathQuery { from, to, max_len: 12, kinds, direction, cancel });
    println!("{} chains (given up: {}) {:?}", found.chains.len(), found.incomplete, start.elapsed());
    for chain in &found.chains {
        let names = chain.nodes.iter().zip(std::iter::once(None).chain(chain.steps.iter().map(Some)));
        let said = |step: Option<&PathStep>| step.map_or("", |step| step.confidence.as_str());
        let names: Vec<String> =
            names.map(|(node, step)| format!("{} {}", said(step), node.qualified)).collect();
        println!("path: {}", names.join(" ->"));
    }
    if let Some(reached) = &found.reached {
        println!("reached: {:?} {:?}", reached.from, reached.to);
        let nearest = reached.nearest.iter().flat_map(|(near, far)| [near, far]);
        nearest.for_each(|node| println!("  near: {}", node.id));
    }
}

fn scan(root: &Path) -> Vec<MapChange> {
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    paths.par_iter().enumerate().filter_map(|(i, path)| change(i, path, root)).collect()
}

fn save(changes: Vec<MapChange>, store: &Path) -> Vec<MapChange> {
    let mut bytes = Vec::new();
    for change in &changes {
        let MapChange::Set { path, facts, .. } = change else { continue };
        for part in [path.as_str().as_bytes(), &persist::encode(facts)] {
            bytes.extend((part.len() as u32).to_le_bytes());
            bytes.extend(part);
        }
    }
    println!("facts take {} bytes on disk", bytes.len());
    std::fs::write(store, bytes).expect("the store can be written");
    changes
}

fn load(store: &Path) -> Vec<MapChange> {
    let bytes = std::fs::read(store).expect("the store can be read");
    let (mut rest, mut parts) = (&bytes[..], Vec::new());
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let (part, tail) = tail.split_at(u32::from_le_bytes(*length) as usize);
        parts.push(part);
        rest = tail;
    }
    let set = |(number, pair): (usize, &[&[u8]])| MapChange::Set {
        file: FileId(number as u32),
        path: WsPath::new(std::str::from_utf8(pair[0]).expect("a path")).expect("a relative path"),
        facts: Arc::new(persist::decode(pair[1]).expect("facts")),
    };
    parts.par_chunks(2).enumerate().map(set).collect()
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
    map.install_derived(job.finish());
    println!("ranked and clustered in {:?}", start.elapsed());
    for cluster in map.overview(None, 5).clusters.iter().take(12) {
        let hubs: Vec<&str> = cluster.hubs.iter().map(|hub| hub.qualified.as_str()).collect();
        println!("  {} {} ({} files): {}", cluster.id, cluster.label, cluster.files, hubs.join(", "));
    }
}

fn show(map: &Map, target: &str) {
    let query = SearchQuery { text: target, kinds: KindFilter::Any, path_prefix: "", limit: 20 };
    let _ = map.search(&query);
    let start = Instant::now();
    let found = map.search(&query);
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
        family: false,
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
