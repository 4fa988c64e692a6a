//! Runs one target: guided by coverage if it is built with the feature `libfuzzer` (`build.sh`), else by mutation of the corpus.
//!
//! `HOB_FUZZ_TARGET` names the target. With libFuzzer, arguments are libFuzzer's own; without, the only one is the number of seconds.
//! Without a target, it lists all.

#![cfg_attr(feature = "libfuzzer", no_main)]

use std::sync::LazyLock;

use hob_fuzz::allocation::{CountedAllocator, mark_allocated, most_allocated};
use hob_fuzz::{FuzzTarget, all_targets};

#[global_allocator]
static ALLOCATOR: CountedAllocator = CountedAllocator;

/// Bytes by which one input may make the process grow.
const GROWTH: usize = 256 << 20;

static TARGET: LazyLock<Option<FuzzTarget>> = LazyLock::new(|| {
    let wanted = std::env::var("HOB_FUZZ_TARGET").ok()?;
    all_targets().into_iter().find(|target| target.name == wanted)
});

fn run_target(bytes: &[u8]) {
    let Some(target) = TARGET.as_ref() else { panic!("HOB_FUZZ_TARGET names no target") };
    let before = mark_allocated();
    target.run_on(bytes);
    let growth = most_allocated() - before;
    assert!(growth <= GROWTH, "{} grew by {} MB", target.name, growth >> 20);
}

#[cfg(feature = "libfuzzer")]
libfuzzer_sys::fuzz_target!(init: write_seeds(), |bytes: &[u8]| run_target(bytes));

/// Writes the first inputs of the target where libFuzzer is told to read.
#[cfg(feature = "libfuzzer")]
fn write_seeds() {
    let (Some(target), Some(folder)) = (TARGET.as_ref(), std::env::var_os("HOB_FUZZ_SEEDS")) else {
        all_targets().iter().for_each(|target| println!("{}", target.name));
        std::process::exit(0);
    };
    let written = hob_fuzz::corpus::write_first_inputs(target, folder.as_ref());
    written.expect("HOB_FUZZ_SEEDS is a folder that can be written to");
}

#[cfg(not(feature = "libfuzzer"))]
fn main() {
    let Some(target) = TARGET.as_ref() else {
        all_targets().iter().for_each(|target| println!("{}", target.name));
        return;
    };
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    let runs =
        hob_fuzz::driver::mutate_for(target, std::time::Duration::from_secs(seconds), 1, &mut run_target);
    println!("{}: {} runs, slowest {:.1?}", target.name, runs.count, runs.slowest);
}
