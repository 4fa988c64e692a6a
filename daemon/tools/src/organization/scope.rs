//! Reads the scope of a question in the repositories of the code search: `paths`, its older names, and `tests`.
//!
//! A path begins in any repository (`src/api`), or with a repository's name, with or without the mark that answers
//! print before it (`org:github.com/acme/web/src`). The part of the scope that the server understands narrows the
//! question; each file that it sends is tested here nevertheless. Only its path says whether a file is a test, because
//! there is no map of it.

use hob_base::WsPath;
use hob_map::graph::is_test_path;
use hob_org::pattern::translate_path_regex;
use hob_org::query::PathClause;
use hob_org::wire::RepositoryList;
use hob_proto::ToolError;
use hob_proto::tools::scope::ScopeArgs;
use hob_results::errors;
use hob_results::org::{ORG_MARK, OrgScope};
use hob_text::PathSet;
use serde_json::{Map, Value};

/// The files that a question is about.
#[derive(Debug, Default)]
pub(super) struct FileScope {
    /// Paths in any repository.
    anywhere: PathSet,
    taken_in: Vec<RepositorySet>,
    left_out_in: Vec<RepositorySet>,
    tests: Option<bool>,
    taken: Vec<PathClause>,
    left_out: Vec<PathClause>,
}

/// An entry of `paths` that begins with the name of a repository.
#[derive(Clone, Debug)]
pub(super) struct RepositoryPath {
    /// The name of the repository.
    pub(super) repository: String,
    /// The path behind the name; the root for the whole repository, `None` if it can only be a glob.
    pub(super) path: Option<WsPath>,
    /// The text behind the name, if it may be a glob.
    pub(super) glob: Option<String>,
    /// True if it has the mark, and cannot be a path of a project.
    pub(super) is_marked: bool,
}

/// A set of files in one repository.
#[derive(Debug)]
struct RepositorySet {
    repository: String,
    files: PathSet,
    /// True if it is the whole repository.
    is_whole: bool,
    /// True if the server can be told exactly this set, where case counts.
    is_sayable: bool,
}

impl RepositoryPath {
    /// Reads an entry of `paths`; `None` if it does not begin with the name of a repository.
    ///
    /// # Errors
    /// `BAD_ARGS` for [`ORG_MARK`] without a name behind it, and for a path that leads out of the repository.
    pub(super) fn parse(entry: &str, listed: &RepositoryList) -> Result<Option<Self>, ToolError> {
        let unmarked = entry.strip_prefix(ORG_MARK);
        let text = unmarked.unwrap_or(entry).trim_end_matches('/');
        let named = listed.repositories.iter().filter(|repository| {
            let rest = text.strip_prefix(repository.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let Some(longest) = named.max_by_key(|repository| repository.name.len()) else {
            return if unmarked.is_some() { Err(no_such_repository(entry)) } else { Ok(None) };
        };
        let rest = text[longest.name.len()..].trim_start_matches('/');
        let glob = is_glob(rest).then(|| rest.to_owned());
        // A file's name may have brackets, so the path counts as well.
        let path = match (path_in_repository(rest), &glob) {
            (Ok(path), _) => Some(path),
            (Err(_), Some(_)) => None,
            (Err(error), None) => return Err(error),
        };
        Ok(Some(Self { repository: longest.name.clone(), path, glob, is_marked: unmarked.is_some() }))
    }

    /// Returns the path for an argument that takes no globs.
    pub(super) fn without_glob(self) -> Self {
        Self { glob: self.glob.filter(|_| self.path.is_none()), ..self }
    }

    fn to_set(&self, leaves_out: bool) -> Result<RepositorySet, ToolError> {
        let mut files = PathSet::default();
        match &self.path {
            Some(path) if leaves_out => files.leave_within(path.clone()),
            Some(path) => files.take_within(path.clone()),
            None => {}
        }
        if let Some(glob) = &self.glob {
            let sign = if leaves_out { "!" } else { "" };
            files.glob_below(&format!("{sign}/{glob}")).map_err(|bad| errors::bad_glob(&bad))?;
        }
        let is_whole = self.path.as_ref().is_some_and(WsPath::is_root);
        Ok(RepositorySet {
            repository: self.repository.clone(),
            files,
            is_whole,
            is_sayable: self.glob.is_none(),
        })
    }
}

impl RepositorySet {
    fn clause(&self, path: Option<String>) -> PathClause {
        PathClause { repository: Some(self.repository.clone()), path }
    }

    /// Returns a clause that matches at least the files that the set admits.
    fn to_taken_clause(&self) -> PathClause {
        let regexes = self.files.to_regexes().taken;
        let said = regexes.iter().map(|regex| translate_path_regex(regex).ok().map(|path| path.re2));
        let said: Option<Vec<String>> = said.filter(|_| !self.is_whole).collect();
        self.clause(said.filter(|said| !said.is_empty()).map(|said| said.join("|")))
    }

    /// Returns clauses that match only files that the set leaves out.
    fn to_left_out_clauses(&self) -> Vec<PathClause> {
        if self.is_whole {
            return vec![self.clause(None)];
        }
        let regexes = self.files.to_regexes().left_out;
        let exact = regexes.iter().filter_map(|regex| translate_path_regex(regex).ok());
        exact.filter(|path| path.is_exact).map(|path| self.clause(Some(path.re2))).collect()
    }
}

impl FileScope {
    /// Reads the scope of a call's arguments.
    ///
    /// # Errors
    /// `BAD_PATTERN` for a bad glob, `BAD_ARGS` for a path that can be in no repository.
    pub(super) fn parse(args: &Map<String, Value>, listed: &RepositoryList) -> Result<Self, ToolError> {
        let asked: ScopeArgs = serde_json::from_value(Value::Object(args.clone())).unwrap_or_default();
        let mut scope = Self::default();
        for entry in &asked.paths {
            scope.add_entry(entry, listed)?;
        }
        if let Some(prefix) = &asked.path_prefix {
            match RepositoryPath::parse(prefix, listed)? {
                Some(path) => scope.taken_in.push(path.without_glob().to_set(false)?),
                None => scope.anywhere.take_within(path_in_repository(prefix)?),
            }
        }
        if let Some(glob) = &asked.glob {
            scope.anywhere.add_glob(glob).map_err(|bad| errors::bad_glob(&bad))?;
        }
        scope.tests = match asked.tests.as_deref() {
            Some("exclude") => Some(false),
            Some("only") => Some(true),
            _ => None,
        };
        scope.write_clauses();
        Ok(scope)
    }

    /// Leaves out a folder of a repository, which a local project answers.
    pub(super) fn leave_part(&mut self, repository: &str, folder: &WsPath) {
        let mut files = PathSet::default();
        files.leave_within(folder.clone());
        let repository = repository.to_owned();
        self.left_out_in.push(RepositorySet {
            repository,
            files,
            is_whole: folder.is_root(),
            is_sayable: true,
        });
        self.write_clauses();
    }

    fn add_entry(&mut self, entry: &str, listed: &RepositoryList) -> Result<(), ToolError> {
        let (leaves_out, text) = entry.strip_prefix('!').map_or((false, entry), |rest| (true, rest));
        if let Some(path) = RepositoryPath::parse(text, listed)? {
            let list = if leaves_out { &mut self.left_out_in } else { &mut self.taken_in };
            list.push(path.to_set(leaves_out)?);
            return Ok(());
        }
        let text = text.strip_prefix("./").unwrap_or(text);
        let sign = if leaves_out { "!" } else { "" };
        let mut add_glob = |glob: &str| {
            self.anywhere.glob_below(&format!("{sign}{glob}")).map_err(|bad| errors::bad_glob(&bad))
        };
        if is_glob(text) {
            return add_glob(text);
        }
        let is_name = !text.contains('/') && !text.is_empty() && text != ".";
        if is_name {
            // A single name matches in any folder.
            add_glob(text)?;
            return if leaves_out { Ok(()) } else { add_glob(&format!("**/{text}/**")) };
        }
        let path = path_in_repository(text)?;
        match leaves_out {
            true => self.anywhere.leave_below(path),
            false => self.anywhere.take_below(path),
        }
        Ok(())
    }

    fn write_clauses(&mut self) {
        let regexes = self.anywhere.to_regexes();
        let taken: Option<Vec<_>> =
            regexes.taken.iter().map(|regex| translate_path_regex(regex).ok().map(|path| path.re2)).collect();
        // A scope that cannot be translated does not narrow the question.
        if let Some(taken) = taken {
            self.taken = taken.into_iter().map(PathClause::of_path).collect();
            self.taken.extend(self.taken_in.iter().map(RepositorySet::to_taken_clause));
        }
        let exact = regexes.left_out.iter().filter_map(|regex| translate_path_regex(regex).ok());
        let exact = exact.filter(|path| path.is_exact).map(|path| PathClause::of_path(path.re2));
        self.left_out =
            exact.chain(self.left_out_in.iter().flat_map(RepositorySet::to_left_out_clauses)).collect();
    }

    /// Returns the clauses of the files that the server is asked about; empty for all files.
    pub(super) fn taken(&self) -> &[PathClause] {
        &self.taken
    }

    /// Returns the clauses of the files that the server is not asked about.
    pub(super) fn left_out(&self) -> &[PathClause] {
        &self.left_out
    }
}

impl OrgScope for FileScope {
    fn admits(&self, repository: &str, path: &str) -> bool {
        let Ok(path) = WsPath::new(path) else { return false };
        let of_repository = |set: &&RepositorySet| set.repository == repository;
        let mut left_out_in = self.left_out_in.iter().filter(of_repository);
        if self.anywhere.leaves_out(&path) || left_out_in.any(|set| set.files.leaves_out(&path)) {
            return false;
        }
        let takes_any = self.anywhere.takes_all() && self.taken_in.is_empty();
        let is_in = takes_any
            || (!self.anywhere.takes_all() && self.anywhere.admits(&path))
            || self.taken_in.iter().filter(of_repository).any(|set| set.files.admits(&path));
        is_in && self.tests.is_none_or(|wanted| is_test_path(path.as_str()) == wanted)
    }

    fn is_asked_exactly(&self, case_sensitive: bool) -> bool {
        let mut sets = self.taken_in.iter().chain(&self.left_out_in);
        self.anywhere.is_all()
            && self.tests.is_none()
            && sets.all(|set| set.is_whole || (set.is_sayable && case_sensitive))
    }
}

/// Returns true if an entry of `paths` is read as a glob.
pub(super) fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

fn no_such_repository(entry: &str) -> ToolError {
    ToolError::bad_args(format!("`{entry}` begins with the name of no repository of the code search")).hint(
        "Write org: and a repository's whole name, then a path or a glob below it: org:REPOSITORY/src/**. hob doctor tells whether the code search answers.",
    )
}

fn path_in_repository(text: &str) -> Result<WsPath, ToolError> {
    WsPath::new(text.trim_end_matches('/')).map_err(|_| {
        ToolError::bad_args(format!("`{text}` is no path in a repository"))
            .hint("Pass a path that begins in any repository (src/api), or with a repository's name.")
    })
}

#[cfg(test)]
mod tests {
    use hob_org::wire::IndexedRepository;
    use serde_json::json;

    use super::*;

    fn scope(args: Value) -> FileScope {
        let repositories = ["acme/web", "acme/web/deep", "tools"]
            .map(|name| IndexedRepository { name: name.to_owned(), ..IndexedRepository::default() });
        let listed = RepositoryList { repositories: repositories.to_vec(), documents: 0 };
        let Value::Object(args) = args else { return FileScope::default() };
        FileScope::parse(&args, &listed).expect("a scope")
    }

    fn admitted(scope: &FileScope, files: &[&str]) -> Vec<String> {
        let parts = files.iter().filter_map(|file| file.split_once(' '));
        let admitted = parts.filter(|(repository, path)| scope.admits(repository, path));
        admitted.map(|(repository, path)| format!("{repository} {path}")).collect()
    }

    const FILES: [&str; 5] = [
        "acme/web src/a.py",
        "acme/web tests/test_a.py",
        "acme/web/deep src/b.rs",
        "tools src/a.py",
        "tools a/vendor/x.py",
    ];

    #[test]
    fn paths_begin_in_any_repository_or_with_its_name() {
        let all = scope(json!({}));
        assert_eq!(admitted(&all, &FILES).len(), 5);
        assert!(all.taken().is_empty() && all.is_asked_exactly(true));
        for (paths, wanted) in [
            (json!(["src"]), vec![FILES[0], FILES[2], FILES[3]]),
            (json!(["acme/web"]), vec![FILES[0], FILES[1]]),
            (json!(["acme/web/src/", "tools/a"]), vec![FILES[0], FILES[4]]),
            (json!(["acme/web/deep/src"]), vec![FILES[2]]),
            (json!(["*.rs", "tools"]), vec![FILES[2], FILES[3], FILES[4]]),
            (json!(["org:acme/web/src"]), vec![FILES[0]]),
            (json!(["./tools"]), vec![]),
            (json!(["acme/web/**/*.py"]), vec![FILES[0], FILES[1]]),
            (json!(["acme/web/*.py"]), vec![]),
            (json!(["org:acme/web", "!acme/web/t*"]), vec![FILES[0]]),
            (json!(["acme/web", "tools", "!?.py"]), vec![FILES[1]]),
            (json!(["!vendor", "!acme/web"]), vec![FILES[2], FILES[3]]),
        ] {
            let scope = scope(json!({"paths": paths}));
            assert_eq!(admitted(&scope, &FILES), wanted, "{paths}");
        }
        assert_eq!(admitted(&scope(json!({"tests": "only"})), &FILES), [FILES[1]]);
        assert_eq!(admitted(&scope(json!({"path_prefix": "src", "tests": "exclude"})), &FILES).len(), 3);
        assert_eq!(admitted(&scope(json!({"glob": "*.rs"})), &FILES), [FILES[2]]);
    }

    #[test]
    fn the_server_is_told_what_it_understands() {
        let told = scope(json!({"paths": ["acme/web/src", "lib/x", "!acme/web/src/gen"]}));
        let clause =
            PathClause { repository: Some("acme/web".to_owned()), path: Some("^src(?:/|$)".to_owned()) };
        assert!(told.taken().contains(&clause), "{told:?}");
        assert!(
            told.taken().contains(&PathClause::of_path(
                r"^lib/x(?:/|\.(?:[\x{0}-\x{2D}0-\x{10FFFF}])*$|$)".to_owned()
            )),
            "{told:?}"
        );
        assert_eq!(told.left_out()[0].repository.as_deref(), Some("acme/web"));
        assert!(!told.is_asked_exactly(true));
        let bad = FileScope::parse(
            json!({"paths": ["a[b"]}).as_object().expect("arguments"),
            &RepositoryList::default(),
        );
        assert!(bad.is_err());
    }

    #[test]
    fn totals_are_believed_only_where_the_server_was_told_everything() {
        for (args, of_case, of_any_case) in [
            (json!({"paths": ["acme/web", "!tools"]}), true, true),
            (json!({"paths": ["acme/web/src"]}), true, false),
            (json!({"paths": ["!acme/web/src"]}), true, false),
            (json!({"paths": ["acme/web/s*"]}), false, false),
            (json!({"paths": ["acme/web", "!a?.rs"]}), false, false),
            (json!({"paths": ["!vendor"]}), false, false),
        ] {
            let scope = scope(args.clone());
            assert_eq!(
                (scope.is_asked_exactly(true), scope.is_asked_exactly(false)),
                (of_case, of_any_case),
                "{args}"
            );
        }
    }

    #[test]
    fn a_part_that_is_answered_here_is_left_out() {
        let mut scope = scope(json!({}));
        scope.leave_part("acme/web", &WsPath::new("src").expect("a relative path"));
        assert_eq!(admitted(&scope, &FILES), FILES[1..]);
        assert_eq!(scope.left_out()[0].path.as_deref(), Some("^src(?:/|$)"));
    }

    #[test]
    fn names_with_brackets_are_meant_as_they_are_too() {
        let brackets = scope(json!({"paths": ["org:acme/web/app/[id]/p.ts"]}));
        assert!(brackets.admits("acme/web", "app/[id]/p.ts") && brackets.admits("acme/web", "app/i/p.ts"));
    }

    #[test]
    fn a_mark_without_a_repository_is_refused() {
        let listed = RepositoryList::default();
        let error = RepositoryPath::parse("org:acme/*/src", &listed).expect_err("none is named so");
        assert!(error.message.contains("name of no repository"), "{}", error.message);
        assert!(RepositoryPath::parse("acme/src", &listed).is_ok_and(|path| path.is_none()));
    }
}
