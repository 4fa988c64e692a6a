//! Every target over its kept inputs and some mutations, for a quarter of a minute in all; nothing that a target finds wrong may come
//! up, and no input may make the process grow by more than 256 MB.
//!
//! `HOB_FUZZ_SECONDS` is how long (0 replays the kept inputs alone), `HOB_FUZZ_SEED` makes the mutations others, `HOB_FUZZ_TARGET`
//! tries one target. Times are printed and not judged: this build is slow, and machines differ.

use std::time::Duration;

use hob_fuzz::allocation::{CountedAllocator, mark_allocated, most_allocated};
use hob_fuzz::driver::mutate_for;
use hob_fuzz::{FuzzTarget, all_targets};

#[global_allocator]
static ALLOCATOR: CountedAllocator = CountedAllocator;

/// Seconds of all targets together.
const SECONDS: u64 = 15;
/// Bytes by which inputs may make the process grow.
const GROWTH: usize = 256 << 20;

fn number_from_env(name: &str, otherwise: u64) -> u64 {
    let Ok(text) = std::env::var(name) else { return otherwise };
    text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text}"))
}

fn try_target(target: &FuzzTarget, time: Duration) {
    let before = mark_allocated();
    let mut run = |bytes: &[u8]| {
        target.run_on(bytes);
        let growth = most_allocated().saturating_sub(before);
        assert!(growth <= GROWTH, "{} grew by {} MB", target.name, growth >> 20);
    };
    let runs = mutate_for(target, time, number_from_env("HOB_FUZZ_SEED", 1), &mut run);
    println!("{}: {} runs, slowest {:.1?}", target.name, runs.count, runs.slowest);
}

#[test]
fn no_input_is_too_much_for_its_reader() {
    let wanted = std::env::var("HOB_FUZZ_TARGET").ok();
    let targets: Vec<FuzzTarget> = all_targets()
        .into_iter()
        .filter(|target| wanted.as_ref().is_none_or(|name| *name == target.name))
        .collect();
    assert!(!targets.is_empty(), "HOB_FUZZ_TARGET names no target");
    let time = Duration::from_secs(number_from_env("HOB_FUZZ_SECONDS", SECONDS)) / targets.len() as u32;
    // One after the other: the heap is counted for the whole process.
    targets.iter().for_each(|target| try_target(target, time));
}
