//! Simulates another program at work in the same tree, with a fixed number of writes per second all over it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hob_tests::{Rng, Tree};

/// Writes until `stop`, and returns the number of writes.
pub(super) fn churn(tree: &Tree, seed: u64, per_second: u32, stop: &AtomicBool) -> u32 {
    let mut other = Other { tree, rng: Rng::new(seed), files: Vec::new(), made: 0 };
    let (start, pause) = (Instant::now(), Duration::from_secs(1) / per_second);
    let mut writes = 0;
    while !stop.load(Ordering::Relaxed) {
        other.write();
        writes += 1;
        // If it is late, it catches up.
        std::thread::sleep((pause * writes).saturating_sub(start.elapsed()));
    }
    writes
}

struct Other<'t> {
    tree: &'t Tree,
    rng: Rng,
    files: Vec<String>,
    made: usize,
}

impl Other<'_> {
    fn write(&mut self) {
        match self.rng.below(8) {
            _ if self.files.len() < 50 => self.create(),
            _ if self.files.len() > 300 => self.delete(),
            0 | 1 => self.create(),
            2 => self.delete(),
            3 => self.rename(),
            _ => self.rewrite(),
        }
    }

    /// Creates a file in any client's folders or in its own.
    fn create(&mut self) {
        self.made += 1;
        let folder = match self.rng.below(4) {
            0 => format!("c{}", self.rng.below(super::CLIENTS)),
            1 => "lib".to_owned(),
            2 => format!("other/new{}/below", self.made),
            _ => format!("other/d{}", self.rng.below(20)),
        };
        let ending = *self.rng.pick(&["py", "py", "ts", "c", "rs", "txt"]);
        let path = format!("{folder}/o{}.{ending}", self.made);
        self.tree.write(&path, self.text(ending));
        self.files.push(path);
    }

    fn text(&self, ending: &str) -> String {
        let mut rng = self.rng.clone();
        let (own, used, number) = (rng.below(200), rng.below(200), rng.below(10_000));
        match ending {
            "py" => format!(
                "import os\n\n\ndef other_{own}():\n    return other_{used}() + {number}\n\n\nclass C{number}:\n    pass\n"
            ),
            "ts" => format!("export function other_{own}() {{ return other_{used}() + {number}; }}\n"),
            "c" => format!("int other_{own}(void) {{ return other_{used}() + {number}; }}\n"),
            "rs" => format!("pub fn other_{own}() {{ other_{used}({number}); }}\n"),
            _ => format!("other_{own} and other_{used} and {number}\n"),
        }
    }

    fn pick(&mut self) -> usize {
        self.rng.below(self.files.len())
    }

    fn rewrite(&mut self) {
        let at = self.pick();
        let path = self.files[at].clone();
        let text = self.text(path.rsplit('.').next().unwrap_or_default());
        if self.rng.below(2) == 0 {
            self.tree.write(&path, text);
        } else {
            self.tree.write(&format!("{path}.tmp"), text);
            self.tree.rename(&format!("{path}.tmp"), &path);
        }
    }

    fn delete(&mut self) {
        let at = self.pick();
        self.tree.remove(&self.files.swap_remove(at));
    }

    fn rename(&mut self) {
        let at = self.pick();
        self.made += 1;
        let ending = *self.rng.pick(&["py", "ts", "txt"]);
        let new = format!("other/moved{}/m{}.{ending}", self.rng.below(20), self.made);
        self.tree.rename(&self.files[at], &new);
        self.files[at] = new;
    }
}
