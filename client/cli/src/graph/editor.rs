//! Makes links that open a file in an editor, and the command of the user's own editor.
//!
//! A page cannot start a program, but editors register URL schemes with the system. For an `$EDITOR` in a terminal the
//! page copies the command instead.

use std::path::Path;

/// An editor with a URL scheme of its own; `{path}` is absolute and begins with `/`.
pub(super) struct EditorAddress {
    pub(super) name: &'static str,
    /// Programs of this editor that `$EDITOR` may name.
    programs: &'static [&'static str],
    pub(super) address: &'static str,
}

/// The editors, the most used first.
pub(super) const EDITORS: &[EditorAddress] = &[
    EditorAddress {
        name: "VS Code",
        programs: &["code", "code-insiders"],
        address: "vscode://file{path}:{line}",
    },
    EditorAddress { name: "Cursor", programs: &["cursor"], address: "cursor://file{path}:{line}" },
    EditorAddress { name: "Zed", programs: &["zed", "zeditor"], address: "zed://file{path}:{line}" },
    EditorAddress { name: "VSCodium", programs: &["codium"], address: "vscodium://file{path}:{line}" },
    EditorAddress { name: "Windsurf", programs: &["windsurf"], address: "windsurf://file{path}:{line}" },
    EditorAddress {
        name: "JetBrains",
        programs: &["idea", "pycharm", "goland", "rustrover", "webstorm", "clion"],
        address: "idea://open?file={path}&line={line}",
    },
    EditorAddress {
        name: "Sublime Text",
        programs: &["subl"],
        address: "subl://open?url=file://{path}&line={line}",
    },
];

/// The user's choice of an editor.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EditorChoice {
    /// Index of the preferred editor in [`EDITORS`].
    pub(super) preferred: usize,
    /// The command that opens a file at a line, with `{path}` and `{line}`; empty if `$EDITOR` is not set.
    pub(super) command: String,
}

/// Reads `$VISUAL` and `$EDITOR`.
pub(super) fn choice_of_env() -> EditorChoice {
    let set = |name| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    set("VISUAL")
        .or_else(|| set("EDITOR"))
        .map_or_else(EditorChoice::default, |editor| choice_of(editor.trim()))
}

fn choice_of(editor: &str) -> EditorChoice {
    let program = editor.split_whitespace().next().unwrap_or_default();
    let name =
        Path::new(program).file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let preferred = EDITORS.iter().position(|known| known.programs.contains(&name.as_str()));
    let place = match name.as_str() {
        "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "joe" | "gvim" => {
            "+{line} {path}"
        }
        "hx" | "helix" | "zed" | "zeditor" | "subl" => "{path}:{line}",
        "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => "-g {path}:{line}",
        _ => "{path}",
    };
    EditorChoice { preferred: preferred.unwrap_or(0), command: format!("{editor} {place}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_editor_of_the_environment_is_used_as_it_is_meant() {
        let command = |editor: &str| choice_of(editor).command;
        assert_eq!(command("/usr/bin/nvim"), "/usr/bin/nvim +{line} {path}");
        assert_eq!(command("emacsclient -t"), "emacsclient -t +{line} {path}");
        assert_eq!(command("code --wait"), "code --wait -g {path}:{line}");
        assert_eq!(command("ed"), "ed {path}");
        assert_eq!(EDITORS[choice_of("zed").preferred].name, "Zed");
        assert_eq!(EDITORS[choice_of("vim").preferred].name, "VS Code");
    }
}
