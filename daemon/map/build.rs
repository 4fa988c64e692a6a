//! Compiles hob's two files of C: memory for parsers that has an end (`src/bounded/bounded.c`), and the list of a syntax tree's nodes
//! (`src/syntax/nodes.c`). Gives the crate a digest of its own sources and of those of hob-base, by which it knows whether saved edges
//! are of the same code.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() {
    let mut files = Vec::new();
    for folder in ["src", "../base/src"] {
        println!("cargo:rerun-if-changed={folder}");
        list_sources(Path::new(folder), &mut files).expect("the sources can be read");
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.components().for_each(|part| part.as_os_str().to_string_lossy().hash(&mut hasher));
        fs::read(&file).expect("the sources can be read").hash(&mut hasher);
    }
    println!("cargo:rustc-env=HOB_MAP_SOURCES={:016x}", hasher.finish());
    compile_c();
}

/// Lists the source files below a folder; not what editors put beside them.
fn list_sources(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        let is_source = path.extension().is_some_and(|end| end == "rs" || end == "c" || end == "h");
        if path.is_dir() {
            list_sources(&path, files)?;
        } else if is_source && !is_hidden {
            files.push(path);
        }
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
