//! One pattern asked of hob and of ripgrep.
//!
//! `regex_search` gives totals and as many lines as fit into an answer, so the rest of its lines are asked for folder by folder, a
//! few of them; `hob_grep`, which is behind `hob grep`, gives all lines at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hob_tests::oracles::{ByFile, Line, Ripgrep};
use hob_tests::{Answer, Direct, Mcp, Rng, Tree, World};
use serde_json::{Value, json};

/// Most lines with which their context is compared: an answer has to hold it.
const WITH_CONTEXT: usize = 100;
/// Patterns counted in one call.
const COUNTED: usize = 16;
/// Longest part of a line that is compared, in bytes: less than hob keeps of a line.
const LONG: usize = 2_000;
/// Differences after which it is enough.
const ENOUGH: usize = 25;
/// The options that make ripgrep know the rules that only hob has.
const OPTIONS: &[&str] = &["--ignore-file=.hobignore"];

/// See the file's header. Differences are gathered, and told all at once.
pub(super) struct Comparison<'a> {
    world: &'a World,
    tree: &'a Tree,
    mcp: Mcp,
    direct: Direct,
    options: &'static [&'static str],
    /// Folders that are asked for by themselves after an answer that did not hold all.
    pages: usize,
    asked: usize,
    refused: usize,
    lines: usize,
    differences: Vec<String>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(world: &'a World, tree: &'a Tree, pages: usize) -> Self {
        let options = if tree.at(".hobignore").exists() { OPTIONS } else { &[] };
        let (mcp, direct) = connected(world, tree);
        let (asked, refused, lines) = (0, 0, 0);
        Self { world, tree, mcp, direct, options, pages, asked, refused, lines, differences: Vec::new() }
    }

    pub(super) fn root(&self) -> &'a Path {
        self.tree.root()
    }

    /// Every file that ripgrep searches and that has a line.
    pub(super) fn files(&self) -> Vec<String> {
        self.ripgrep("", self.options).files("^").expect("`^` is a regex")
    }

    /// After the daemon was stopped.
    pub(super) fn connect_again(&mut self) {
        (self.mcp, self.direct) = connected(self.world, self.tree);
    }

    pub(super) fn all(&mut self, patterns: &[String], rng: &mut Rng) {
        for pattern in patterns {
            let choice = rng.below(6);
            self.one(pattern, choice);
        }
        for several in patterns.chunks(COUNTED) {
            self.counted(several);
        }
    }

    #[track_caller]
    pub(super) fn finish(self) {
        let Self { asked, refused, lines, differences, .. } = self;
        println!("{asked} patterns, {refused} refused by both, {lines} lines compared");
        assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    }

    fn ripgrep<'r>(&self, place: &'r str, options: &'r [&'r str]) -> Ripgrep<'r>
    where
        'a: 'r,
    {
        Ripgrep { root: self.tree.root(), options, place }
    }

    fn search(&mut self, args: Value) -> Answer {
        let mut all = json!({"limit": 10_000, "tokenBudget": 10_000, "max_millis": 60_000});
        let Value::Object(args) = args else { panic!("arguments are an object") };
        args.into_iter().for_each(|(name, value)| all[name] = value);
        self.mcp.call("regex_search", all)
    }

    fn differ(&mut self, what: String) {
        println!("{what}");
        self.differences.push(what);
        if self.differences.len() > ENOUGH {
            panic!("{}", self.differences.join("\n"));
        }
    }

    fn one(&mut self, pattern: &str, choice: usize) {
        self.asked += 1;
        let expected = self.ripgrep("", self.options).by_file(pattern);
        let answer = self.search(json!({"pattern": pattern}));
        let Ok(expected) = expected else {
            self.refused += 1;
            if answer.envelope["error"]["code"] != "BAD_PATTERN" {
                self.differ(format!("`{pattern}`: only ripgrep refuses it: {expected:?}"));
            }
            return;
        };
        if answer.envelope["ok"] != true {
            return self.differ(format!("`{pattern}`: only hob refuses it: {}", answer.envelope["error"]));
        }
        let lines = number_of_lines(&expected);
        self.lines += lines;
        self.compare(pattern, "", &expected, &answer, self.pages);
        self.whole(pattern, &expected);
        match choice {
            0 => self.as_files(pattern, &expected),
            1 if lines <= WITH_CONTEXT => self.with_context(pattern, &expected),
            2 => self.with_glob(pattern, &expected),
            3 => self.below_a_folder(pattern, &expected),
            _ => {}
        }
    }

    /// An answer against what ripgrep found at or below `place`; of what was left out of it, up to `pages` parts are asked for.
    fn compare(&mut self, pattern: &str, place: &str, expected: &ByFile, answer: &Answer, pages: usize) {
        let lines = number_of_lines(expected);
        let totals = (json!(lines), json!(expected.len()), json!(true));
        let data = &answer.envelope["data"];
        let said = (data["total_lines"].clone(), data["files_matched"].clone(), data["complete"].clone());
        let shown = shown(answer);
        if let Some(difference) = first_difference(&shown, expected) {
            self.differ(format!("`{pattern}` below `{place}`: {difference}"));
        } else if said != totals {
            let files: Vec<&String> = expected.keys().take(8).collect();
            self.differ(format!(
                "`{pattern}` below `{place}`: hob {said:?}, ripgrep {totals:?} in {files:?}"
            ));
        } else if shown.len() < lines && pages > 0 {
            self.page(pattern, place, expected, pages);
        }
    }

    fn page(&mut self, pattern: &str, place: &str, expected: &ByFile, pages: usize) {
        let mut parts: BTreeMap<String, ByFile> = BTreeMap::new();
        // A file has no parts.
        for (file, lines) in expected.iter().filter(|(file, _)| *file != place) {
            let below = file[place.len()..].trim_start_matches('/');
            let name = below.split('/').next().unwrap_or(below);
            let part = if place.is_empty() { name.to_owned() } else { format!("{place}/{name}") };
            parts.entry(part).or_default().insert(file.clone(), lines.clone());
        }
        // Not always the same ones.
        let skipped = self.asked % parts.len().max(1);
        for (part, expected) in parts.into_iter().skip(skipped).take(pages) {
            let answer = self.search(json!({"pattern": pattern, "path_prefix": part}));
            self.compare(pattern, &part, &expected, &answer, pages - 1);
        }
    }

    /// Every line, as `hob grep` prints it.
    fn whole(&mut self, pattern: &str, expected: &ByFile) {
        let ours = everything(&mut self.direct, pattern);
        if ours == *expected {
            return;
        }
        let paths: BTreeSet<&String> = ours.keys().chain(expected.keys()).collect();
        let path = paths.into_iter().find(|path| ours.get(*path) != expected.get(*path));
        let path = path.expect("they differ");
        let lines = |files: &'_ ByFile| {
            files.get(path).into_iter().flat_map(|lines| lines.lines()).map(str::to_owned).collect::<Vec<_>>()
        };
        let (ours, theirs) = (lines(&ours), lines(expected));
        let at = ours.iter().zip(&theirs).take_while(|(ours, theirs)| ours == theirs).count();
        self.differ(format!(
            "`{pattern}` as a whole, {path}: hob {} lines, ripgrep {}; {:?} and {:?}",
            ours.len(),
            theirs.len(),
            ours.get(at).map(|line| start(line)),
            theirs.get(at).map(|line| start(line))
        ));
    }

    fn as_files(&mut self, pattern: &str, lines: &ByFile) {
        let files = self.ripgrep("", self.options).files(pattern).expect("it has searched for it before");
        let expected: Vec<(&str, u64)> =
            lines.iter().map(|(file, lines)| (file.as_str(), lines.matches('\n').count() as u64)).collect();
        let answer = self.search(json!({"pattern": pattern, "output": "files"}));
        let shown: Vec<(&str, u64)> = answer.list("/matches").iter().map(file_and_count).collect();
        let listed: BTreeSet<&str> = files.iter().map(String::as_str).collect();
        let ours: BTreeSet<&str> = shown.iter().map(|(file, _)| *file).collect();
        if sorted(&shown) != sorted(&expected[..shown.len().min(expected.len())]) {
            self.differ(format!("`{pattern}` as files: hob {shown:?}, ripgrep {expected:?}"));
        } else if answer.ok()["files_matched"] != listed.len() || !ours.is_subset(&listed) {
            self.differ(format!("`{pattern}` as files: hob {shown:?}, ripgrep -l {listed:?}"));
        }
    }

    fn with_context(&mut self, pattern: &str, lines: &ByFile) {
        let answer = self.search(json!({"pattern": pattern, "context_lines": 2}));
        let said = self.ripgrep("", self.options).lines_around(pattern, 2);
        let (matching, expected) = said.expect("it has searched for it before");
        // ripgrep keeps context in the buffer that it reads through, so a NUL hides other lines from it then; hob shows the
        // lines that it counts.
        let same = |line: &Line| matching.get(&line.0) == lines.get(&line.0);
        let expected: BTreeSet<Line> = expected.into_iter().filter(same).map(cut).collect();
        let around = answer.list("/matches").iter().flat_map(with_lines_around);
        let around: BTreeSet<Line> = around.filter(same).map(cut).collect();
        // Answers that were made to fit have lost some of it.
        let lost = answer.envelope["truncated"] == true;
        if let Some(line) = around.iter().find(|line| !lost && !expected.contains(*line)) {
            self.differ(format!("`{pattern}` with context: only hob has {line:?}"));
        }
        if let Some(line) = expected.iter().find(|line| !lost && !around.contains(*line)) {
            self.differ(format!("`{pattern}` with context: only ripgrep has {line:?}"));
        }
    }

    fn with_glob(&mut self, pattern: &str, lines: &ByFile) {
        let globs = ["*.py", "!*.txt", "d*/**", "**/sub/*", "*.{rs,md,toml}", "!d1/", "[a-n]*"];
        let glob = globs[self.asked % globs.len()];
        let flag = format!("--glob={glob}");
        let options: Vec<&str> = self.options.iter().copied().chain([flag.as_str()]).collect();
        let expected = Ripgrep { root: self.tree.root(), options: &options, place: "" }.by_file(pattern);
        let answer = self.search(json!({"pattern": pattern, "glob": glob}));
        // ripgrep's globs also bring in what the rules leave out; hob's narrow what is indexed.
        let mut expected = expected.expect("it has searched for it before");
        expected.retain(|file, _| lines.contains_key(file));
        self.compare(pattern, "", &expected, &answer, 0);
    }

    fn below_a_folder(&mut self, pattern: &str, lines: &ByFile) {
        let folders: BTreeSet<&str> =
            lines.keys().filter_map(|file| Some(file.rsplit_once('/')?.0)).collect();
        let Some(folder) = folders.into_iter().nth(self.asked % 3) else { return };
        let expected =
            Ripgrep { root: self.tree.root(), options: self.options, place: folder }.by_file(pattern);
        let answer = self.search(json!({"pattern": pattern, "path_prefix": folder}));
        let expected = expected.expect("it has searched for it before");
        self.compare(pattern, folder, &expected, &answer, 1);
    }

    /// Counts anew, each file by itself. ripgrep has files follow one another through one buffer, which a long line makes longer
    /// for all that come after it; a pattern that sees where the buffer begins (`\A`) then matches elsewhere, and how often
    /// depends on the order of files and on the number of threads. hob counts as if each file were the first.
    fn each_alone(&self, pattern: &str, counts: Vec<(String, u64)>) -> Vec<(String, u64)> {
        let options: Vec<&str> = self.options.iter().copied().chain(["--no-mmap"]).collect();
        let alone = |(file, before): (String, u64)| {
            // A file that is named is searched past a NUL.
            let bytes = std::fs::read(self.tree.at(&file)).unwrap_or_default();
            let ripgrep = Ripgrep { root: self.tree.root(), options: &options, place: &file };
            let counted = if bytes.contains(&0) {
                Vec::new()
            } else {
                ripgrep.count_matches(pattern).unwrap_or_default()
            };
            let count = counted.first().map_or(before, |(_, count)| *count);
            (file, count)
        };
        counts.into_iter().map(alone).collect()
    }

    /// `count_patterns` and `output=count` against `rg --count-matches`.
    fn counted(&mut self, patterns: &[String]) {
        let ripgrep = self.ripgrep("", self.options);
        let counts =
            patterns.iter().filter_map(|pattern| Some((pattern, ripgrep.count_matches(pattern).ok()?)));
        let (patterns, expected): (Vec<&String>, Vec<_>) = counts.unzip();
        if patterns.is_empty() {
            return;
        }
        let args = json!({"patterns": patterns, "max_millis": 60_000, "tokenBudget": 10_000});
        let answer = self.mcp.call("count_patterns", args);
        for (at, mut expected) in expected.into_iter().enumerate() {
            let said = &answer.list("/patterns")[at];
            let sum = |counts: &[(String, u64)]| counts.iter().map(|(_, count)| count).sum::<u64>();
            if said["total_matches"] != sum(&expected) {
                expected = self.each_alone(patterns[at], expected);
            }
            let total = sum(&expected);
            let same = said["total_matches"] == total && said["files_matched"] == expected.len();
            if !same || said["pattern"] != patterns[at].as_str() {
                self.differ(format!("`{}`: hob {said}, ripgrep {total} in {}", patterns[at], expected.len()));
            } else if let Some(difference) = other_top_files(said, expected) {
                self.differ(format!("`{}`: {difference}", patterns[at]));
            }
        }
        let last = patterns[patterns.len() - 1];
        let alone = self.search(json!({"pattern": last, "output": "count"}));
        let counted = &answer.list("/patterns")[patterns.len() - 1];
        if alone.ok()["total_matches"] != counted["total_matches"] {
            self.differ(format!("`{last}`: counted with others {counted}, alone{alone}"));
        }
    }
}

/// A shim, which starts the daemon, and a connection that may ask for everything.
fn connected(world: &World, tree: &Tree) -> (Mcp, Direct) {
    let mut mcp = world.mcp(tree);
    let _ = mcp.call("map_status", json!({})).ok();
    (mcp, Direct::connect(world, tree))
}

/// All matching lines, page by page.
fn everything(direct: &mut Direct, pattern: &str) -> ByFile {
    let mut files = ByFile::new();
    let mut args = json!({"patterns": [pattern]});
    loop {
        let answer = direct.call("hob_grep", args.clone());
        for file in answer.list("/files") {
            let path = file["path"].as_str().unwrap_or_default();
            files.entry(path.to_owned()).or_default().push_str(&rows(file));
        }
        let data = answer.ok();
        if data.get("next_path").is_none() {
            return files;
        }
        args["after_path"] = data["next_path"].clone();
        args["after_row"] = data["next_row"].clone();
    }
}

/// A file's rows as ripgrep prints them.
fn rows(file: &Value) -> String {
    let text = file["text"].as_str().unwrap_or_default();
    let bytes: Vec<u8> = match file["latin"] == true {
        true => text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect(),
        false => text.into(),
    };
    let numbers: Vec<usize> = file["rows"].as_array().into_iter().flatten().map(number).collect();
    let (mut rest, mut text, mut out) = (&numbers[..], &bytes[..], String::new());
    while let [_, line, _, len, matches, after @ ..] = rest {
        let (row, later) = text.split_at(*len);
        let row = String::from_utf8_lossy(row.strip_suffix(b"\n").unwrap_or(row));
        out.push_str(&format!("{line}:{row}\n"));
        (rest, text) = (&after[2 * matches..], later);
    }
    out
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
}

fn number_of_lines(files: &ByFile) -> usize {
    files.values().map(|lines| lines.matches('\n').count()).sum()
}

/// Enough of a line to know it by.
fn start(line: &str) -> String {
    line.chars().take(200).collect()
}

fn other_top_files(said: &Value, mut expected: Vec<(String, u64)>) -> Option<String> {
    expected.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
    let shown = said["top_files"].as_array().into_iter().flatten();
    let shown: Vec<(&str, u64)> = shown
        .map(|file| (file["path"].as_str().unwrap_or_default(), file["count"].as_u64().unwrap_or(0)))
        .collect();
    // The budget may have cut the list, but not changed it.
    let same = shown.iter().zip(&expected).all(|(ours, theirs)| ours.0 == theirs.0 && ours.1 == theirs.1);
    (!same).then(|| format!("top files: hob {shown:?}, ripgrep {:?}", &expected[..expected.len().min(10)]))
}

fn sorted<'a>(files: &[(&'a str, u64)]) -> BTreeSet<(&'a str, u64)> {
    files.iter().copied().collect()
}

fn file_and_count(found: &Value) -> (&str, u64) {
    (found["file"].as_str().unwrap_or_default(), found["count"].as_u64().unwrap_or(0))
}

fn shown(answer: &Answer) -> Vec<Line> {
    answer.list("/matches").iter().map(line_of).collect()
}

fn line_of(found: &Value) -> Line {
    let text = |field: &str| found[field].as_str().unwrap_or_default().to_owned();
    (text("file"), found["line"].as_u64().unwrap_or(0), text("text"))
}

/// A match and the lines around it.
fn with_lines_around(found: &Value) -> Vec<Line> {
    let (file, line, text) = line_of(found);
    let texts = |field: &str| {
        let list = found[field].as_array().into_iter().flatten();
        list.map(|text| text.as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let (before, after) = (texts("before"), texts("after"));
    let first = line - before.len() as u64;
    let all = before.into_iter().chain([text]).chain(after);
    all.zip(first..).map(|(text, line)| (file.clone(), line, text)).collect()
}

fn cut((file, line, text): Line) -> Line {
    (file, line, text.chars().take(LONG).collect())
}

/// Where what is shown is not how what is expected begins.
fn first_difference(shown: &[Line], expected: &ByFile) -> Option<String> {
    let lines = |(file, lines): (&String, &'_ String)| {
        let split = |line: &str| {
            let (number, text) = line.split_once(':').unwrap_or_default();
            (file.clone(), number.parse().unwrap_or(0), text.to_owned())
        };
        // Only as many as may be wanted.
        lines.split_terminator('\n').take(shown.len()).map(split).collect::<Vec<Line>>()
    };
    let mut theirs = expected.iter().flat_map(lines);
    for ours in shown {
        match theirs.next() {
            None => return Some(format!("only hob has {ours:?}")),
            Some(theirs) if !is_same(ours, &theirs) => {
                return Some(format!("hob {:?}\nripgrep {:?}", cut(ours.clone()), cut(theirs)));
            }
            Some(_) => {}
        }
    }
    None
}

/// Long texts may have been shortened to fit.
fn is_same(ours: &Line, theirs: &Line) -> bool {
    let place = |line: &Line| (line.0.clone(), line.1);
    if place(ours) != place(theirs) {
        return false;
    }
    let end = theirs.2.len().min(40);
    let end = (0..=end).rev().find(|at| theirs.2.is_char_boundary(*at)).unwrap_or(0);
    ours.2 == theirs.2 || (theirs.2.len() > LONG / 10 && ours.2.starts_with(&theirs.2[..end]))
}
