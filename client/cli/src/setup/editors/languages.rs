//! Lists the names that editors have for the languages that hob serves. A table: a field is empty where an editor has
//! no name.

/// A language, with the editors' names for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Language {
    /// The language's name in hob.
    pub(super) name: &'static str,
    /// True if hob's map knows the language, so that it can answer even without a language server.
    pub(super) mapped: bool,
    /// File types of Vim and Neovim.
    pub(super) vim: &'static [&'static str],
    /// Names in Helix's `languages.toml`.
    pub(super) helix: &'static [&'static str],
    /// Language identifiers of VS Code.
    pub(super) vscode: &'static [&'static str],
    /// Major modes of Emacs.
    pub(super) emacs: &'static [&'static str],
    /// File types of Kakoune.
    pub(super) kakoune: &'static [&'static str],
    /// Names in Zed, each with the language server that Zed has for it.
    pub(super) zed: &'static [(&'static str, &'static str)],
}

const NONE: Language = Language {
    name: "",
    mapped: false,
    vim: &[],
    helix: &[],
    vscode: &[],
    emacs: &[],
    kakoune: &[],
    zed: &[],
};

/// Makes a language for which all editors have the same name.
const fn one_word(name: &'static str, word: &'static [&'static str]) -> Language {
    Language { name, vim: word, helix: word, vscode: word, kakoune: word, ..NONE }
}

/// Every language that can be named; those that the map knows come first.
pub(super) const LANGUAGES: &[Language] = &[
    Language {
        mapped: true,
        emacs: &["python-mode", "python-ts-mode"],
        zed: &[("Python", "basedpyright")],
        ..one_word("python", &["python"])
    },
    Language {
        mapped: true,
        emacs: &["typescript-mode", "typescript-ts-mode", "tsx-ts-mode"],
        helix: &["typescript", "tsx"],
        kakoune: &["typescript"],
        zed: &[("TypeScript", "vtsls"), ("TSX", "vtsls")],
        ..one_word("typescript", &["typescript", "typescriptreact"])
    },
    Language {
        mapped: true,
        emacs: &["js-mode", "js2-mode", "js-ts-mode"],
        helix: &["javascript", "jsx"],
        kakoune: &["javascript"],
        zed: &[("JavaScript", "vtsls")],
        ..one_word("javascript", &["javascript", "javascriptreact"])
    },
    Language {
        mapped: true,
        emacs: &["rust-mode", "rust-ts-mode"],
        zed: &[("Rust", "rust-analyzer")],
        ..one_word("rust", &["rust"])
    },
    Language {
        mapped: true,
        emacs: &["go-mode", "go-ts-mode"],
        zed: &[("Go", "gopls")],
        ..one_word("go", &["go"])
    },
    Language { mapped: true, emacs: &["java-mode", "java-ts-mode"], ..one_word("java", &["java"]) },
    Language {
        mapped: true,
        emacs: &["c-mode", "c-ts-mode"],
        zed: &[("C", "clangd")],
        ..one_word("c", &["c"])
    },
    Language {
        mapped: true,
        emacs: &["c++-mode", "c++-ts-mode"],
        zed: &[("C++", "clangd")],
        ..one_word("cpp", &["cpp"])
    },
    Language {
        mapped: true,
        vim: &["cs"],
        helix: &["c-sharp"],
        emacs: &["csharp-mode", "csharp-ts-mode"],
        ..one_word("csharp", &["csharp"])
    },
    Language { mapped: true, emacs: &["ruby-mode", "ruby-ts-mode"], ..one_word("ruby", &["ruby"]) },
    Language { mapped: true, emacs: &["php-mode", "php-ts-mode"], ..one_word("php", &["php"]) },
    Language { mapped: true, emacs: &["kotlin-mode", "kotlin-ts-mode"], ..one_word("kotlin", &["kotlin"]) },
    Language { mapped: true, emacs: &["swift-mode", "swift-ts-mode"], ..one_word("swift", &["swift"]) },
    Language { mapped: true, emacs: &["scala-mode", "scala-ts-mode"], ..one_word("scala", &["scala"]) },
    Language { mapped: true, emacs: &["lua-mode", "lua-ts-mode"], ..one_word("lua", &["lua"]) },
    Language {
        mapped: true,
        vim: &["sh", "bash"],
        helix: &["bash"],
        vscode: &["shellscript"],
        emacs: &["sh-mode", "bash-ts-mode"],
        ..one_word("bash", &["sh"])
    },
    Language { mapped: true, emacs: &["css-mode", "css-ts-mode"], ..one_word("css", &["css"]) },
    Language { mapped: true, emacs: &["elixir-mode", "elixir-ts-mode"], ..one_word("elixir", &["elixir"]) },
    Language { mapped: true, emacs: &["dart-mode"], ..one_word("dart", &["dart"]) },
    Language { emacs: &["haskell-mode"], ..one_word("haskell", &["haskell"]) },
    Language { emacs: &["html-mode", "html-ts-mode"], ..one_word("html", &["html"]) },
    Language { emacs: &["json-ts-mode"], ..one_word("json", &["json"]) },
    Language { emacs: &["tuareg-mode", "caml-mode"], ..one_word("ocaml", &["ocaml"]) },
    Language { emacs: &["ess-r-mode"], ..one_word("r", &["r"]) },
    Language {
        mapped: true,
        helix: &["hcl"],
        emacs: &["terraform-mode"],
        ..one_word("terraform", &["terraform"])
    },
    Language { emacs: &["yaml-mode", "yaml-ts-mode"], ..one_word("yaml", &["yaml"]) },
    Language { emacs: &["zig-mode"], ..one_word("zig", &["zig"]) },
];

/// Returns the named languages; those of the map if none is named.
///
/// # Errors
/// The fault of a name, with the list of known ones.
pub(super) fn chosen_languages(names: &[String]) -> Result<Vec<Language>, String> {
    if names.is_empty() {
        return Ok(LANGUAGES.iter().filter(|language| language.mapped).copied().collect());
    }
    let known = |name: &String| {
        let found = LANGUAGES.iter().find(|language| language.name == name.as_str()).copied();
        let all: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
        found.ok_or_else(|| format!("no language `{name}`; there are {}", all.join(", ")))
    };
    names.iter().map(known).collect()
}
