//! Makes the index that clangd keeps of a project between its runs agree with changed headers.
//!
//! clangd keeps one part of its index for each file, and when it starts it reads again every file that differs from its
//! part. A file that has not changed itself counts as known, although a changed header may have given its names another
//! meaning: their uses are then missing from an index that clangd reports as finished. So before clangd starts, hob
//! removes the parts of all files that include a changed header, directly or not.
//!
//! hob tells by file names alone which file includes which: that removes too many parts rather than too few. A header
//! has changed when the system has noted any change of it since the last look, or when it is new or gone since then.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use hob_base::small;

/// Name of the file, in the kept folder, that lists the headers of the last look; its own age tells when that was.
const SEEN: &str = "headers";

/// Size limit of files to look at, in bytes.
const LARGEST: u64 = 256 << 20;

/// Most by which the clocks of file systems may differ.
const MARGIN: Duration = Duration::from_secs(2);

/// Stands for the included file where the directive does not name it.
const ANYTHING: &str = "*";

/// The endings of file names that mark headers and source files.
#[derive(Clone, Copy, Debug)]
pub(super) struct Endings<'a> {
    /// Endings of files that others include.
    pub headers: &'a [&'a str],
    /// Endings of all files of the language, without the dot.
    pub files: &'a [(&'a str, &'a str)],
}

/// Removes from the index in `keep` the parts that changed headers of the project at `root` have outdated.
///
/// # Errors
/// The system's error; outdated parts may remain.
pub(super) fn forget_stale(root: &Path, keep: &Path, endings: Endings<'_>) -> io::Result<()> {
    let (seen, index) = (keep.join(SEEN), keep.join(".cache/clangd/index"));
    let before =
        fs::read_to_string(&seen).ok().zip(fs::metadata(&seen).and_then(|seen| seen.modified()).ok());
    let new = keep.join(format!("{SEEN}.new"));
    // The file's age is the time of the look, so it has to be older than everything that the look sees.
    fs::write(&new, "")?;
    let looked = fs::metadata(&new)?.modified()?;
    let files = LanguageGroupFiles::find_below(root, endings);
    match before {
        _ if !index.is_dir() => {}
        None => fs::remove_dir_all(&index)?,
        Some((seen, at)) => remove_stale_parts(&files, &index, files.changed_since(&seen, at))?,
    }
    let headers: Vec<&str> = files.headers.keys().map(String::as_str).collect();
    fs::write(&new, headers.join("\n"))?;
    fs::File::options().write(true).open(&new)?.set_modified(looked)?;
    fs::rename(new, seen)
}

fn remove_stale_parts(files: &LanguageGroupFiles, index: &Path, changed: BTreeSet<String>) -> io::Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let database =
        small::read_text(&index.join("../../../compile_commands.json"), LARGEST).unwrap_or_default();
    if database.contains("-include") && changed.iter().any(|name| database.contains(name.as_str())) {
        return fs::remove_dir_all(index);
    }
    let stale = files.all_that_include(changed);
    for entry in fs::read_dir(index)?.flatten() {
        // The name of a part: `NAME.HASH.idx`.
        let part = entry.file_name();
        let of = part.to_str().and_then(|part| part.rsplitn(3, '.').nth(2));
        if of.is_some_and(|name| stale.contains(name)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// The files of a project in one language group.
#[derive(Debug, Default)]
struct LanguageGroupFiles {
    all: Vec<PathBuf>,
    /// The time at which the system last noted a change of each header, by its path below the project.
    headers: BTreeMap<String, SystemTime>,
}

impl LanguageGroupFiles {
    fn find_below(root: &Path, endings: Endings<'_>) -> Self {
        let mut files = Self::default();
        let mut folders = vec![root.to_path_buf()];
        while let Some(folder) = folders.pop() {
            // clangd does not read folders that cannot be listed either.
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() && entry.file_name() != ".git" => folders.push(entry.path()),
                    Ok(kind) if !kind.is_dir() => files.add(root, entry.path(), endings),
                    _ => {}
                }
            }
        }
        files
    }

    fn add(&mut self, root: &Path, path: PathBuf, endings: Endings<'_>) {
        let name = name_of(&path);
        if endings.headers.iter().any(|ending| name.ends_with(ending)) {
            let inside = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let changed = fs::metadata(&path).map_or(SystemTime::UNIX_EPOCH, |header| change_of(&header));
            self.headers.insert(inside, changed);
        } else if !endings.files.iter().any(|(ending, _)| path.extension() == Some(OsStr::new(ending))) {
            return;
        }
        self.all.push(path);
    }

    /// Returns the names of the headers that have changed since the look at that time.
    fn changed_since(&self, seen: &str, at: SystemTime) -> BTreeSet<String> {
        let seen: BTreeSet<&str> = seen.lines().collect();
        let since = at - MARGIN;
        let new = self.headers.iter().filter(|(path, at)| **at >= since || !seen.contains(path.as_str()));
        let new = new.map(|(path, _)| path.as_str());
        let gone = seen.iter().copied().filter(|path| !self.headers.contains_key(*path));
        new.chain(gone).map(|path| name_of(Path::new(path))).collect()
    }

    /// Returns the names of the files that include one of those `named`, directly or not, and of those themselves.
    fn all_that_include(&self, named: BTreeSet<String>) -> BTreeSet<String> {
        let mut includers: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in &self.all {
            let text = small::read(path, LARGEST).unwrap_or_default();
            for included in includes_in(&String::from_utf8_lossy(&text)) {
                includers.entry(included.to_owned()).or_default().insert(name_of(path));
            }
        }
        let mut found = named;
        let mut fresh: Vec<String> = found.iter().cloned().chain([ANYTHING.to_owned()]).collect();
        while let Some(name) = fresh.pop() {
            for includer in includers.get(&name).into_iter().flatten() {
                if found.insert(includer.clone()) {
                    fresh.push(includer.clone());
                }
            }
        }
        found
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the names of the files that a text includes.
fn includes_in(text: &str) -> impl Iterator<Item = &str> {
    let directive = |line: &'_ str| -> Option<usize> {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest.strip_prefix("include").or_else(|| rest.strip_prefix("import"))?;
        Some(line.len() - rest.trim_start_matches("_next").trim_start().len())
    };
    text.lines().filter_map(move |line| directive(line).map(|at| file_in(&line[at..])))
}

/// Returns the last component of an included path: `"a/b.h"` gives `b.h`. Returns [`ANYTHING`] if nothing is quoted.
fn file_in(named: &str) -> &str {
    let Some(inner) = named.strip_prefix(['"', '<']) else { return ANYTHING };
    let path = inner.split(['"', '>']).next().unwrap_or_default();
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Returns the time at which the system last noted a change of a file: of its contents or its place. Programs can set
/// other times, so those would not do.
#[cfg(unix)]
fn change_of(file: &Metadata) -> SystemTime {
    use std::os::unix::fs::MetadataExt as _;
    let (seconds, nanos) = (u64::try_from(file.ctime()), u32::try_from(file.ctime_nsec()));
    SystemTime::UNIX_EPOCH + Duration::new(seconds.unwrap_or(0), nanos.unwrap_or(0).min(999_999_999))
}

#[cfg(not(unix))]
fn change_of(file: &Metadata) -> SystemTime {
    file.modified().unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDINGS: Endings<'_> = Endings { headers: &[".h"], files: &[("c", "c"), ("h", "c")] };

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }

    #[test]
    fn directives_are_read_in_all_their_forms() {
        let text = "#include \"a/b.h\"\n  # include <c.h> // d.h\n#import \"e.h\"\n#include_next <f/g.h>\n#include H\n\
                    int include;\n#define x \"y.h\"\n#include\n";
        assert_eq!(includes_in(text).collect::<Vec<_>>(), ["b.h", "c.h", "e.h", "g.h", ANYTHING, ANYTHING]);
    }

    #[test]
    fn what_includes_a_changed_header_is_forgotten_and_nothing_else() {
        let dir = tempfile::tempdir().expect("a folder");
        let (root, keep) = (dir.path().join("ws"), dir.path().join("keep"));
        write(&root, "in/a.h", "");
        write(&root, "b.h", "#include \"in/a.h\"\n");
        write(&root, "far.c", "#include <b.h>\n");
        write(&root, "other.c", "#include <other.h>\n");
        write(&root, "other.h", "");
        let index = keep.join(".cache/clangd/index");
        let fill = || {
            for name in ["a.h", "b.h", "far.c", "other.c", "other.h"] {
                write(&index, &format!("{name}.0123456789ABCDEF.idx"), "");
            }
        };
        let look = || {
            // Moves the last look so far back that every later time is clearly newer.
            forget_stale(&root, &keep, ENDINGS).expect("looked");
            let left = fs::read_dir(&index).into_iter().flatten().flatten();
            let mut left: Vec<String> = left
                .map(|entry| name_of(&entry.path()).split(".0").next().unwrap_or("").to_owned())
                .collect();
            left.sort();
            left
        };
        let seen_at = |at: SystemTime| {
            let seen = fs::File::options().write(true).open(keep.join(SEEN)).expect("it is there");
            seen.set_modified(at).expect("set");
        };
        let later = SystemTime::now() + Duration::from_secs(3600);
        fill();
        assert_eq!(look(), [""; 0], "nothing is known of when it was made");
        fill();
        seen_at(later);
        assert_eq!(look(), ["a.h", "b.h", "far.c", "other.c", "other.h"], "nothing has changed");
        assert_eq!(look(), [""; 0], "all of them have within the last two seconds");
        fill();
        seen_at(later);
        fs::rename(root.join("in/a.h"), root.join("in/new.h")).expect("renamed");
        assert_eq!(look(), ["other.c", "other.h"], "gone");
        fs::remove_file(root.join("in/new.h")).expect("removed");
        fill();
        seen_at(later);
        assert_eq!(look(), ["a.h", "b.h", "far.c", "other.c", "other.h"], "nobody includes that one");
        write(&keep, "compile_commands.json", "[\"-include\", \"other.h\"]");
        fs::remove_file(root.join("other.h")).expect("removed");
        seen_at(later);
        assert_eq!(look(), [""; 0], "the compiler is told to include it everywhere");
    }
}
