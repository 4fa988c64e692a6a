//! Real projects as they were published, for asking real language servers about: Python and TypeScript.
//!
//! Each lies below this repository, whose rules must not decide what is seen of it; tests copy it into their own world.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::outside::{fetch_npm, fetch_sdist, prepared};

const FLASK: &str = "flask==3.1.3";
const RXJS: &str = "rxjs@7.8.2";

/// The source distribution of flask: 83 Python files, some with text that is not ASCII.
pub fn flask() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        prepared("flask", FLASK, |folder| fetch_sdist(FLASK, &folder.join("tree"))).join("tree")
    })
}

/// The TypeScript of rxjs, 251 files, with a `tsconfig.json` of its own: that of the package names folders which are not
/// published.
pub fn rxjs() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| prepared("rxjs", RXJS, fetch_rxjs).join("tree"))
}

fn fetch_rxjs(folder: &Path) {
    fetch_npm(RXJS, folder);
    let tree = folder.join("tree");
    fs::create_dir(&tree).expect("a folder can be made");
    fs::rename(folder.join("package/src"), tree.join("src")).expect("the package has its source");
    fs::write(tree.join("tsconfig.json"), RXJS_CONFIG).expect("it can be written");
}

const RXJS_CONFIG: &str = r#"{
  "compilerOptions": {
    "strict": true, "noEmit": true, "target": "es2020", "module": "es2015", "moduleResolution": "bundler",
    "lib": ["es2020", "dom"], "types": []
  },
  "include": ["src/**/*.ts"]
}
"#;
