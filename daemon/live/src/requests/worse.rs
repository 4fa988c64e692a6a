//! Finds what an edit made worse, by comparing the diagnostics of some files before it and after it.
//!
//! Diagnostics are counted by severity, because an edit changes positions and names. Files without diagnostics from the
//! server are listed as such, and nothing is claimed about them: silence does not mean that they have no errors.

use std::collections::{BTreeMap, HashMap};

use hob_base::WsPath;

use super::context::ServerQueryContext;
use super::diagnostics::{Diagnosis, Severity, diagnostics};
use crate::instance::{Completeness, Instance};
use crate::live::LiveError;
use crate::ready::Readiness;

/// Most files that are checked at once; each is opened, and a server may have that many open.
const MOST: usize = 32;

/// The diagnostics of some files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileDiagnostics {
    /// Diagnostics of each file that has an answer; empty if the file has no errors.
    pub files: BTreeMap<WsPath, Vec<Diagnosis>>,
    /// Files without an answer, with the reason.
    pub unjudged: BTreeMap<WsPath, String>,
}

/// A file with more diagnostics than before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorseFile {
    /// The file's present path.
    pub file: WsPath,
    /// The severity that has increased: error or warning.
    pub severity: Severity,
    /// Number of diagnostics of this severity before the edit.
    pub before: usize,
    /// Number of diagnostics of this severity after the edit.
    pub after: usize,
    /// Diagnostics whose text did not exist before, at any place; by line.
    pub new: Vec<Diagnosis>,
}

/// Asks for the diagnostics of `files` as they are now. Never fails: a file for which the server gives none is listed
/// with the reason.
#[must_use]
pub fn judge(instance: &Instance, files: &[WsPath], asking: ServerQueryContext<'_>) -> FileDiagnostics {
    let mut judgement = FileDiagnostics::default();
    let mut stopped: Option<String> = None;
    for (at, file) in files.iter().enumerate() {
        if at >= MOST {
            stopped.get_or_insert_with(|| format!("only the first {MOST} files are looked at"));
        }
        let outcome = match &stopped {
            Some(why) => Err(why.clone()),
            None => settled_diagnostics(instance, file, asking).map_err(|(why, for_all)| {
                stopped = for_all.then(|| why.clone());
                why
            }),
        };
        match outcome {
            Ok(list) => drop(judgement.files.insert(file.clone(), list)),
            Err(why) => drop(judgement.unjudged.insert(file.clone(), why)),
        }
    }
    judgement
}

/// Returns diagnostics that count. The error is the reason why there are none, and whether other files will have none
/// either.
fn settled_diagnostics(
    instance: &Instance,
    file: &WsPath,
    asking: ServerQueryContext<'_>,
) -> Result<Vec<Diagnosis>, (String, bool)> {
    match diagnostics(instance, file, asking) {
        Ok(answer) => match answer.completeness {
            Completeness::Complete => Ok(answer.value),
            // The server will not know better after the edit either.
            Completeness::Partial(_) if matches!(instance.readiness(), Readiness::Impaired(_)) => {
                Ok(answer.value)
            }
            Completeness::Partial(why) | Completeness::Unknown(why) => Err((why, false)),
        },
        Err(error @ LiveError::Unreadable(_)) => Err((error.to_string(), false)),
        Err(error) => Err((error.to_string(), true)),
    }
}

/// Finds the files with more diagnostics in `after` than in `before`, by file and severity. `moved` maps new paths to
/// old ones.
#[must_use]
pub fn worse(
    before: &FileDiagnostics,
    after: &FileDiagnostics,
    moved: &BTreeMap<WsPath, WsPath>,
) -> Vec<WorseFile> {
    let mut all = Vec::new();
    for (file, now) in &after.files {
        let origin = moved.get(file).unwrap_or(file);
        // A file without known diagnostics had none before, unless the server did not check it.
        let known = before.files.get(origin).map(Vec::as_slice);
        let Some(then) = known.or((!before.unjudged.contains_key(origin)).then_some(&[][..])) else {
            continue;
        };
        all.extend([Severity::Error, Severity::Warning].into_iter().filter_map(|severity| {
            let of = |list: &[Diagnosis]| -> Vec<Diagnosis> {
                list.iter().filter(|one| one.severity == severity).cloned().collect()
            };
            worse_if_more(file, severity, &of(then), of(now))
        }));
    }
    all
}

fn worse_if_more(
    file: &WsPath,
    severity: Severity,
    then: &[Diagnosis],
    now: Vec<Diagnosis>,
) -> Option<WorseFile> {
    let (before, after) = (then.len(), now.len());
    if after <= before {
        return None;
    }
    let words = |one: &Diagnosis| (one.code.clone(), one.message.clone());
    let mut said: HashMap<_, usize> = HashMap::new();
    for one in then {
        *said.entry(words(one)).or_default() += 1;
    }
    let is_new = |one: &Diagnosis| {
        let left = said.entry(words(one)).or_default();
        let is_new = *left == 0;
        *left = left.saturating_sub(1);
        is_new
    };
    let new = now.into_iter().filter(is_new).collect();
    Some(WorseFile { file: file.clone(), severity, before, after, new })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uri::FileRef;

    fn path(text: &str) -> WsPath {
        WsPath::new(text).expect("relative")
    }

    fn judged_file(file: &str, list: &[(Severity, u32, &str)]) -> (WsPath, Vec<Diagnosis>) {
        let one = |(severity, line, message): &(Severity, u32, &str)| Diagnosis {
            file: FileRef::Inside(path(file)),
            at: (*line, 1),
            severity: *severity,
            code: None,
            message: (*message).to_owned(),
            source: None,
        };
        (path(file), list.iter().map(one).collect())
    }

    fn judgement_of<const N: usize>(files: [(WsPath, Vec<Diagnosis>); N]) -> FileDiagnostics {
        FileDiagnostics { files: files.into(), ..FileDiagnostics::default() }
    }

    #[test]
    fn only_what_there_is_more_of_is_worse() {
        use Severity::{Error, Hint, Warning};
        let before = judgement_of([
            judged_file("a.py", &[(Error, 3, "no x"), (Warning, 1, "unused")]),
            judged_file("b.py", &[(Error, 1, "broken")]),
        ]);
        let after = judgement_of([
            judged_file(
                "a.py",
                &[(Error, 9, "no x"), (Error, 10, "no x"), (Error, 11, "no y"), (Hint, 1, "hm")],
            ),
            judged_file("c.py", &[(Error, 5, "broken otherwise")]),
            judged_file("new.py", &[(Warning, 1, "odd")]),
        ]);
        let moved = BTreeMap::from([(path("c.py"), path("b.py"))]);
        let found = worse(&before, &after, &moved);
        let [a, new] = &found[..] else { panic!("{found:?}") };
        assert_eq!((a.file.as_str(), a.severity, a.before, a.after), ("a.py", Error, 1, 3));
        assert_eq!(a.new.iter().map(|one| one.at.0).collect::<Vec<_>>(), [10, 11]);
        assert_eq!((new.file.as_str(), new.before, new.after), ("new.py", 0, 1));
    }

    #[test]
    fn without_a_verdict_nothing_is_said() {
        let mut before = FileDiagnostics::default();
        before.unjudged.insert(path("a.py"), "too late".to_owned());
        let after = judgement_of([judged_file("a.py", &[(Severity::Error, 1, "broken")])]);
        assert_eq!(worse(&before, &after, &BTreeMap::new()), []);
    }
}
