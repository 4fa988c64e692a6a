//! Tests `edit_symbol` on real trees: definitions that the map finds are removed or duplicated. Afterwards all other
//! definitions are still there, no others are, and everything that could be parsed still can.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hob_edit::{SymbolEditError, SymbolOperation, SymbolPlace, apply_splices, edit_symbol};
use hob_map::facts::{Def, DefKind, FileFacts};
use hob_map::{extract, language_of};
use hob_tests::{projects, projects_native, projects_small};

/// The definitions that are tried in each file.
const TRIED: usize = 6;

/// A file of real code.
struct Code {
    name: String,
    text: String,
    facts: FileFacts,
}

fn facts(name: &str, text: &str) -> FileFacts {
    extract(language_of(name, text.as_bytes()).expect("a language"), name, text.as_bytes())
}

/// Returns every Python, TypeScript, Rust, Go and C file in the trees that tests use.
fn sources() -> Vec<Code> {
    let trees = [
        projects::click(),
        projects::flask(),
        projects::rxjs(),
        projects_native::ignore(),
        projects_native::pflag(),
        projects_small::aho_corasick(),
        projects_small::go_cmp(),
        projects_small::zlib(),
    ];
    let mut files = Vec::new();
    trees.iter().for_each(|tree| list(tree, &mut files));
    files.sort();
    files.iter().filter_map(|path| code(path)).collect()
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    let endings = ["py", "ts", "rs", "go", "c", "h"];
    for entry in fs::read_dir(folder).expect("a folder of the tree").flatten() {
        let path = entry.path();
        if path.is_dir() {
            list(&path, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known)) {
            found.push(path);
        }
    }
}

/// Returns a file, if the map understands all of it.
fn code(path: &Path) -> Option<Code> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let text = fs::read_to_string(path).ok()?;
    let facts = facts(&name, &text);
    (!facts.has_errors).then_some(Code { name, text, facts })
}

impl Code {
    fn place(&self, def: &Def) -> SymbolPlace<'_> {
        SymbolPlace { bytes: def.bytes.0 as usize..def.bytes.1 as usize, language: self.facts.lang.id() }
    }

    fn said(&self, def: &Def) -> &str {
        &self.text[def.bytes.0 as usize..def.bytes.1 as usize]
    }

    fn edited(&self, def: &Def, operation: SymbolOperation<'_>) -> Result<Self, SymbolEditError> {
        let splices = edit_symbol(self.text.as_bytes(), &self.place(def), operation)?;
        let after = apply_splices(self.text.as_bytes(), &splices).expect("they fit");
        let text = String::from_utf8(after).expect("text");
        let facts = facts(&self.name, &text);
        Ok(Self { name: self.name.clone(), text, facts })
    }

    /// Returns the names of all definitions that `keep` accepts, except routes. The name of a route includes the prefix
    /// that another definition holds, so it rightly changes with that one.
    fn names(&self, keep: impl Fn(&Def) -> bool) -> BTreeSet<&str> {
        let kept = self.facts.defs.iter().filter(|def| def.kind != DefKind::Route && keep(def));
        kept.map(|def| self.facts.name(def.name)).collect()
    }

    fn describe(&self, def: &Def) -> String {
        format!("{}:{} `{}`", self.name, def.lines.0, self.facts.name(def.name))
    }
}

/// Returns some definitions from all over the file.
fn tried(code: &Code) -> impl Iterator<Item = &Def> {
    let step = code.facts.defs.len().div_ceil(TRIED).max(1);
    code.facts.defs.iter().step_by(step)
}

fn within(outer: &Def) -> impl Fn(&Def) -> bool {
    let (start, end) = outer.bytes;
    move |def| start <= def.bytes.0 && def.bytes.1 <= end
}

#[test]
fn what_is_taken_out_takes_nothing_with_it() {
    let (mut wrong, mut done) = (Vec::new(), 0);
    for code in sources() {
        for def in tried(&code) {
            let after = match code.edited(def, SymbolOperation::Delete) {
                Ok(after) => after,
                Err(SymbolEditError::SharesLine { .. } | SymbolEditError::IsValue(_)) => continue,
                Err(error) => panic!("{}: {error}", code.describe(def)),
            };
            let is_inside = within(def);
            let wanted = code.names(|other| !is_inside(other));
            let found = after.names(|_| true);
            let lost: Vec<_> = wanted.difference(&found).collect();
            // A removed definition may exist elsewhere too: overloads are one definition, and so are assignments to a
            // field.
            let gone = code.names(is_inside);
            let new: Vec<_> = found.difference(&wanted).filter(|name| !gone.contains(*name)).collect();
            if !lost.is_empty() || !new.is_empty() || after.facts.has_errors {
                wrong.push(format!("{}: lost {lost:?}, new {new:?}", code.describe(def)));
            }
            done += 1;
        }
    }
    assert!(wrong.is_empty() && done > 1_000, "{} of {done}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_definition_can_stand_beside_itself() {
    let mut wrong = Vec::new();
    for code in sources() {
        for def in tried(&code) {
            match code.edited(def, SymbolOperation::Replace(code.said(def))) {
                Err(SymbolEditError::NothingChanges) => {}
                other => wrong.push(format!("{} {:?}", code.describe(def), other.err())),
            }
            for operation in [SymbolOperation::InsertAfter, SymbolOperation::InsertBefore] {
                let after = code.edited(def, operation(code.said(def))).expect("it can be inserted");
                if after.text.matches(code.said(def)).count() < 2 {
                    wrong.push(code.describe(def));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
