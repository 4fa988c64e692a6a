//! The scope of a question in the repositories of the code search: `paths`, its older names, and `tests`.
//!
//! A path begins in any repository (`src/api`), or with a repository's name, as answers print it (`github.com/acme/web/src`). What
//! the server can be told of it narrows the question; each file that comes is tested here all the same. Whether a file is a test
//! its path says, for there is no map of it.

use hob_base::WsPath;
use hob_map::graph::is_test_path;
use hob_org::pattern::translate_path_regex;
use hob_org::query::PathClause;
use hob_org::wire::RepositoryList;
use hob_proto::ToolError;
use hob_proto::tools::scope::ScopeArgs;
use hob_results::errors;
use hob_results::org::OrgScope;
use hob_text::PathSet;
use serde_json::{Map, Value};

/// The files that a question is about.
#[derive(Debug, Default)]
pub(super) struct FileScope {
    /// Paths in any repository.
    anywhere: PathSet,
    taken_in: Vec<RepositoryPath>,
    left_out_in: Vec<RepositoryPath>,
    tests: Option<bool>,
    taken: Vec<PathClause>,
    left_out: Vec<PathClause>,
    is_exact: bool,
}

/// A path that begins with the name of a repository.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RepositoryPath {
    /// The name.
    pub(super) repository: String,
    /// The rest; the root for all of the repository.
    pub(super) path: WsPath,
}

impl RepositoryPath {
    /// Reads an entry of `paths`; `None` if it does not begin with the name of a repository.
    pub(super) fn parse(entry: &str, listed: &RepositoryList) -> Option<Self> {
        let entry = entry.trim_end_matches('/');
        let named = listed.repositories.iter().filter(|repository| {
            let rest = entry.strip_prefix(repository.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let longest = named.max_by_key(|repository| repository.name.len())?;
        let path = WsPath::new(entry[longest.name.len()..].trim_start_matches('/')).ok()?;
        Some(Self { repository: longest.name.clone(), path })
    }

    fn has(&self, repository: &str, path: &WsPath) -> bool {
        self.repository == repository && (self.path.is_root() || path.is_below(&self.path))
    }

    fn to_clause(&self) -> PathClause {
        let mut set = PathSet::default();
        set.take_within(self.path.clone());
        let regexes = set.to_regexes().taken;
        let path = regexes.first().filter(|_| !self.path.is_root());
        let path = path.and_then(|regex| translate_path_regex(regex).ok()).map(|path| path.re2);
        PathClause { repository: Some(self.repository.clone()), path }
    }
}

impl FileScope {
    /// Reads the scope of a call's arguments.
    ///
    /// # Errors
    /// `BAD_PATTERN` for a bad glob.
    pub(super) fn parse(args: &Map<String, Value>, listed: &RepositoryList) -> Result<Self, ToolError> {
        let asked: ScopeArgs = serde_json::from_value(Value::Object(args.clone())).unwrap_or_default();
        let mut scope = Self { is_exact: true, ..Self::default() };
        for entry in &asked.paths {
            scope.add_entry(entry, listed)?;
        }
        if let Some(prefix) = &asked.path_prefix {
            match RepositoryPath::parse(prefix, listed) {
                Some(path) => scope.taken_in.push(path),
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

    fn add_entry(&mut self, entry: &str, listed: &RepositoryList) -> Result<(), ToolError> {
        let (leaves_out, text) = entry.strip_prefix('!').map_or((false, entry), |rest| (true, rest));
        let text = text.strip_prefix("./").unwrap_or(text);
        if let Some(path) = RepositoryPath::parse(text, listed) {
            let list = if leaves_out { &mut self.left_out_in } else { &mut self.taken_in };
            list.push(path);
            return Ok(());
        }
        let sign = if leaves_out { "!" } else { "" };
        let mut add_glob = |glob: &str| {
            self.anywhere.glob_below(&format!("{sign}{glob}")).map_err(|bad| errors::bad_glob(&bad))
        };
        if text.contains(['*', '?', '[', '{']) {
            return add_glob(text);
        }
        let is_name = !text.contains('/') && !text.is_empty() && text != ".";
        if is_name {
            // A name alone is meant wherever it is.
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
        self.is_exact = regexes.taken.is_empty() && regexes.left_out.is_empty() && self.tests.is_none();
        let taken: Option<Vec<_>> =
            regexes.taken.iter().map(|regex| translate_path_regex(regex).ok().map(|path| path.re2)).collect();
        // What cannot be said narrows nothing.
        if let Some(taken) = taken {
            self.taken = taken.into_iter().map(PathClause::of_path).collect();
            self.taken.extend(self.taken_in.iter().map(RepositoryPath::to_clause));
        }
        let exact = regexes.left_out.iter().filter_map(|regex| translate_path_regex(regex).ok());
        let exact = exact.filter(|path| path.is_exact).map(|path| PathClause::of_path(path.re2));
        self.left_out = exact.chain(self.left_out_in.iter().map(RepositoryPath::to_clause)).collect();
    }

    /// The files that the server is asked about; all of them if it is empty.
    pub(super) fn taken(&self) -> &[PathClause] {
        &self.taken
    }

    /// Files that the server is not asked about.
    pub(super) fn left_out(&self) -> &[PathClause] {
        &self.left_out
    }
}

impl OrgScope for FileScope {
    fn admits(&self, repository: &str, path: &str) -> bool {
        let Ok(path) = WsPath::new(path) else { return false };
        let is_taken = self.taken_in.iter().any(|taken| taken.has(repository, &path));
        let is_left_out = self.left_out_in.iter().any(|out| out.has(repository, &path));
        let takes_any = self.anywhere.takes_all() && self.taken_in.is_empty();
        let is_in = is_taken || (self.anywhere.admits(&path) && (takes_any || !self.anywhere.takes_all()));
        let is_right_test = self.tests.is_none_or(|wanted| is_test_path(path.as_str()) == wanted);
        is_in && !is_left_out && is_right_test
    }

    fn is_asked_exactly(&self) -> bool {
        self.is_exact
    }
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
        assert!(all.taken().is_empty() && all.is_asked_exactly());
        for (paths, wanted) in [
            (json!(["src"]), vec![FILES[0], FILES[2], FILES[3]]),
            (json!(["acme/web"]), vec![FILES[0], FILES[1]]),
            (json!(["acme/web/src/", "tools/a"]), vec![FILES[0], FILES[4]]),
            (json!(["acme/web/deep/src"]), vec![FILES[2]]),
            (json!(["*.rs", "tools"]), vec![FILES[2], FILES[3], FILES[4]]),
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
        assert!(!told.is_asked_exactly());
        let bad = FileScope::parse(
            json!({"paths": ["a[b"]}).as_object().expect("arguments"),
            &RepositoryList::default(),
        );
        assert!(bad.is_err());
    }
}
