//! The first index, against a program that lists definitions.

use std::path::Path;

use super::{FEW, Failure, timed};
use crate::Args;
use crate::peers::{ctags, is_there};
use crate::stats::{Times, compare};
use crate::world::{World, run as run_quietly};

/// Cold index (text and map, with the daemon's start) against `ctags -R`, which makes no text index and no graph.
pub(super) fn index(args: &Args) -> Result<(), Failure> {
    println!("\nindex: `hob index` into an empty cache; `ctags -R` (definitions only)");
    if !is_there(Path::new("ctags")) {
        println!("  ctags is not installed: left out");
        return Ok(());
    }
    let out = tempfile::tempdir()?;
    let (mut hob, mut other) = (Times::default(), Times::default());
    run_quietly(&mut ctags(&args.tree, &out.path().join("tags")))?;
    for _ in 0..FEW {
        let world = World::new(&args.tree)?;
        timed(&mut hob, || world.index())?;
        drop(world);
        timed(&mut other, || run_quietly(&mut ctags(&args.tree, &out.path().join("tags"))))?;
    }
    compare(("hob index", &hob), ("ctags -R", &other));
    Ok(())
}
