//! Lists the programs and files of a project that may run once it is trusted.
//!
//! The list is for the person who decides: the daemon decides by itself what runs (`hob servers why LANGUAGE`). Only
//! names are checked, and only in the folder itself, so a short list is no promise.

use std::path::Path;

/// A program or file that a project may have, and what a language server does with it in a trusted project.
struct Known {
    /// The path, relative to the project.
    path: &'static str,
    effect: &'static str,
}

const KNOWN: &[Known] = &[
    Known { path: ".hob.toml", effect: "hob obeys it: it may name programs to run as language servers" },
    Known { path: "node_modules/.bin", effect: "its programs may be run as language servers" },
    Known { path: "node_modules", effect: "plug-ins of TypeScript and of frameworks in it may be run" },
    Known { path: ".venv/bin", effect: "its programs and its Python may be run" },
    Known { path: "venv/bin", effect: "its programs and its Python may be run" },
    Known {
        path: "Cargo.toml",
        effect: "rust-analyzer may run build scripts and procedural macros, its own and those of its crates",
    },
    Known { path: ".cargo/config.toml", effect: "cargo obeys it: it may name programs to run" },
    Known { path: "rust-project.json", effect: "rust-analyzer obeys it: it may name programs to run" },
    Known { path: "go.mod", effect: "gopls may run go, with what go.mod names as toolchain" },
    Known { path: "pom.xml", effect: "Java's server may run Maven with its plug-ins" },
    Known { path: "build.gradle", effect: "Java's and Kotlin's servers may run this build script" },
    Known { path: "build.gradle.kts", effect: "Java's and Kotlin's servers may run this build script" },
    Known { path: "build.sbt", effect: "Scala's server may run this build" },
    Known { path: "mix.exs", effect: "Elixir's server may run it" },
    Known { path: "Package.swift", effect: "Swift's server may run it" },
    Known { path: "Gemfile", effect: "Ruby's servers may run it" },
    Known { path: "composer.json", effect: "PHP's servers may load what it names" },
];

/// Returns a line for each such thing that is there.
pub(super) fn brought_along(folder: &Path) -> Vec<String> {
    let there = KNOWN.iter().filter(|known| folder.join(known.path).symlink_metadata().is_ok());
    there.map(|known| format!("{}: {}", known.path, known.effect)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(brought_along(folder.path()), Vec::<String>::new());
        std::fs::create_dir_all(folder.path().join(".venv/bin")).expect("made");
        std::fs::write(folder.path().join("Cargo.toml"), "").expect("written");
        let lines = brought_along(folder.path());
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with(".venv/bin: ") && lines[1].contains("build scripts"), "{lines:?}");
    }
}
