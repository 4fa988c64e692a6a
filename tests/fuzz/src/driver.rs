//! Runs a target over its kept inputs and then over mutations of them, for a time. Without coverage, so that any build can do it.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::FuzzTarget;
use crate::corpus::first_inputs;
use crate::mutation::{MutationRng, mutate_input};

/// The outcome of some runs of one target.
#[derive(Clone, Copy, Debug, Default)]
pub struct FuzzRuns {
    /// Number of inputs.
    pub count: usize,
    /// The longest time that one input took.
    pub slowest: Duration,
}

/// Keeps the input that is being tried in a file, and says where it is if the target panics. A process that ends at once leaves it there too.
struct TriedInput {
    path: PathBuf,
}

impl TriedInput {
    fn new(target: &FuzzTarget) -> Self {
        Self { path: std::env::temp_dir().join(format!("hob-fuzz-{}-{}", target.name, std::process::id())) }
    }
}

impl Drop for TriedInput {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the input is in {}", self.path.display());
        } else {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Runs `target` by `run` on every kept input, then on mutations until the time is over.
pub fn mutate_for(target: &FuzzTarget, time: Duration, seed: u64, run: &mut dyn FnMut(&[u8])) -> FuzzRuns {
    let (start, kept, tried) = (Instant::now(), first_inputs(target), TriedInput::new(target));
    let mut rng = MutationRng::from_seed(seed);
    let mut runs = FuzzRuns::default();
    let mut try_input = |bytes: &[u8]| {
        // A file that cannot be kept is no reason not to try.
        let _ = std::fs::write(&tried.path, bytes);
        let since = Instant::now();
        run(bytes);
        runs.slowest = runs.slowest.max(since.elapsed());
        runs.count += 1;
    };
    kept.iter().for_each(|input| try_input(input));
    while start.elapsed() < time {
        let (input, other) = (&kept[rng.below(kept.len())], &kept[rng.below(kept.len())]);
        try_input(&mutate_input(input, other, &mut rng));
    }
    runs
}
