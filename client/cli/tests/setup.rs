//! Tests `hob setup` for editors: its output, the files that it writes, and those that it leaves alone.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const EDITORS: [&str; 7] = ["neovim", "helix", "vscode", "zed", "emacs", "kakoune", "vim"];

/// A user who has nothing.
struct EditorHome(tempfile::TempDir);

impl EditorHome {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, rest: &str) -> PathBuf {
        self.0.path().join(rest)
    }

    fn setup(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hob"));
        command.arg("setup").args(args).env("HOME", self.0.path()).env_remove("XDG_CONFIG_HOME");
        command.current_dir(self.0.path()).output().expect("hob runs")
    }

    /// Runs a set-up that succeeds, and returns its output.
    fn setup_output(&self, args: &[&str]) -> String {
        let output = self.setup(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    }

    /// Returns the text of the first step.
    fn text(&self, editor: &str) -> String {
        let plan: serde_json::Value =
            serde_json::from_str(&self.setup_output(&[editor, "--editor", "--json"]))
                .expect("one JSON value");
        plan["steps"][0]["text"].as_str().expect("a text").to_owned()
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn by_default_it_prints_and_touches_nothing() {
    for editor in EDITORS {
        let home = EditorHome::new();
        let text = home.setup_output(&[editor, "--editor"]);
        assert!(text.contains("hob-lsp"), "{editor}: {text}");
        assert!(text.contains(&*home.0.path().to_string_lossy()), "{editor} says where: {text}");
        assert_eq!(std::fs::read_dir(home.0.path()).expect("a folder").count(), 0, "{editor}");
    }
}

#[test]
fn a_file_of_its_own_is_written_and_made_anew() {
    for (editor, file) in [
        ("neovim", ".config/nvim/lsp/hob.lua"),
        ("helix", ".config/helix/languages.toml"),
        ("emacs", ".emacs.d/hob-eglot.el"),
        ("kakoune", ".config/kak/hob-lsp.kak"),
        ("vim", ".vim/plugin/hob.vim"),
    ] {
        let home = EditorHome::new();
        assert!(home.setup_output(&[editor, "--write"]).contains("written: "), "{editor}");
        let all = read(&home.path(file));
        assert!(all.contains("hob-lsp") && all.contains("python"), "{editor}: {all}");
        assert!(home.setup_output(&[editor, "--write"]).contains("is as it should be"), "{editor}");
        home.setup_output(&[editor, "--write", "--language", "rust"]);
        let rust = read(&home.path(file));
        assert!(rust.contains("rust") && !rust.contains("python"), "{editor}: {rust}");
    }
}

#[test]
fn a_file_of_the_user_is_never_changed() {
    for (editor, file) in [
        ("neovim", ".config/nvim/init.lua"),
        ("neovim", ".config/nvim/lsp/hob.lua"),
        ("helix", ".config/helix/languages.toml"),
        ("vscode", ".config/Code/User/settings.json"),
        ("zed", ".config/zed/settings.json"),
        ("emacs", ".emacs.d/init.el"),
        ("kakoune", ".config/kak/kakrc"),
        ("vim", ".vim/plugin/hob.vim"),
    ] {
        let home = EditorHome::new();
        let path = home.path(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        std::fs::write(&path, "mine\n").expect("written");
        let text = home.setup_output(&[editor, "--write"]);
        assert_eq!(read(&path), "mine\n", "{editor}");
        assert!(text.contains(file), "{editor} says what to add where: {text}");
    }
}

#[test]
fn what_it_prints_is_what_the_editors_read() {
    let home = EditorHome::new();
    let helix = home.text("helix");
    let table = toml::de::DeTable::parse(&helix).expect("TOML");
    assert_eq!(table.get_ref().len(), 2, "one server table, one list of languages");
    assert!(helix.contains("name = \"c-sharp\"\nlanguage-servers = [\"hob\"]\n"), "{helix}");
    for editor in ["vscode", "zed"] {
        // Zed, and VS Code in its settings, accept a comma at the end.
        let text = home.text(editor);
        let object = format!("{{{}}}", text.trim_end().trim_end_matches(','));
        let settings: serde_json::Value = serde_json::from_str(&object).expect("JSON");
        assert!(settings.as_object().expect("an object").len() == 2, "{editor}: {settings}");
    }
    let emacs = home.text("emacs");
    assert_eq!(emacs.matches('(').count(), emacs.matches(')').count(), "{emacs}");
}

#[test]
fn code_elsewhere_is_in_every_editors_words() {
    let home = EditorHome::new();
    for (editor, words) in [
        ("emacs", r#"hob-lsp" "--ssh" "devbox:/my shop" "--map" ".")"#),
        ("helix", r#"args = ["--ssh", "devbox:/my shop", "--map", "."]"#),
        ("kakoune", r#"args = ["--ssh", "devbox:/my shop", "--map", "."]"#),
        ("neovim", r#"hob-lsp", "--ssh", "devbox:/my shop", "--map", "." },"#),
        ("vim", "'cmd': [s:command, '--ssh', 'devbox:/my shop', '--map', '.']"),
        ("vscode", r#""glspc.server.commandArguments": ["--ssh", "devbox:/my shop", "--map", "."]"#),
        ("zed", r#""arguments": ["--stdio", "--ssh", "devbox:/my shop", "--map", "."]"#),
    ] {
        let said = home.setup_output(&[
            editor,
            "--language",
            "rust",
            "--editor",
            "--ssh",
            "devbox:/my shop",
            "--map",
            ".",
        ]);
        assert!(said.contains(words), "{editor}: {said}");
    }
}

#[test]
fn a_name_that_is_not_known_is_met_with_those_that_are() {
    let home = EditorHome::new();
    for (args, expected) in [
        (&["nevim"][..], "neovim"),
        (&["--language", "rust"], "name the agent or the editor"),
        (&["vim", "--language", "cobol"], "there are python, typescript"),
    ] {
        let output = home.setup(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains(expected), "{args:?}: {told}");
    }
}
