//! Five published projects in five languages, about which questions in words are asked: one daemon, with one shim for
//! each project.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hob_tests::{Answer, FOREVER, Mcp, Tree, World, copy_folder, projects, projects_native, projects_small};
use serde_json::{Value, json};

/// A project and the shim that is asked about it.
pub(super) struct Project {
    /// The name that the project has in the files of questions.
    pub(super) name: &'static str,
    /// The tree of the project's files.
    pub(super) tree: Tree,
    mcp: Mcp,
}

/// Returns all five projects, indexed.
pub(super) fn projects(world: &World) -> Vec<Project> {
    let sources: [(&str, &Path); 5] = [
        ("flask", projects::flask()),
        ("rxjs", projects::rxjs()),
        ("aho-corasick", projects_small::aho_corasick()),
        ("go-cmp", projects_small::go_cmp()),
        ("zstd", projects_native::zstd()),
    ];
    sources.map(|(name, source)| Project::new(world, name, source)).into_iter().collect()
}

impl Project {
    /// Copies a project to a folder that no other repository's rules apply to.
    fn new(world: &World, name: &'static str, source: &Path) -> Self {
        let root = world.path(name);
        copy_folder(source, &root);
        fs::create_dir_all(root.join(".git")).expect("a folder can be made");
        let tree = Tree::existing(&root);
        let mcp = world.mcp(&tree);
        Self { name, tree, mcp }
    }

    /// Repeats the call until the index and everything derived from it exist, however slow the machine is.
    pub(super) fn ask(&mut self, tool: &str, args: &Value) -> Answer {
        let since = Instant::now();
        loop {
            let answer = self.mcp.call(tool, args.clone());
            let is_early = answer.envelope["error"]["code"] == "MAP_NOT_BUILT"
                || answer.warnings().contains("still being derived");
            if !is_early || since.elapsed() > FOREVER {
                return answer;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Makes the daemon extract everything again.
    pub(super) fn rebuild(&mut self) {
        let _ = self.ask("map_rebuild", &json!({})).ok();
    }
}
