//! Measures if what hob keeps on disk grows when the daemon is stopped or killed and started again many times.
//!
//! Between two rounds, files change back and forth between the same two texts, so that something has to be stored but
//! nothing is new. If a folder grows nevertheless, it keeps data that is not needed. Sizes are taken while the daemon
//! is at rest.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::json;

use super::{Failure, time_of};
use crate::Args;
use crate::edit::replace;
use crate::generate;
use crate::process;
use crate::scratch::{Scratch, Size, size};
use crate::world::World;

/// The files in the tree.
const FILES: usize = 3_000;

/// The files that change in every round.
const CHANGED: usize = 600;

/// The words in every changed file, in turns.
const WORDS: [&str; 2] = ["marked_even", "marked_odd"];

/// Measures the growth over restarts, then over kills.
pub(super) fn growth(args: &Args) -> Result<(), Failure> {
    let rounds = (args.rounds / 2).max(2);
    println!("\ngrowth: hob's cache folder over {rounds} restarts, then over {rounds} times kill -9");
    println!("  {FILES} files, {CHANGED} of them change to and fro");
    let scratch = Scratch::new()?;
    let tree = scratch.at("tree");
    generate::tree(&tree, FILES)?;
    let world = World::new(&tree)?;
    let cold = time_of(|| world.index())?;
    world.rest()?;
    print("indexed once", &world);
    for round in 0..WORDS.len() {
        change(&tree, round)?;
        world.index()?;
        check(&world, round)?;
    }
    world.rest()?;
    print("both contents seen", &world);
    repeat("restart", rounds, &world, &|round| {
        change(&tree, round)?;
        world.index()?;
        world.stop()
    })?;
    repeat("kill", rounds, &world, &|round| {
        change(&tree, round)?;
        // Spread over the whole work, in no order.
        kill_while_indexing(&world, cold.mul_f64((round * 7 % rounds) as f64 / rounds as f64))
    })
}

/// Ends the daemon many times by `end` and starts it again. The size in each round is compared with that in the first.
fn repeat(
    kind: &str,
    rounds: usize,
    world: &World,
    end: &dyn Fn(usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut sizes = Vec::new();
    for round in 0..rounds {
        end(round)?;
        world.index()?;
        check(world, round)?;
        world.rest()?;
        sizes.push(total(world).bytes as f64);
        if round.is_multiple_of(5) || round + 1 == rounds {
            print(&format!("{kind} {}", round + 1), world);
        }
    }
    let (first, last) = (sizes[0], sizes[rounds - 1]);
    let most = sizes.iter().copied().fold(first, f64::max);
    println!("  => {kind}: size after the last round / after the first = {:.3}", last / first);
    println!("  => {kind}: largest size / after the first round = {:.3}", most / first);
    Ok(())
}

/// Kills the daemon somewhere in its work: while it starts, reads, parses or saves. The waiting client then starts a
/// new one, as clients do.
fn kill_while_indexing(world: &World, delay: Duration) -> Result<(), Failure> {
    let pid = world.pid()?;
    let mut client = world.command("hob").arg("index").stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::thread::sleep(delay);
    process::kill_hard(pid)?;
    client.wait()?;
    Ok(())
}

fn change(tree: &Path, round: usize) -> Result<(), Failure> {
    let word = WORDS[round % WORDS.len()];
    for number in 0..CHANGED {
        let path = generate::path(number);
        let text = format!("{}\n{word}\n", generate::text(number));
        replace(&tree.join(path), text.as_bytes())?;
    }
    Ok(())
}

/// Checks that the daemon knows the present text of the files.
fn check(world: &World, round: usize) -> Result<(), Failure> {
    let asked = json!({"pattern": WORDS[round % WORDS.len()], "output": "count", "max_millis": 60_000});
    let answer = world.server()?.ask("regex_search", &asked)?;
    if answer.data()["total_lines"] == CHANGED {
        return Ok(());
    }
    Err(format!("after a restart {CHANGED} lines were expected: {answer:?}").into())
}

/// Prints the sizes of the folder's parts, and returns their sum.
fn print(when: &str, world: &World) -> Size {
    let sum = total(world);
    let parts = parts(world).into_iter().map(|(name, size)| format!("{name} {}", shown(size)));
    println!("  {when:<20} {:<28} {}", shown(sum), parts.collect::<Vec<_>>().join(", "));
    sum
}

fn shown(size: Size) -> String {
    format!("{:.2} MB in {} files", size.bytes as f64 / 1e6, size.files)
}

fn total(world: &World) -> Size {
    size(&world.cache())
}

fn parts(world: &World) -> BTreeMap<String, Size> {
    let entries = std::fs::read_dir(world.cache()).into_iter().flatten().flatten();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), size(&entry.path()))).collect()
}
