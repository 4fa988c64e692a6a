//! Tests workspaces that a language server does not know completely at first: solutions of TypeScript projects, several
//! Python packages, Go modules, C without a compilation database, Cargo workspaces that exclude a member.
//!
//! The expected answers are known: each name is used once in each place, and nowhere else. Directly after a start, and
//! for many names, every answer must contain all uses or not be complete, and a rename must change all uses or say that
//! it does not.

use std::collections::BTreeSet;
use std::path::PathBuf;

use hob_tests::{Answer, Mcp, Tree, World, debian, outside, projects_native};
use serde_json::{Value, json};

use super::edit::{apply, editor, id};
use super::nav::{path_with, ty_alone};

/// The number of names that each fixture defines and uses.
const NAMES: usize = 50;

/// The files that define and use the names.
struct Layout {
    /// The files that say which projects belong together, as a fixture.
    around: &'static str,
    /// The file that defines the names, and the text that defines one, in which `%` is the name.
    defines: (&'static str, &'static str),
    /// The files that use them: the text above, a line for each name, and the text below.
    uses: &'static [(&'static str, &'static str, &'static str, &'static str)],
}

impl Layout {
    fn fixture(&self) -> String {
        let lines = |line: &str| -> String {
            names().map(|name| format!("{}\n", line.replace('%', &name))).collect()
        };
        let (file, line) = self.defines;
        let mut fixture = format!("{}//- /{file}\n{}", self.around, lines(line));
        for (file, above, line, below) in self.uses {
            let all = names().collect::<Vec<_>>().join(", ");
            fixture.push_str(&format!("//- /{file}\n{}{}{below}", above.replace('%', &all), lines(line)));
        }
        fixture
    }

    /// Returns the first place of a name in the file that defines it.
    fn place(&self, tree: &Tree, name: &str) -> Value {
        let (file, line) = self.defines;
        let text = tree.read(file);
        let written = line.replace('%', name);
        let number = text.lines().position(|line| line == written).expect("it is defined");
        json!({"file": file, "line": number + 1, "col": line.find('%').expect("a name") + 1, "tokenBudget": 10_000})
    }

    /// Returns the lines that use a name.
    fn truth(&self, tree: &Tree, name: &str) -> BTreeSet<String> {
        let mut truth = BTreeSet::new();
        for (file, _, line, _) in self.uses {
            let written = line.replace('%', name);
            let text = tree.read(file);
            let number = text.lines().position(|line| line == written).expect("it is used");
            truth.insert(format!("{file}:{}", number + 1));
        }
        truth
    }

    /// Asks about every name, and returns the number of complete answers.
    #[track_caller]
    fn ask_about_all(&self, tree: &Tree, mcp: &mut Mcp) -> usize {
        let mut complete = 0;
        for name in names() {
            let found = mcp.call("nav_references", self.place(tree, &name));
            complete += usize::from(self.is_whole(tree, &name, &found));
        }
        complete
    }

    /// Returns true if the answer is complete. Checks in any case that it has all uses.
    #[track_caller]
    fn is_whole(&self, tree: &Tree, name: &str, found: &Answer) -> bool {
        let said: BTreeSet<String> = found.list("/locations").iter().map(line_of).collect();
        let truth = self.truth(tree, name);
        let missing: Vec<&String> = truth.difference(&said).collect();
        let complete = found.ok()["completeness"] == "complete";
        assert!(missing.is_empty(), "`{name}` is used at {missing:?}, too: {found}");
        assert!(complete || !found.warnings().is_empty(), "it is said why it is not: {found}");
        complete
    }
}

/// Returns the names, none of which is a part of another.
fn names() -> impl Iterator<Item = String> {
    let letter = |at: usize| char::from(b'a' + u8::try_from(at).expect("few"));
    (0..NAMES).map(move |at| format!("name_{}{}", letter(at / 26), letter(at % 26)))
}

fn line_of(at: &Value) -> String {
    format!("{}:{}", at["file"].as_str().unwrap_or_default(), at["line"])
}

fn world(folders: &[PathBuf]) -> World {
    World::new().env("PATH", path_with(folders))
}

const SOLUTION: Layout = Layout {
    around: r#"
//- /tsconfig.json
{"files": [], "references": [{"path": "./tsconfig.build.json"}, {"path": "./tsconfig.spec.json"}, {"path": "./apps/one"}]}
//- /tsconfig.base.json
{"compilerOptions": {"strict": true, "composite": true, "module": "esnext", "moduleResolution": "bundler", "target": "es2022"}}
//- /tsconfig.build.json
{"extends": "./tsconfig.base.json", "include": ["src"], "exclude": ["src/**/*.test.ts"]} // the library
//- /tsconfig.spec.json
{"extends": "./tsconfig.base.json", "include": ["src/**/*.test.ts", "test"], "references": [{"path": "./tsconfig.build.json"}]}
//- /apps/one/tsconfig.json
{"extends": "../../tsconfig.base.json", "references": [{"path": "../../tsconfig.build.json"}]}
"#,
    defines: ("src/lib.ts", "export function %() { return 1; }"),
    uses: &[
        ("src/inner.ts", "import { % } from './lib';\n", "%();", ""),
        ("src/lib.test.ts", "import { % } from './lib';\n", "%();", ""),
        ("test/deep.ts", "import { % } from '../src/lib';\n", "%();", ""),
        ("apps/one/main.ts", "import { % } from '../../src/lib';\n", "%();", ""),
        ("loose/scratch.ts", "import { % } from '../src/lib';\n", "%();", ""),
    ],
};

/// The map does not know the uses of members, so these show if the projects were loaded.
const MEMBERS: &str = r#"
//- /tsconfig.json
{"files": [], "references": [{"path": "./tsconfig.build.json"}, {"path": "./tsconfig.spec.json"}]}
//- /tsconfig.build.json
{"compilerOptions": {"composite": true}, "include": ["src"], "exclude": ["src/**/*.test.ts"]}
//- /tsconfig.spec.json
{"compilerOptions": {"composite": true}, "include": ["src/**/*.test.ts"], "references": [{"path": "./tsconfig.build.json"}]}
//- /src/app.ts
export class App { request() { return [{ status: 200 }]; } }
export const make = () => [new App()];
//- /src/app.test.ts
import { make } from './app';
for (const each of make()) { const [first] = [each]; first.request(); }
"#;

#[test]
fn every_project_of_a_solution_is_asked() {
    let world = world(outside::servers());
    let tree = world.tree(&SOLUTION.fixture());
    let mut mcp = editor(&world, &tree);
    assert_eq!(SOLUTION.ask_about_all(&tree, &mut mcp), NAMES, "all are complete");
    let callers = mcp.call("nav_callHierarchy", SOLUTION.place(&tree, "name_ab"));
    assert_eq!(
        (callers.list("/calls").len(), &callers.ok()["completeness"]),
        (5, &json!("complete")),
        "{callers}"
    );
}

#[test]
fn the_first_question_after_a_start_may_be_a_rename() {
    let world = world(outside::servers());
    let tree = world.tree(&SOLUTION.fixture());
    let mut mcp = editor(&world, &tree);
    let mut args = SOLUTION.place(&tree, "name_ac");
    args["newName"] = json!("renamed");
    let preview = mcp.call("edit_rename", args);
    assert_eq!(preview.ok()["details"], json!({"completeness": "complete"}), "{preview}");
    let _ = apply(&mut mcp, &id(&preview)).ok();
    for (file, ..) in SOLUTION.uses {
        let text = tree.read(file);
        assert!(text.contains("renamed();") && !text.contains("name_ac"), "{file}: {text}");
    }
}

#[test]
fn uses_that_the_map_does_not_know_are_found_in_every_project() {
    let world = world(outside::servers());
    let tree = world.tree(MEMBERS);
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("nav_references", json!({"file": "src/app.ts", "line": 1, "col": 20}));
    let lines: Vec<String> = found.list("/locations").iter().map(line_of).collect();
    assert_eq!(
        (lines, &found.ok()["completeness"]),
        (vec!["src/app.test.ts:2".to_owned()], &json!("complete")),
        "{found}"
    );
}

#[test]
fn an_older_server_knows_every_project_of_a_solution_too() {
    let world = world(outside::older_typescript());
    let tree = world.tree(&SOLUTION.fixture());
    let _ = world.hob(tree.root(), &["trust", "--yes"]).success();
    let mut mcp = world.mcp(&tree);
    let _ = SOLUTION.ask_about_all(&tree, &mut mcp);
}

const PACKAGES: Layout = Layout {
    around: "
//- /packages/core/pyproject.toml
[project]
name = \"core\"
version = \"1\"
//- /packages/core/src/core/__init__.py
//- /packages/web/pyproject.toml
[project]
name = \"web\"
version = \"1\"
dependencies = [\"core\"]
//- /packages/web/src/web/__init__.py
",
    defines: ("packages/core/src/core/lib.py", "def %(): return 1"),
    uses: &[
        ("packages/core/src/core/inner.py", "from .lib import %\n", "%()", ""),
        ("packages/core/tests/test_lib.py", "from core.lib import %\n", "%()", ""),
        ("packages/web/src/web/main.py", "from core.lib import %\n", "%()", ""),
    ],
};

#[test]
fn python_packages_side_by_side() {
    for folders in [outside::servers().to_vec(), ty_alone()] {
        let world = world(&folders);
        let tree = world.tree(&PACKAGES.fixture());
        let mut mcp = world.mcp(&tree);
        let _ = PACKAGES.ask_about_all(&tree, &mut mcp);
    }
}

const MODULES: Layout = Layout {
    around: "
//- /lib/go.mod
module example.org/lib

go 1.19
//- /app/go.mod
module example.org/app

go 1.19

require example.org/lib v0.0.0

replace example.org/lib => ../lib
",
    defines: ("lib/lib.go", "func N%() int { return 1 }"),
    uses: &[
        ("lib/inner.go", "package lib\n\nfunc inner() {\n", "\tN%()", "}\n"),
        ("app/main.go", "package main\n\nimport \"example.org/lib\"\n\nfunc main() {\n", "\tlib.N%()", "}\n"),
    ],
};

#[test]
fn go_modules_side_by_side() {
    let world = world(&[debian::servers().to_path_buf()]);
    let fixture = MODULES.fixture().replace("//- /lib/lib.go\n", "//- /lib/lib.go\npackage lib\n\n");
    let tree = world.tree(&fixture);
    let mut mcp = world.mcp(&tree);
    let _ = MODULES.ask_about_all(&tree, &mut mcp);
}

const NO_DATABASE: Layout = Layout {
    around: "",
    defines: ("lib.h", "int %(void);"),
    uses: &[
        ("one.c", "#include \"lib.h\"\nint one(void) {\n", "    %();", "    return 0;\n}\n"),
        ("two.c", "#include \"lib.h\"\nint two(void) {\n", "    %();", "    return 0;\n}\n"),
        ("deep/three.c", "#include \"../lib.h\"\nint three(void) {\n", "    %();", "    return 0;\n}\n"),
    ],
};

#[test]
fn c_without_a_compilation_database() {
    let world = world(outside::servers());
    let tree = world.tree(&NO_DATABASE.fixture());
    let mut mcp = world.mcp(&tree);
    let _ = NO_DATABASE.ask_about_all(&tree, &mut mcp);
}

const EXCLUDED: Layout = Layout {
    around: "
//- /Cargo.toml
[workspace]
members = [\"core\"]
exclude = [\"tool\"]
resolver = \"2\"
//- /core/Cargo.toml
[package]
name = \"core-lib\"
version = \"0.1.0\"
edition = \"2021\"
//- /tool/Cargo.toml
[package]
name = \"tool\"
version = \"0.1.0\"
edition = \"2021\"

[dependencies]
core-lib = { path = \"../core\" }
",
    defines: ("core/src/lib.rs", "pub fn %() -> u8 { 1 }"),
    uses: &[
        ("core/src/bin/inner.rs", "use core_lib::{%};\n\nfn main() {\n", "    %();", "}\n"),
        ("tool/src/main.rs", "use core_lib::{%};\n\nfn main() {\n", "    %();", "}\n"),
    ],
};

#[test]
fn a_member_that_a_cargo_workspace_leaves_out() {
    let mut world = world(projects_native::native_path());
    for (name, value) in projects_native::rust_environment() {
        world = world.env(name, value);
    }
    let tree = world.tree(&EXCLUDED.fixture());
    let mut mcp = world.mcp(&tree);
    let _ = EXCLUDED.ask_about_all(&tree, &mut mcp);
}
