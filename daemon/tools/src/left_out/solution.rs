//! Finds the projects of a workspace with several TypeScript configurations, and for each a file that makes a server
//! load it.
//!
//! Such a server knows the projects of its open files. The project of a file is found as servers find it: the nearest
//! configuration above it if that includes it, else one to which this refers, else the next one up. Imports from
//! outside of the included files are not followed: at worst this opens a project that was open already.

use std::collections::{BTreeMap, BTreeSet};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use hob_base::WsPath;
use hob_map::langs::ecma::parse_json;
use serde_json::Value;

/// Endings of the files that every configuration may include, and of those that need `allowJs`.
const ENDINGS: &[&str] = &[".ts", ".tsx", ".mts", ".cts"];
const SCRIPTS: &[&str] = &[".js", ".jsx", ".mjs", ".cjs"];

/// Folders that are never included unless a configuration names them.
const EXCLUDED: &[&str] = &["**/node_modules", "**/bower_components", "**/jspm_packages"];

/// Most configurations that are read, and most that may extend each other.
const MOST_CONFIGS: usize = 400;
const MOST_EXTENDED: usize = 8;

/// The projects next to that of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct OtherProjects {
    /// One file of each project; projects that refer to the file's own come first, then the nearest.
    pub(super) files: Vec<WsPath>,
    /// Number of projects that are left out, because there are too many.
    pub(super) more: usize,
}

/// The files that a configuration includes, and the projects to which it refers.
#[derive(Debug)]
struct Config {
    includes: GlobSet,
    excludes: GlobSet,
    files: BTreeSet<String>,
    scripts: bool,
    references: Vec<String>,
}

impl Config {
    fn includes_file(&self, file: &str) -> bool {
        let is_script = SCRIPTS.iter().any(|ending| file.ends_with(ending));
        self.files.contains(file)
            || ((self.scripts || !is_script) && self.includes.is_match(file) && !self.excludes.is_match(file))
    }
}

/// A query for the projects whose files may use the subject of a question.
pub(super) struct ProjectsQuery<'q> {
    /// The file of the question; its own project is known.
    pub(super) asked: &'q WsPath,
    /// Finds the files that may use the subject of the question; `None` if all may.
    pub(super) may_use: &'q dyn Fn() -> Option<BTreeSet<WsPath>>,
    /// The names of configurations that a server searches by itself.
    pub(super) roots: &'q [&'q str],
    /// Most projects that the answer may have.
    pub(super) most: usize,
}

/// Returns the other projects of `files`, each by a file that may use the subject of the question.
pub(super) fn find_other_projects(
    files: &[WsPath],
    question: &ProjectsQuery<'_>,
    read: &dyn Fn(&WsPath) -> Option<String>,
) -> OtherProjects {
    let ProjectsQuery { asked, may_use, roots, most } = *question;
    let solution = Solution::read(files, roots, read);
    if solution.configs.len() < 2 {
        return OtherProjects::default();
    }
    let may_use = may_use();
    let counts = |file: &&WsPath| may_use.as_ref().is_none_or(|some| some.contains(*file));
    let own = solution.project_of(asked.as_str());
    let mut first: BTreeMap<&str, &WsPath> = BTreeMap::new();
    for file in files.iter().filter(|file| is_source(file.as_str())).filter(counts) {
        if first.len() == solution.configs.len() {
            break;
        }
        if let Some(project) = solution.project_of(file.as_str()) {
            first.entry(project).or_insert(file);
        }
    }
    first.retain(|project, _| Some(*project) != own);
    let mut found: Vec<(&str, &WsPath)> = first.into_iter().collect();
    found.sort_by_key(|(project, _)| {
        let refers = own.is_some_and(|own| solution.refers_to(project, own));
        (!refers, std::cmp::Reverse(common_folders(project, asked.as_str())))
    });
    let more = found.len().saturating_sub(most);
    OtherProjects { files: found.into_iter().take(most).map(|(_, file)| file.clone()).collect(), more }
}

/// The configurations of a workspace, by path.
struct Solution<'r> {
    configs: BTreeMap<String, Config>,
    roots: &'r [&'r str],
}

impl<'r> Solution<'r> {
    fn read(files: &[WsPath], roots: &'r [&'r str], read: &dyn Fn(&WsPath) -> Option<String>) -> Self {
        let is_root = |file: &&WsPath| roots.contains(&file.file_name());
        let mut left: Vec<String> = files.iter().filter(is_root).map(ToString::to_string).collect();
        let mut solution = Self { configs: BTreeMap::new(), roots };
        while let Some(path) = left.pop() {
            if solution.configs.contains_key(&path) || solution.configs.len() >= MOST_CONFIGS {
                continue;
            }
            let Some(config) = read_config(&path, read) else { continue };
            left.extend(config.references.iter().cloned());
            solution.configs.insert(path, config);
        }
        solution
    }

    fn project_of(&self, file: &str) -> Option<&str> {
        let mut folder = folder_of(file);
        loop {
            for root in self.roots {
                let found = self.config_including(&path_below(folder, root), file, &mut BTreeSet::new());
                if found.is_some() {
                    return found;
                }
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder_of(folder);
        }
    }

    /// Returns the configuration at `path`, or one that it refers to, whichever includes the file.
    fn config_including<'s>(
        &'s self,
        path: &str,
        file: &str,
        met: &mut BTreeSet<&'s str>,
    ) -> Option<&'s str> {
        let (path, config) = self.configs.get_key_value(path)?;
        if !met.insert(path) {
            return None;
        }
        if config.includes_file(file) {
            return Some(path);
        }
        config.references.iter().find_map(|next| self.config_including(next, file, met))
    }

    /// Returns true if a project refers to another one, by any number of steps.
    fn refers_to(&self, from: &str, to: &str) -> bool {
        let (mut left, mut met) = (vec![from], BTreeSet::new());
        while let Some(at) = left.pop() {
            let references = self.configs.get(at).map_or(&[][..], |config| &config.references);
            if references.iter().any(|next| next == to) {
                return true;
            }
            left.extend(references.iter().map(String::as_str).filter(|next| met.insert(*next)));
        }
        false
    }
}

/// Reads a configuration, with the values that it inherits from those that it extends.
fn read_config(path: &str, read: &dyn Fn(&WsPath) -> Option<String>) -> Option<Config> {
    let chain = extends_chain(path, read);
    let (_, own) = chain.first()?;
    // The first configuration with a value counts; its paths are relative to its own folder.
    let says = |key: &str| {
        let (at, found) = chain.iter().find_map(|(at, json)| Some((at, json[key].as_array()?)))?;
        Some(
            found
                .iter()
                .filter_map(Value::as_str)
                .filter_map(|one| join_pattern(folder_of(at), one))
                .collect(),
        )
    };
    let option = |key: &str| chain.iter().find_map(|(_, json)| json["compilerOptions"].get(key));
    let files: Option<Vec<String>> = says("files");
    let everything = || vec![path_below(folder_of(path), "**/*")];
    let includes: Vec<String> =
        says("include").unwrap_or_else(|| if files.is_some() { Vec::new() } else { everything() });
    let mut excludes: Vec<String> = says("exclude").unwrap_or_else(|| {
        let out = option("outDir").and_then(Value::as_str);
        out.and_then(|out| join_pattern(folder_of(path), out)).into_iter().collect()
    });
    excludes.extend(EXCLUDED.iter().map(|one| (*one).to_owned()));
    let is_on = |key: &str| option(key).and_then(Value::as_bool) == Some(true);
    let references = own["references"].as_array().into_iter().flatten();
    Some(Config {
        includes: glob_set(&includes),
        excludes: glob_set(&excludes),
        files: files.unwrap_or_default().into_iter().collect(),
        scripts: is_on("allowJs") || is_on("checkJs") || path.ends_with("jsconfig.json"),
        references: references
            .filter_map(|one| join_path(folder_of(path), one["path"].as_str()?))
            .map(|to| if to.ends_with(".json") { to } else { path_below(&to, "tsconfig.json") })
            .collect(),
    })
}

/// Returns a configuration and those that it extends, the ones that take precedence first.
fn extends_chain(path: &str, read: &dyn Fn(&WsPath) -> Option<String>) -> Vec<(String, Value)> {
    let mut chain: Vec<(String, Value)> = Vec::new();
    let mut left = vec![path.to_owned()];
    while let Some(at) = left.pop() {
        let json = WsPath::new(&at).ok().and_then(|at| read(&at)).and_then(|text| parse_json(&text));
        let Some(json) = json.filter(|_| chain.len() < MOST_EXTENDED) else { continue };
        let bases = match &json["extends"] {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect::<Vec<_>>(),
        };
        // Configurations of packages say nothing about the files of this workspace; of several bases, the last one
        // takes precedence.
        let near = bases.into_iter().filter(|base| base.starts_with('.'));
        let near = near.filter_map(|base| join_path(folder_of(&at), base));
        left.extend(near.map(|base| if base.ends_with(".json") { base } else { format!("{base}.json") }));
        chain.push((at, json));
    }
    chain
}

/// Compiles patterns as the compiler reads them: one without a wildcard may be a folder.
fn glob_set(patterns: &[String]) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let within = format!("{}/**/*", pattern.trim_end_matches('/'));
        let within = within.trim_start_matches('/');
        let folder = !pattern.ends_with('*') && !pattern.rsplit('/').next().unwrap_or_default().contains('.');
        for text in [Some(pattern.as_str()), folder.then_some(within)].into_iter().flatten() {
            let glob = GlobBuilder::new(text).literal_separator(true).build();
            // Broken patterns include nothing, as for the compiler.
            if let Ok(glob) = glob {
                set.add(glob);
            }
        }
    }
    set.build().unwrap_or_else(|_| GlobSet::empty())
}

pub(super) fn is_source(path: &str) -> bool {
    ENDINGS.iter().chain(SCRIPTS).any(|ending| path.ends_with(ending)) && !path.contains("node_modules/")
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn path_below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns a pattern as written in a folder, from the root; `None` if it leads out of the workspace. The root itself means everything
/// in it.
fn join_pattern(folder: &str, written: &str) -> Option<String> {
    let joined = join_path(folder, written)?;
    Some(if joined.is_empty() { "**/*".to_owned() } else { joined })
}

/// Returns a path as written in a folder, from the root, which is the empty path; `None` if it leads out of the workspace.
fn join_path(folder: &str, written: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if written.starts_with('/') {
        return None;
    }
    for part in written.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the number of folders, from the root on, in which two paths agree.
fn common_folders(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_projects(files: &[(&str, &str)], asked: &str) -> String {
        found_among(files, asked, None)
    }

    fn found_among(files: &[(&str, &str)], asked: &str, some: Option<&[&str]>) -> String {
        let path = |text: &str| WsPath::new(text).expect("relative");
        let all: Vec<WsPath> = files.iter().map(|(at, _)| path(at)).collect();
        let read = |at: &WsPath| {
            let found = files.iter().find(|(path, _)| *path == at.as_str());
            found.map(|(_, text)| (*text).to_owned())
        };
        let (asked, roots) = (path(asked), ["tsconfig.json", "jsconfig.json"]);
        let may_use = || some.map(|some| some.iter().map(|file| path(file)).collect());
        let question = ProjectsQuery { asked: &asked, may_use: &may_use, roots: &roots, most: 3 };
        let others = find_other_projects(&all, &question, &read);
        let names: Vec<&str> = others.files.iter().map(WsPath::as_str).collect();
        format!("{} +{}", names.join(" "), others.more)
    }

    #[test]
    fn one_project_has_no_others() {
        assert_eq!(
            found_projects(&[("tsconfig.json", "{}"), ("src/a.ts", ""), ("test/b.ts", "")], "src/a.ts"),
            " +0"
        );
    }

    #[test]
    fn a_solution_has_a_project_for_each_reference() {
        let files = [
            (
                "tsconfig.json",
                r#"{"files": [], "references": [{"path": "./tsconfig.lib.json"}, {"path": "./tsconfig.spec.json"}]}"#,
            ),
            (
                "tsconfig.lib.json",
                r#"{"include": ["src"], "exclude": ["src/**/*.test.ts"]} // comments are fine"#,
            ),
            (
                "tsconfig.spec.json",
                r#"{"extends": "./tsconfig.base.json", "include": ["src/**/*.test.ts", "setup.ts"]}"#,
            ),
            ("tsconfig.base.json", r#"{"compilerOptions": {}}"#),
            ("src/a.ts", ""),
            ("src/a.test.ts", ""),
            ("src/deep/b.test.ts", ""),
        ];
        assert_eq!(found_projects(&files, "src/a.ts"), "src/a.test.ts +0");
        assert_eq!(found_projects(&files, "src/deep/b.test.ts"), "src/a.ts +0");
    }

    #[test]
    fn projects_that_cannot_know_the_file_are_not_loaded() {
        let project =
            |name: &str| (format!("{name}/tsconfig.json"), format!("{name}/a.ts"), format!("{name}/b.ts"));
        let all: Vec<_> = ["asked", "b", "c", "d", "e", "f"].map(project).into();
        let files: Vec<(&str, &str)> = all
            .iter()
            .flat_map(|(config, a, b)| [(config.as_str(), "{}"), (a.as_str(), ""), (b.as_str(), "")])
            .collect();
        assert_eq!(found_projects(&files, "asked/a.ts"), "b/a.ts c/a.ts d/a.ts +2");
        let some = ["asked/a.ts", "e/b.ts", "f/a.ts", "f/b.ts"];
        assert_eq!(found_among(&files, "asked/a.ts", Some(&some)), "e/b.ts f/a.ts +0");
    }

    #[test]
    fn those_that_refer_come_before_those_that_are_only_near() {
        let files = [
            ("libs/core/tsconfig.json", "{}"),
            ("libs/core/a.ts", ""),
            ("libs/near/tsconfig.json", "{}"),
            ("libs/near/b.ts", ""),
            ("apps/one/tsconfig.json", r#"{"references": [{"path": "../../libs/core"}]}"#),
            ("apps/one/c.ts", ""),
            ("apps/two/tsconfig.json", r#"{"references": [{"path": "../one/tsconfig.json"}]}"#),
            ("apps/two/d.ts", ""),
            ("apps/three/tsconfig.json", r#"{"exclude": ["."]}"#),
            ("apps/three/e.ts", ""),
            ("zoo/jsconfig.json", "{}"),
            ("zoo/f.js", ""),
        ];
        assert_eq!(found_projects(&files, "libs/core/a.ts"), "apps/one/c.ts apps/two/d.ts libs/near/b.ts +1");
    }

    #[test]
    fn a_reference_to_the_folder_at_the_root_is_one_to_its_configuration() {
        let files = [
            ("tsconfig.json", r#"{"include": ["src"]}"#),
            ("src/a.ts", ""),
            ("beside/tsconfig.json", "{}"),
            ("beside/b.ts", ""),
            ("zoo/tsconfig.json", r#"{"references": [{"path": ".."}]}"#),
            ("zoo/c.ts", ""),
        ];
        assert_eq!(found_projects(&files, "src/a.ts"), "zoo/c.ts beside/b.ts +0");
    }

    #[test]
    fn what_is_taken_over_is_of_the_folder_where_it_stands() {
        let files = [
            ("tsconfig.json", r#"{"include": ["src"]}"#),
            ("src/a.ts", ""),
            ("config/base.json", r#"{"include": ["../test"], "compilerOptions": {"allowJs": true}}"#),
            ("test/tsconfig.json", r#"{"extends": ["../config/base"]}"#),
            ("test/b.js", ""),
        ];
        assert_eq!(found_projects(&files, "src/a.ts"), "test/b.js +0");
    }

    #[test]
    fn cycles_and_nonsense_end() {
        let files = [
            (
                "tsconfig.json",
                r#"{"extends": "./tsconfig.json", "references": [{"path": "."}, {"path": "../.."}, {}]}"#,
            ),
            ("a/tsconfig.json", "{"),
            ("a/b.ts", ""),
        ];
        assert_eq!(found_projects(&files, "a/b.ts"), " +0");
    }
}
