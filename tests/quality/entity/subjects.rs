//! Reads the subjects and their right answers from `subjects/`, which has one file for each project.
//!
//! A line has a class, the words, and their meaning: `path#Name` for a symbol or a section, a path for a file, a path
//! that ends with `/` for a folder, `pkg:` and so on for a package. If several are named, any of them is right, except
//! for ambiguous names, for which all of them must be among the candidates. The declaration and the definition of a C
//! function are the same thing, and so are definitions with one name in one place (`~2`).

use hob_tests::Tree;

const FILES: [(&str, &str); 5] = [
    ("flask", include_str!("subjects/flask.txt")),
    ("rxjs", include_str!("subjects/rxjs.txt")),
    ("aho-corasick", include_str!("subjects/aho-corasick.txt")),
    ("go-cmp", include_str!("subjects/go-cmp.txt")),
    ("zstd", include_str!("subjects/zstd.txt")),
];

/// The classes in the order in which figures are shown.
pub(super) const CLASSES: [Class; 6] =
    [Class::Exact, Class::Partial, Class::Paraphrase, Class::Misspelling, Class::Ambiguous, Class::Absent];

/// The way in which a subject names an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// By its exact name.
    Exact,
    /// By a part of its name.
    Partial,
    /// By what the entity does.
    Paraphrase,
    /// With one letter missing, doubled, swapped or replaced. A program drew them once from names that only one entity
    /// has.
    Misspelling,
    /// By a name that several entities have.
    Ambiguous,
    /// No such entity exists.
    Absent,
}

impl Class {
    /// Returns the name that the files use.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Partial => "partial",
            Self::Paraphrase => "paraphrase",
            Self::Misspelling => "misspelling",
            Self::Ambiguous => "ambiguous",
            Self::Absent => "absent",
        }
    }
}

/// Words that name something.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The way in which the subject names the entity.
    pub(super) class: Class,
    /// The words of the subject.
    pub(super) text: &'static str,
    /// The labels of the entities that the words mean.
    pub(super) labels: Vec<&'static str>,
}

impl Subject {
    /// Returns true if `id` is what the words mean.
    pub(super) fn is_meant(&self, id: &str) -> bool {
        let id = place(id);
        self.labels.iter().any(|label| label.trim_end_matches('/') == id)
    }

    /// Returns true if `ids` contains everything that the words may mean.
    pub(super) fn are_all_in(&self, ids: &[String]) -> bool {
        let places: Vec<String> = ids.iter().map(|id| place(id)).collect();
        self.labels.iter().all(|label| places.iter().any(|place| label.trim_end_matches('/') == place))
    }

    /// Returns true if the subject serves to fit confidences. The other half evaluates them. Only the words decide
    /// this, so a new subject does not change any other.
    pub(super) fn is_for_fitting(&self) -> bool {
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let hash = self.text.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
        (hash ^ (hash >> 32)).count_ones() % 2 == 0
    }

    /// Returns the labels of symbols and sections as node IDs.
    pub(super) fn nodes(&self) -> impl Iterator<Item = String> {
        let symbols = self.labels.iter().filter(|label| label.contains('#'));
        symbols.map(|label| {
            let file = label.split('#').next().unwrap_or_default();
            let language = match file.rsplit('.').next() {
                Some("h") => "c",
                ending => ending.unwrap_or_default(),
            };
            format!("{language}:{label}")
        })
    }

    /// Returns the labels of files and folders that do not exist.
    pub(super) fn missing<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = &'static str> + 'a {
        let paths = self.labels.iter().copied();
        let paths = paths.filter(|label| !label.contains('#') && !label.starts_with("pkg:"));
        paths.filter(|path| match path.strip_suffix('/') {
            Some(folder) => !tree.at(folder).is_dir(),
            None => !tree.at(path).is_file(),
        })
    }
}

/// Converts an ID to the form of labels: without the language, the version, and the number among definitions with the
/// same name.
fn place(id: &str) -> String {
    if id.starts_with("pkg:") {
        return id.split(['@', '?']).next().unwrap_or_default().to_ascii_lowercase();
    }
    let place =
        id.split_once(':').filter(|(language, _)| !language.contains('/')).map_or(id, |(_, rest)| rest);
    match place.rsplit_once('~') {
        Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => name.to_owned(),
        _ => place.trim_end_matches('/').to_owned(),
    }
}

/// Reads the subjects about a project.
pub(super) fn subjects(project: &str) -> Vec<Subject> {
    let text = FILES.iter().find(|(name, _)| *name == project).expect("every project has subjects").1;
    text.lines().filter(|line| !line.starts_with('#')).map(subject).collect()
}

fn subject(line: &'static str) -> Subject {
    let mut fields = line.splitn(3, " |").map(str::trim);
    let class = fields.next().and_then(|name| CLASSES.into_iter().find(|class| class.name() == name));
    let class = class.unwrap_or_else(|| panic!("no class: {line}"));
    let text = fields.next().expect("a subject");
    let labels = fields.next().unwrap_or_default().split(", ").filter(|label| !label.is_empty()).collect();
    Subject { class, text, labels }
}

#[test]
fn an_id_is_compared_by_its_place() {
    for (id, expected) in [
        ("py:src/flask/app.py#Flask.run", "src/flask/app.py#Flask.run"),
        ("rs:src/dfa.rs#DFA.match_kind~2", "src/dfa.rs#DFA.match_kind"),
        ("md:README.md#ignore/Example: advanced", "README.md#ignore/Example: advanced"),
        ("src/flask/json/", "src/flask/json"),
        ("pkg:pypi/Werkzeug@3.1.3", "pkg:pypi/werkzeug"),
    ] {
        assert_eq!(place(id), expected);
    }
}
