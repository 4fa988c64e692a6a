//! Makes the documents of a file for the ranked index: one for itself, and one for each of its definitions.
//!
//! The text of a definition is its own: the text of a definition inside it belongs to that one. So every line is
//! counted once however deep the code is nested; but a class also has the names and documentation of its members. The
//! document of the file has the text outside of all definitions, beginning with its leading comment; a file that is not
//! mapped has its whole text, up to a limit.

use std::borrow::Cow;

use hob_base::{ContentHash, WsPath};
use hob_map::FileFacts;
use hob_map::facts::{Def, DefFlags, DefKind};
use hob_text::ranked::{DocKind, Prior, RankedDoc, cut_to_bytes};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash as _, Hasher as _};

/// Most bytes of a definition's own text, and of a file's.
const OWN_MAX: usize = 16 << 10;
const FILE_MAX: usize = 64 << 10;

/// Number of bytes at a file's beginning that count as its text about itself.
const LEAD: usize = 400;

/// A file to be indexed.
pub(super) struct RankedSource<'s> {
    pub(super) path: &'s WsPath,
    /// `None` for files that are not mapped.
    pub(super) facts: Option<&'s FileFacts>,
    pub(super) bytes: &'s [u8],
}

/// Returns the number by which the ranked index knows a file: the same in every run.
#[must_use]
pub fn number_of(path: &WsPath) -> u64 {
    first_bytes(&ContentHash::of(path.as_str().as_bytes()))
}

/// Returns a number for the state from which a file's documents were made. Places of definitions are part of it,
/// because documents point to them by their place: the same bytes may have been mapped in another way.
pub(super) fn version_of(contents: &ContentHash, facts: Option<&FileFacts>) -> u64 {
    let mut hasher = FxHasher::default();
    for def in facts.into_iter().flat_map(|facts| facts.defs.iter()) {
        (def.kind as u8, def.bytes, def.lines, def.ordinal).hash(&mut hasher);
    }
    first_bytes(contents) ^ hasher.finish()
}

fn first_bytes(hash: &ContentHash) -> u64 {
    u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

/// Returns the kind of document that a definition makes in the ranked index.
#[must_use]
pub fn kind_of(kind: DefKind) -> DocKind {
    match kind {
        DefKind::Section => DocKind::Section,
        DefKind::Note => DocKind::Note,
        _ => DocKind::Symbol,
    }
}

/// Hands every document of a file to `each`.
pub(super) fn each_document<E>(
    source: &RankedSource<'_>,
    mut each: impl FnMut(RankedDoc<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let prior = prior_of(source.path);
    let defs: &[Def] = source.facts.map_or(&[], |facts| &facts.defs);
    let holes = inner_ranges(defs);
    let all = (0, u32::try_from(source.bytes.len()).unwrap_or(u32::MAX));
    let body = text_without_holes(source.bytes, all, &holes[0], FILE_MAX);
    let name = source.path.file_name();
    let lead = cut_to_bytes(&body, LEAD);
    each(RankedDoc {
        slot: 0,
        kind: DocKind::File,
        prior,
        name,
        context: source.path.dir(),
        signature: "",
        doc: lead,
        body: &body,
    })?;
    let Some(facts) = source.facts else { return Ok(()) };
    let members = member_texts(facts);
    for ((def, holes), slot) in defs.iter().zip(&holes[1..]).zip(1..) {
        let parent = def.parent.map_or("", |parent| facts.name(facts.def(parent).qualified));
        each(RankedDoc {
            slot,
            kind: kind_of(def.kind),
            prior: prior_of_def(def, prior),
            name: facts.name(def.name),
            context: &format!("{parent} {}", source.path),
            signature: facts.signature(def),
            doc: facts.doc(def),
            body: &match members.get(&slot) {
                None => text_without_holes(source.bytes, def.bytes, holes, OWN_MAX),
                Some(members) => Cow::Owned(format!(
                    "{}{members}",
                    text_without_holes(source.bytes, def.bytes, holes, OWN_MAX)
                )),
            },
        })?;
    }
    Ok(())
}

/// Returns the prior of a definition: that of its file, or less.
fn prior_of_def(def: &Def, of_file: Prior) -> Prior {
    match def.kind {
        _ if def.flags.has(DefFlags::TEST) => Prior::Test,
        DefKind::Variable | DefKind::Constant | DefKind::Field if of_file == Prior::Plain => Prior::Value,
        _ => of_file,
    }
}

/// Collects the names and documentation of the definitions in each definition, by slot: they say what their owner is
/// about.
fn member_texts(facts: &FileFacts) -> FxHashMap<u32, String> {
    let mut members: FxHashMap<u32, String> = FxHashMap::default();
    for def in &facts.defs {
        let Some(parent) = def.parent else { continue };
        let text = members.entry(parent.number() + 1).or_default();
        if text.len() < OWN_MAX {
            text.extend(["\n", facts.name(def.name), " ", facts.doc(def)]);
        }
    }
    members
}

/// Returns the ranges of the definitions directly in the file (first) and in each definition.
fn inner_ranges(defs: &[Def]) -> Vec<Vec<(u32, u32)>> {
    let mut holes = vec![Vec::new(); defs.len() + 1];
    for def in defs {
        let outer = def.parent.map_or(0, |parent| parent.index() + 1);
        if let Some(holes) = holes.get_mut(outer) {
            holes.push(def.bytes);
        }
    }
    holes
}

/// Returns the text of a range without its holes, which are in order, up to `most` bytes.
fn text_without_holes<'b>(
    bytes: &'b [u8],
    range: (u32, u32),
    holes: &[(u32, u32)],
    most: usize,
) -> Cow<'b, str> {
    let piece = |from: u32, to: u32| {
        let from = from as usize;
        let to = (to as usize).min(bytes.len()).min(from.saturating_add(most));
        String::from_utf8_lossy(bytes.get(from..to).unwrap_or_default())
    };
    if holes.is_empty() {
        return piece(range.0, range.1);
    }
    let (mut text, mut at) = (String::new(), range.0);
    for &(from, to) in holes.iter().chain([&(range.1, range.1)]) {
        if text.len() >= most {
            break;
        }
        if from > at {
            text.push_str(&piece(at, from));
            text.push('\n');
        }
        at = at.max(to);
    }
    Cow::Owned(text)
}

/// Folders of tests, and of files that nobody wrote here; endings of data and of prose.
const TEST_FOLDERS: &[&str] = &["tests", "__tests__", "testdata", "fixtures", "spec", "specs", "e2e"];
const DATA_FOLDERS: &[&str] =
    &["locale", "locales", "vendor", "third_party", "node_modules", "dist", "__snapshots__", "generated"];
const DATA_ENDINGS: &[&str] = &[
    ".po", ".pot", ".min.js", ".min.css", ".map", ".svg", ".json", ".geojson", ".lock", ".csv", ".tsv",
    ".snap", ".xml", ".css", ".log", ".sum",
];
const PROSE_ENDINGS: &[&str] = &[".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".html", ".htm"];

fn prior_of(path: &WsPath) -> Prior {
    let path = path.as_str().to_ascii_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let has = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    // `test` alone may as well be the part that others write tests with.
    let is_test_folder = folders == "test" || folders.starts_with("test/") || folders.contains("src/test/");
    let stem = name.split('.').next().unwrap_or(name);
    let is_test_name = stem.starts_with("test_")
        || ["_test", "_spec"].iter().any(|ending| stem.ends_with(ending))
        || ["tests", "conftest"].contains(&stem)
        || name.contains(".test.")
        || name.contains(".spec.");
    if has(DATA_FOLDERS) || ends(DATA_ENDINGS) {
        Prior::Data
    } else if has(TEST_FOLDERS) || is_test_folder || is_test_name {
        Prior::Test
    } else if ends(PROSE_ENDINGS) {
        Prior::Prose
    } else {
        Prior::Plain
    }
}

#[cfg(test)]
mod tests {
    use hob_map::{Lang, extract};

    use super::*;

    fn docs_of(path: &str, text: &str) -> Vec<(String, String, Prior)> {
        let facts = extract(Lang::Python, path, text.as_bytes());
        let path = WsPath::new(path).expect("relative");
        let source = RankedSource { path: &path, facts: Some(&facts), bytes: text.as_bytes() };
        let mut docs = Vec::new();
        let done = each_document(&source, |doc| {
            docs.push((doc.name.to_owned(), doc.body.to_owned(), doc.prior));
            Ok::<(), ()>(())
        });
        assert_eq!(done, Ok(()));
        docs
    }

    #[test]
    fn every_line_belongs_to_one_document() {
        let text = "\"\"\"Lead.\"\"\"\nimport os\nclass A:\n    x = 1\n    def f(self):\n        one()\n    def g(self):\n        two()\nrest()\n";
        let docs = docs_of("a.py", text);
        for word in ["Lead", "import", "one", "two", "rest"] {
            let having = docs.iter().filter(|(_, body, _)| body.contains(word)).count();
            assert_eq!(having, 1, "{word}: {docs:?}");
        }
        assert_eq!(docs[0].0, "a.py");
        assert!(docs[0].1.contains("rest") && docs[0].1.contains("Lead"), "{docs:?}");
    }

    #[test]
    fn paths_say_what_is_a_test() {
        for (path, prior) in [
            ("django/test/client.py", Prior::Plain),
            ("tests/auth/test_a.py", Prior::Test),
            ("src/test/java/A.java", Prior::Test),
            ("src/a.spec.ts", Prior::Test),
            ("pkg/a_test.go", Prior::Test),
            ("lib/a_spec.rb", Prior::Test),
            ("lua/a_spec.lua", Prior::Test),
            ("a/locale/de/x.py", Prior::Data),
            ("docs/ref/x.txt", Prior::Prose),
            ("latest/contest.py", Prior::Plain),
        ] {
            assert_eq!(prior_of(&WsPath::new(path).expect("relative")), prior, "{path}");
        }
    }

    #[test]
    fn a_version_tells_other_contents_and_other_places_apart() {
        let (a, b) = ("def f(): pass\n", "def g(): pass\n");
        let facts = |text: &str| extract(Lang::Python, "a.py", text.as_bytes());
        let (one, two) = (ContentHash::of(a.as_bytes()), ContentHash::of(b.as_bytes()));
        assert_ne!(version_of(&one, Some(&facts(a))), version_of(&two, Some(&facts(b))));
        assert_ne!(version_of(&one, Some(&facts(a))), version_of(&one, None));
    }
}
