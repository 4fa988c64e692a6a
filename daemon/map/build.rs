//! Compiles the one file of C that hob has: memory for parsers that has an end (`src/bounded/bounded.c`).

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=src/bounded/bounded.c");
    let mut build = cc::Build::new();
    // tree-sitter says where its own header is, to whoever depends on it.
    if let Some(headers) = std::env::var_os("DEP_TREE_SITTER_INCLUDE") {
        build.include(PathBuf::from(headers));
    }
    build.std("c11").file("src/bounded/bounded.c").compile("hob-bounded");
}
