//! Published real projects, about which real language servers are asked: Python and TypeScript.
//!
//! Each is below this repository, whose rules must not apply to it, so tests copy it into their own world.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::outside::{fetch_npm, fetch_sdist, prepared};

const FLASK: &str = "flask==3.1.3";
const RXJS: &str = "rxjs@7.8.2";

/// The pin of [`click`].
pub const CLICK: &str = "click==8.3.1";

/// The pin of [`zod`].
pub const ZOD: &str = "zod@4.1.5";

/// Returns the source distribution of flask: 83 Python files, some with text that is not ASCII.
pub fn flask() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        prepared("flask", FLASK, |folder| fetch_sdist(FLASK, &folder.join("tree"))).join("tree")
    })
}

/// Returns the TypeScript sources of rxjs, 251 files, with a `tsconfig.json` written for the tests, because the
/// package's own one names folders that are not published.
pub fn rxjs() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| prepared("rxjs", RXJS, |folder| fetch_source(RXJS, folder, RXJS_CONFIG)).join("tree"))
}

/// Returns the source distribution of click, including its tests.
pub fn click() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        prepared("click", CLICK, |folder| fetch_sdist(CLICK, &folder.join("tree"))).join("tree")
    })
}

/// Returns the TypeScript sources of zod, including its tests, with a `tsconfig.json` written for the tests, because
/// none is published.
pub fn zod() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| prepared("zod", ZOD, |folder| fetch_source(ZOD, folder, ZOD_CONFIG)).join("tree"))
}

/// Fetches the `src` of a package of npm, and writes this `tsconfig.json`.
fn fetch_source(pin: &str, folder: &Path, config: &str) {
    fetch_npm(pin, folder);
    let tree = folder.join("tree");
    fs::create_dir(&tree).expect("a folder can be made");
    fs::rename(folder.join("package/src"), tree.join("src")).expect("the package has its source");
    fs::write(tree.join("tsconfig.json"), config).expect("it can be written");
}

const ZOD_CONFIG: &str = r#"{
  "compilerOptions": {
    "strict": true, "noEmit": true, "target": "es2020", "module": "esnext", "moduleResolution": "bundler",
    "lib": ["es2022", "dom"], "types": [], "paths": {"zod": ["./src/index.ts"], "zod/*": ["./src/*"]}
  },
  "include": ["src/**/*.ts"]
}
"#;

const RXJS_CONFIG: &str = r#"{
  "compilerOptions": {
    "strict": true, "noEmit": true, "target": "es2020", "module": "es2015", "moduleResolution": "bundler",
    "lib": ["es2020", "dom"], "types": []
  },
  "include": ["src/**/*.ts"]
}
"#;
