//! Compiles hob's two files of C: memory for parsers that has an end (`src/bounded/bounded.c`), and the list of a syntax tree's nodes
//! (`src/syntax/nodes.c`).

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=src/bounded/bounded.c");
    println!("cargo:rerun-if-changed=src/syntax/nodes.c");
    let mut build = cc::Build::new();
    // tree-sitter says where its own header is, to whoever depends on it. Its private headers lie beside that folder.
    if let Some(headers) = std::env::var_os("DEP_TREE_SITTER_INCLUDE").map(PathBuf::from) {
        build.include(headers.with_file_name("src")).include(headers);
    }
    build
        .std("c11")
        .warnings(false)
        .file("src/bounded/bounded.c")
        .file("src/syntax/nodes.c")
        .compile("hob-trees");
}
