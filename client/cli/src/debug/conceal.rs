//! Replaces paths and names by hashes, so that users can pass on a bundle that does not reveal their work.
//!
//! A part of a path gets the same hash everywhere, so that a reader can still follow it; each bundle has a new key for
//! the hash, which is not stored, so that nobody can try names. Concealing removes too much rather than too little:
//! every word that looks like a path counts as one, unless all of it belongs to hob or to every system.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, RandomState};

use super::gather::Section;

/// Parts of paths that exist on every system or in every installation of hob.
const COMMON: &[&str] = &[
    "",
    ".",
    "..",
    "~",
    "Applications",
    "Caches",
    "Library",
    "Program Files",
    "Users",
    "bin",
    "cache",
    "config",
    "daemon.lock",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "libexec",
    "local",
    "log",
    "mnt",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "share",
    "start.lock",
    "state",
    "sys",
    "tmp",
    "user",
    "usr",
    "var",
    ".cache",
    ".config",
    ".local",
    "hob",
    "hobd",
    "hob-mcp",
    "hob-lsp",
    "hobd.sock",
    "hobd-stderr.txt",
    "config.toml",
    ".hob.toml",
    ".hobignore",
    ".gitignore",
    "store",
    "workspaces",
    "crashes",
    "trust.json",
    "groups.json",
    "metrics.json",
    "alive.json",
    "self",
    "version",
    "os-release",
];

/// First parts of protocol methods, which have a slash and are no paths; the second part is one word of letters.
const METHODS: &[&str] = &[
    "textDocument",
    "workspace",
    "window",
    "notifications",
    "completionItem",
    "codeAction",
    "client",
    "tools",
];

/// Endings that make a word without a slash the name of a file.
const ENDINGS: &[&str] = &[
    "bash", "c", "cc", "cfg", "cpp", "cs", "css", "dart", "ex", "exs", "go", "gradle", "h", "hcl", "hpp",
    "html", "ini", "java", "js", "json", "jsx", "kt", "lock", "lua", "md", "mod", "php", "proto", "py",
    "pyi", "rb", "rs", "scala", "scm", "sh", "sql", "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml",
    "yaml", "yml",
];

/// Length of the shortest name that is replaced everywhere; a shorter one would match in other words.
const SHORTEST: usize = 3;

/// Replaces names by hashes; see the header.
pub(super) struct Concealer {
    key: RandomState,
    /// Names that are concealed wherever they appear as a word.
    names: BTreeSet<String>,
}

impl Concealer {
    /// Creates a concealer that knows the names in the paths of these sections, of the user and of this machine.
    pub(super) fn for_sections(sections: &[Section]) -> Self {
        let mut concealer = Self { key: RandomState::new(), names: BTreeSet::new() };
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let said = ["USER", "USERNAME", "LOGNAME", "HOSTNAME", "COMPUTERNAME"].map(std::env::var);
        let own = said.into_iter().flatten().chain([host.trim().to_owned()]);
        let own: Vec<String> = own.filter(|name| is_telling(name)).collect();
        concealer.names.extend(own);
        let words = sections.iter().flat_map(|section| words_of(&section.text));
        let paths = words.filter(|word| is_path(word)).flat_map(|word| word.split(['/', '\\', '@']));
        let parts: Vec<String> = paths.filter(|part| is_telling(part)).map(str::to_owned).collect();
        concealer.names.extend(parts);
        concealer
    }

    /// Conceals the names in all sections.
    pub(super) fn conceal_sections(&self, sections: &mut [Section]) {
        for section in sections {
            // Stack frames name source files of hob and of its libraries.
            let has_frames = matches!(section.title, "crashes" | "last words" | "stacks");
            let lines = section.text.split_inclusive('\n');
            let one = |line: &str| match has_frames && is_frame(line) {
                true => line.to_owned(),
                false => self.conceal_line(line),
            };
            section.text = lines.map(one).collect();
        }
    }

    fn conceal_line(&self, line: &str) -> String {
        let mut out = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(start) = rest.find(is_of_word) {
            let (between, from) = rest.split_at(start);
            let end = from.find(|c| !is_of_word(c)).unwrap_or(from.len());
            out.push_str(between);
            out.push_str(&self.conceal_word(&from[..end]));
            rest = &from[end..];
        }
        out.push_str(rest);
        out
    }

    fn conceal_word(&self, word: &str) -> String {
        // A full stop at the end of a sentence is no part of the name.
        let bare = word.trim_end_matches('.');
        let end = &word[bare.len()..];
        if bare.contains('@') && !bare.contains('/') {
            let parts: Vec<String> = bare.split('@').map(|part| self.conceal_word(part)).collect();
            return parts.join("@") + end;
        }
        if !is_path(bare) {
            return if self.names.contains(bare) { self.hashed(bare) + end } else { word.to_owned() };
        }
        let mut out = String::new();
        for part in bare.split_inclusive(['/', '\\']) {
            let name = part.trim_end_matches(['/', '\\']);
            out.push_str(&self.conceal_part(name));
            out.push_str(&part[name.len()..]);
        }
        out + end
    }

    fn conceal_part(&self, part: &str) -> String {
        if COMMON.contains(&part) || part.chars().all(|c| c.is_ascii_digit()) {
            return part.to_owned();
        }
        self.hashed(part)
    }

    /// Hashes a name, but keeps its ending, which shows the language of a file.
    fn hashed(&self, name: &str) -> String {
        let ending =
            name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ENDINGS.contains(ending));
        let hash = format!("n{:08x}", self.key.hash_one(name) >> 32);
        ending.map_or_else(|| hash.clone(), |ending| format!("{hash}.{ending}"))
    }
}

fn is_telling(name: &str) -> bool {
    name.chars().count() >= SHORTEST && !COMMON.contains(&name) && !name.chars().all(|c| c.is_ascii_digit())
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '\\' | '~' | '+' | '@' | '%' | '#')
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c)).map(|word| word.trim_end_matches('.')).filter(|word| !word.is_empty())
}

/// Returns true for a word that looks like a path or the name of a file.
fn is_path(word: &str) -> bool {
    match word.split_once(['/', '\\']) {
        // A lone slash, and a quantity per second, are no paths.
        Some(("" | "." | "..", "") | (_, "s")) => false,
        Some((first, rest)) => !(METHODS.contains(&first) && rest.chars().all(char::is_alphabetic)),
        None => {
            word.rsplit_once('.').is_some_and(|(name, ending)| !name.is_empty() && ENDINGS.contains(&ending))
        }
    }
}

/// Returns true for a line of a backtrace: a number and a name, or a place in the sources of hob or of Rust. A place
/// below a home folder does not count, because it would name its user.
fn is_frame(line: &str) -> bool {
    let line = line.trim_start();
    let is_foreign =
        |word: &str| word.starts_with(['/', '~']) && !word.starts_with("/rustc/") || word.contains('\\');
    if words_of(line).any(is_foreign) {
        return false;
    }
    let number = line.trim_start_matches('#').chars().take_while(char::is_ascii_digit).count();
    line.starts_with("at ") || (number > 0 && (line.starts_with('#') || line[number..].starts_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concealed(texts: &[(&'static str, &str)]) -> Vec<String> {
        let mut sections: Vec<Section> =
            texts.iter().map(|(title, text)| Section { title, text: (*text).to_owned() }).collect();
        Concealer::for_sections(&sections).conceal_sections(&mut sections);
        sections.into_iter().map(|section| section.text).collect()
    }

    #[test]
    fn names_of_paths_are_gone_and_can_be_followed() {
        let log = "INFO opening a workspace root=/home/ann/secret-shop\nWARN `src/cart/pay.py` is larger; pay.py was read. \
                   secret-shop has 3 files, textDocument/didOpen took 2 ms of C:\\Users\\ann\\Ledger by ann@build, client/src/stripe.ts\n";
        let [text] = &concealed(&[("log", log)])[..] else { panic!("one section") };
        for name in ["ann", "secret-shop", "cart", "pay.py", "src", "stripe", "Ledger"] {
            assert!(!text.contains(name), "{name} is in {text}");
        }
        assert!(text.starts_with("INFO opening a workspace root=/home/n"), "{text}");
        assert!(text.contains("textDocument/didOpen took 2 ms"), "{text}");
        let hash = |after: &str| text.split_once(after).expect(after).1.get(..9).map(str::to_owned);
        let shop = text.split_once("/home/").and_then(|(_, rest)| rest.split(['/', '\n']).nth(1));
        assert_eq!(shop.map(str::to_owned), hash("read. "), "one name, one hash: {text}");
        assert!(text.contains(".py` is larger; n") && text.contains(".py was read."), "endings stay: {text}");
    }

    #[test]
    fn the_places_of_hobs_own_code_stay() {
        let report = "hob 0.1.0 panicked: index out of bounds\nat daemon/map/src/a.rs:7:9, in thread x\n\n   3: core::panicking::panic\n             \
                      at /rustc/abc/library/core/src/panicking.rs:80:5\nend of the log:\nroot=/srv/shop\n";
        let [text] = &concealed(&[("crashes", report)])[..] else { panic!("one section") };
        assert!(
            text.contains("at daemon/map/src/a.rs:7:9") && text.contains("at /rustc/abc/library"),
            "{text}"
        );
        assert!(!text.contains("shop"), "{text}");
    }

    #[test]
    fn another_bundle_has_other_hashes() {
        let text = [("log", "/srv/shop")];
        assert_ne!(concealed(&text), concealed(&text));
    }
}
