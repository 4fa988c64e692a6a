//! Compiles hob's two files of C: memory for parsers that has an end (`src/bounded/bounded.c`), and the list of a syntax tree's nodes
//! (`src/syntax/nodes.c`). Gives the crate a digest of its own sources, by which it knows whether saved edges are of the same code.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=src");
    let mut files = Vec::new();
    list_files(Path::new("src"), &mut files).expect("the crate's sources can be read");
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        // The same sources have the same digest on every system.
        file.components().for_each(|part| part.as_os_str().to_string_lossy().hash(&mut hasher));
        fs::read(&file).expect("the crate's sources can be read").hash(&mut hasher);
    }
    println!("cargo:rustc-env=HOB_MAP_SOURCES={:016x}", hasher.finish());
    compile_c();
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list_files(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn compile_c() {
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
