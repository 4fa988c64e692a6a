//! Measures the cost of freshness on an idle tree, and checks that it does not depend on the size of the tree.
//!
//! All trees have running daemons at the same time and are asked in turns, so that a busy moment of the machine affects
//! them all. The trees are made for this row, so that they differ only in their size. The given tree is asked as well.

use std::time::Duration;

use serde_json::json;

use super::{Failure, Lab, time_of};
use crate::Args;
use crate::generate;
use crate::mcp::Server;
use crate::scratch::Scratch;
use crate::stats::{Times, millis, ratio, show};
use crate::world::World;

/// The calls that are made before any is counted.
const WARM_UP: usize = 100;

/// One tree with its daemon and its session.
struct Lane {
    name: String,
    server: Server,
    plain: Times,
    barrier: Times,
    /// The difference that the barrier made, for each pair of calls.
    added: Times,
    /// These are dropped last, in this order.
    _world: Option<World>,
    _tree: Option<Scratch>,
}

/// Measures a call that does nothing, with the barrier and without it.
pub(super) fn barrier(args: &Args, lab: &Lab) -> Result<(), Failure> {
    println!(
        "\nbarrier: hob_noop behind the freshness barrier against hob_noop with `fresh: false`; idle trees"
    );
    let mut lanes = Vec::new();
    for files in args.sizes.iter().copied().filter(|files| *files > 0) {
        lanes.push(Lane::of_size(files)?);
    }
    lab.world.rest()?;
    lanes.push(Lane::new("the given tree".to_owned(), lab.world.server()?, None, None));
    for round in 0..WARM_UP + args.rounds * 25 {
        for lane in &mut lanes {
            lane.run(round)?;
        }
    }
    lanes.iter().for_each(Lane::print);
    if let [first, others @ ..] = &*lanes {
        others.iter().for_each(|lane| lane.print_against(first));
    }
    Ok(())
}

impl Lane {
    fn of_size(files: usize) -> Result<Self, Failure> {
        let scratch = Scratch::new()?;
        let root = scratch.at("tree");
        generate::tree(&root, files)?;
        let world = World::new(&root)?;
        world.index()?;
        world.rest()?;
        let server = world.server()?;
        Ok(Self::new(format!("{files} files"), server, Some(world), Some(scratch)))
    }

    fn new(name: String, server: Server, world: Option<World>, tree: Option<Scratch>) -> Self {
        let times = Times::default;
        Self { name, server, plain: times(), barrier: times(), added: times(), _world: world, _tree: tree }
    }

    /// Makes one call of each kind. Their order alternates between rounds.
    fn run(&mut self, round: usize) -> Result<(), Failure> {
        let (plain, barrier) = if round.is_multiple_of(2) {
            let plain = self.call(false)?;
            (plain, self.call(true)?)
        } else {
            let barrier = self.call(true)?;
            (self.call(false)?, barrier)
        };
        if round >= WARM_UP {
            self.plain.push(plain);
            self.barrier.push(barrier);
            self.added.push_millis(millis(barrier) - millis(plain));
        }
        Ok(())
    }

    fn call(&mut self, fresh: bool) -> Result<Duration, Failure> {
        time_of(|| self.server.call("hob_noop", &json!({"fresh": fresh})))
    }

    /// Prints how a lane compares with the first one. A ratio of only what the barriers add would divide by almost
    /// zero.
    fn print_against(&self, first: &Self) {
        let (one, other) = (&self.name, &first.name);
        ratio((&format!("with barrier, {one}"), &self.barrier), (other, &first.barrier));
        let more = self.added.median() - first.added.median();
        println!("  => the barrier adds {more:.3} ms more on {one} than on {other} (flat is 0)");
    }

    fn print(&self) {
        println!("  {}", self.name);
        show("  no-op with barrier", &self.barrier);
        show("  no-op, fresh: false", &self.plain);
        let ratio = self.barrier.median() / self.plain.median();
        println!(
            "  => with / without = {ratio:.3} (median), the barrier adds {:.3} ms (median of pairs)",
            self.added.median()
        );
    }
}
