//! Describes the language servers that hob knows, one file for each language family: their programs, installation and
//! behaviour.
//!
//! The figures and peculiarities were measured with the versions named in each file. A server that nobody has measured
//! has the values of [`ServerSpec::cautious_defaults`].

mod c;
mod c_index;
mod data;
mod dotnet;
mod functional;
mod go;
mod javascript;
mod jvm;
mod native;
mod php;
mod python;
mod ruby;
mod rust;
mod science;
mod shell;

use std::sync::{Arc, LazyLock};

use crate::spec::ServerSpec;

/// Every server, those of one language in order of preference.
static ALL: LazyLock<Vec<Arc<ServerSpec>>> = LazyLock::new(|| {
    let families = [
        python::servers(),
        javascript::servers(),
        c::servers(),
        rust::servers(),
        go::servers(),
        shell::servers(),
        jvm::servers(),
        dotnet::servers(),
        ruby::servers(),
        php::servers(),
        functional::servers(),
        native::servers(),
        science::servers(),
        data::servers(),
    ];
    families.into_iter().flatten().map(Arc::new).collect()
});

/// Returns every server that hob knows, those of one language in order of preference.
#[must_use]
pub fn all_specs() -> &'static [Arc<ServerSpec>] {
    &ALL
}

/// Returns the servers for a file, the preferred one first.
pub fn for_file(file_name: &str) -> impl Iterator<Item = &'static Arc<ServerSpec>> {
    all_specs().iter().filter(move |spec| spec.language_of(file_name).is_some())
}

/// Returns the server of this name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static Arc<ServerSpec>> {
    all_specs().iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hob_base::AbsPath;
    use serde_json::Value;

    use super::*;
    use crate::spec::ServerCircumstances;

    #[test]
    fn the_table_is_sound() {
        let names: BTreeSet<&str> = all_specs().iter().map(|spec| spec.name).collect();
        assert_eq!(names.len(), all_specs().len(), "each name once");
        for spec in all_specs() {
            let name = spec.name;
            assert!(
                !spec.files.is_empty() && !spec.commands.is_empty() && !spec.install_hint.is_empty(),
                "{name}"
            );
            assert!(spec.commands.iter().all(|command| !command.is_empty()), "{name}");
            assert!(spec.clean_exit_codes.contains(&0), "{name}");
            for trusted in [true, false] {
                let root = &AbsPath::new(std::env::temp_dir()).expect("absolute");
                let circumstances = ServerCircumstances { trusted, root, keep: None, ask: &|_, _| None };
                for value in [(spec.options)(&circumstances), (spec.settings)(&circumstances)] {
                    assert!(matches!(value, Value::Null | Value::Object(_)), "{name}");
                }
            }
        }
    }

    #[test]
    fn files_find_their_servers() {
        let first = |file: &str| for_file(file).next().map(|spec| spec.name);
        assert_eq!(first("a.py"), Some("pyright"));
        assert_eq!(first("b.test.tsx"), Some("typescript"));
        assert_eq!(first("CMakeLists.txt"), None);
        assert_eq!(first("x.rs"), Some("rust-analyzer"));
        assert_eq!((first("Gemfile"), first("a/b.rb")), (Some("ruby-lsp"), Some("ruby-lsp")));
        assert_eq!(
            (first("a.json"), first("a.R")),
            (Some("vscode-json-language-server"), Some("r-languageserver"))
        );
        let language = |file: &str| for_file(file).next().and_then(|spec| spec.language_of(file));
        assert_eq!((language("a.tsx"), language("a.h")), (Some("typescriptreact"), Some("c")));
    }
}
