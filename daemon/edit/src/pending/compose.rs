//! Adds one more proposal to a change set.
//!
//! A change is accepted only if it was made from the file as the set leaves it: its contents before are the set's
//! after. A change that was made from the file on the disk would silently undo the set's changes to it.

use std::sync::Arc;

use hob_base::WsPath;

use crate::change::{Proposal, ProposedFile};

/// The contents of a file after a change set, for a caller that makes another change to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Staged {
    /// The file will have these contents.
    Contents(Arc<[u8]>),
    /// The file will not exist.
    Gone,
}

/// Why a change does not fit a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Misfit {
    pub(crate) path: WsPath,
    pub(crate) why: &'static str,
}

const OTHER: &str = "this change was not made from the contents that the set gives it";
const GONE: &str = "the set deletes or moves it";
const THERE: &str = "the set creates it or moves another file there";

/// Joins `set` and then `more` into one proposal. The first has the label and tool of `more`, every later one those of
/// both.
pub(crate) fn compose_set(set: &Proposal, more: Proposal) -> Result<Proposal, Misfit> {
    let mut changes = set.changes.clone();
    for change in more.changes.into_iter().filter(|change| !change.is_nothing()) {
        add(&mut changes, change)?;
    }
    changes.retain(|change| !change.is_nothing());
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    let label = if set.changes.is_empty() { more.label } else { join_labels(&set.label, &more.label) };
    Ok(Proposal { label, tool: more.tool, changes })
}

/// Longest label in bytes; further labels are not added.
const LABEL: usize = 200;

fn join_labels(set: &str, more: &str) -> String {
    match set.len() + more.len() {
        len if len <= LABEL => format!("{set}; {more}"),
        _ if set.ends_with("; ...") => set.to_owned(),
        _ => format!("{set}; ..."),
    }
}

/// Returns the contents of the file at `path` after a change set; `None` if the set does not touch it.
pub(crate) fn staged_in_set(set: &Proposal, path: &WsPath) -> Option<Staged> {
    let reaching = set.changes.iter().find(|change| final_path(change) == path);
    if let Some(after) = reaching.and_then(|change| change.after.clone()) {
        return Some(Staged::Contents(after));
    }
    let leaving = set.changes.iter().any(|change| change.path == *path && change.before.is_some());
    leaving.then_some(Staged::Gone)
}

fn final_path(change: &ProposedFile) -> &WsPath {
    match &change.after {
        Some(_) => change.moved_to.as_ref().unwrap_or(&change.path),
        None => &change.path,
    }
}

fn add(changes: &mut Vec<ProposedFile>, change: ProposedFile) -> Result<(), Misfit> {
    let misfit = |path: &WsPath, why| Err(Misfit { path: path.clone(), why });
    let to = final_path(&change).clone();
    let reached = |changes: &[ProposedFile], path: &WsPath| {
        changes.iter().position(|one| final_path(one) == path && one.after.is_some())
    };
    if to != change.path && reached(changes, &to).is_some() {
        return misfit(&to, THERE);
    }
    let Some(index) = reached(changes, &change.path) else {
        let deleted = |one: &ProposedFile| one.path == change.path && one.before.is_some();
        match changes.iter().position(deleted) {
            Some(_) if change.before.is_some() => return misfit(&change.path, GONE),
            // A file that is deleted and made again counts as changed.
            Some(at) if changes[at].after.is_none() && to == change.path => {
                changes[at].after = change.after;
            }
            _ => changes.push(change),
        }
        return Ok(());
    };
    let earlier = &mut changes[index];
    match (&change.before, &earlier.after) {
        (None, _) => return misfit(&change.path, THERE),
        (before, after) if before != after => return misfit(&change.path, OTHER),
        _ => {}
    }
    earlier.moved_to = (to != earlier.path && change.after.is_some()).then_some(to);
    earlier.after = change.after;
    if earlier.before.is_none() {
        // A file that the set creates and then moves had no earlier place.
        if let Some(to) = earlier.moved_to.take() {
            earlier.path = to;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> WsPath {
        WsPath::new(text).expect("relative")
    }

    fn change_of(from: &str, to: &str, before: Option<&str>, after: Option<&str>) -> ProposedFile {
        let bytes = |text: &str| text.as_bytes().into();
        let moved_to = (from != to).then(|| path(to));
        ProposedFile { path: path(from), moved_to, before: before.map(bytes), after: after.map(bytes) }
    }

    fn proposal_of(label: &str, changes: Vec<ProposedFile>) -> Proposal {
        Proposal { label: label.into(), tool: "edit_text".into(), changes }
    }

    fn compose_both(
        first: Vec<ProposedFile>,
        second: Vec<ProposedFile>,
    ) -> Result<Vec<ProposedFile>, &'static str> {
        let set =
            compose_set(&proposal_of("", Vec::new()), proposal_of("one", first)).expect("the first fits");
        compose_set(&set, proposal_of("two", second)).map(|set| set.changes).map_err(|misfit| misfit.why)
    }

    #[test]
    fn a_later_change_builds_on_what_the_set_makes() {
        let a = |before, after| change_of("a", "a", before, after);
        assert_eq!(
            compose_both(vec![a(Some("1"), Some("2"))], vec![a(Some("2"), Some("3"))]),
            Ok(vec![a(Some("1"), Some("3"))])
        );
        assert_eq!(compose_both(vec![a(Some("1"), Some("2"))], vec![a(Some("2"), Some("1"))]), Ok(vec![]));
        assert_eq!(compose_both(vec![a(None, Some("2"))], vec![a(Some("2"), None)]), Ok(vec![]));
        assert_eq!(
            compose_both(vec![a(Some("1"), None)], vec![a(None, Some("2"))]),
            Ok(vec![a(Some("1"), Some("2"))])
        );
        assert_eq!(
            compose_both(
                vec![change_of("a", "b", Some("1"), Some("2"))],
                vec![change_of("b", "c", Some("2"), Some("3")), a(None, Some("x"))]
            ),
            Ok(vec![change_of("a", "c", Some("1"), Some("3")), a(None, Some("x"))])
        );
        assert_eq!(
            compose_both(
                vec![change_of("a", "b", Some("1"), Some("2"))],
                vec![change_of("b", "a", Some("2"), Some("2"))]
            ),
            Ok(vec![a(Some("1"), Some("2"))])
        );
        assert_eq!(
            compose_both(vec![a(None, Some("1"))], vec![change_of("a", "b", Some("1"), Some("2"))]),
            Ok(vec![change_of("b", "b", None, Some("2"))])
        );
    }

    #[test]
    fn a_change_made_from_other_contents_does_not_fit() {
        let a = |before, after| change_of("a", "a", before, after);
        let edit = || vec![a(Some("1"), Some("2"))];
        assert_eq!(compose_both(edit(), vec![a(Some("1"), Some("3"))]), Err(OTHER));
        assert_eq!(compose_both(edit(), vec![a(None, Some("3"))]), Err(THERE));
        assert_eq!(compose_both(edit(), vec![change_of("b", "a", Some("x"), Some("x"))]), Err(THERE));
        assert_eq!(compose_both(vec![a(Some("1"), None)], vec![a(Some("1"), Some("3"))]), Err(GONE));
        let away = vec![change_of("a", "b", Some("1"), Some("1"))];
        assert_eq!(compose_both(away, vec![a(Some("1"), Some("3"))]), Err(GONE));
    }

    #[test]
    fn what_the_set_makes_of_a_file_is_known() {
        let set = proposal_of(
            "",
            vec![change_of("a", "b", Some("1"), Some("2")), change_of("c", "c", Some("3"), None)],
        );
        assert_eq!(staged_in_set(&set, &path("b")), Some(Staged::Contents(b"2".as_slice().into())));
        assert_eq!(staged_in_set(&set, &path("a")), Some(Staged::Gone));
        assert_eq!(staged_in_set(&set, &path("c")), Some(Staged::Gone));
        assert_eq!(staged_in_set(&set, &path("d")), None);
    }
}
