//! Whether what hob keeps on the disk grows when a daemon comes and goes, in good order or not.
//!
//! Between two rounds files change to and fro between the same two contents, so that there is something to store and
//! nothing new: a folder that grows keeps what nobody needs. Sizes are taken while the daemon is at rest.

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

/// Files in the tree.
const FILES: usize = 3_000;

/// Files that change in every round.
const CHANGED: usize = 600;

/// Rounds of each kind.
const ROUNDS: usize = 20;

/// What every changed file says, by turns.
const WORDS: [&str; 2] = ["marked_even", "marked_odd"];

/// Restarts, then kills.
pub(super) fn growth(_: &Args) -> Result<(), Failure> {
    println!("\ngrowth: hob's cache folder over {ROUNDS} restarts, then over {ROUNDS} times kill -9");
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
    let first = print("both contents seen", &world);
    repeat("restart", (&world, first), &|round| {
        change(&tree, round)?;
        world.index()?;
        world.stop()
    })?;
    repeat("kill", (&world, first), &|round| {
        change(&tree, round)?;
        kill_while_indexing(&world, cold, round)
    })
}

/// Ends the daemon again and again by `end`, begins anew, and compares the size with that at `first`.
fn repeat(
    kind: &str,
    (world, first): (&World, Size),
    end: &dyn Fn(usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for round in 0..ROUNDS {
        end(round)?;
        world.index()?;
        check(world, round)?;
        world.rest()?;
        if round.is_multiple_of(5) || round + 1 == ROUNDS {
            print(&format!("{kind} {}", round + 1), world);
        }
    }
    let ratio = total(world).bytes as f64 / first.bytes as f64;
    println!("  => size after {ROUNDS} rounds of {kind} / before = {ratio:.3}");
    Ok(())
}

/// Ends the daemon somewhere in its work: while it begins, reads, parses or saves. The client that asked sees to a new one, as
/// clients do.
fn kill_while_indexing(world: &World, cold: Duration, round: usize) -> Result<(), Failure> {
    let pid = world.pid()?;
    let mut client = world.command("hob").arg("index").stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    std::thread::sleep(cold.mul_f64((round * 7 % ROUNDS) as f64 / ROUNDS as f64));
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

/// The daemon knows what the files say now.
fn check(world: &World, round: usize) -> Result<(), Failure> {
    let asked = json!({"pattern": WORDS[round % WORDS.len()], "output": "count", "max_millis": 60_000});
    let answer = world.server()?.ask("regex_search", &asked)?;
    if answer.data()["total_lines"] == CHANGED {
        return Ok(());
    }
    Err(format!("after a restart {CHANGED} lines were expected: {answer:?}").into())
}

/// The folder's parts and their sum.
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
