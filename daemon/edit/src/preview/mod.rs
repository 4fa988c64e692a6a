//! Shows a proposal: unified diffs as git writes them, and counts.
//!
//! `git apply` of the whole diff to the old tree gives the new one, byte for byte; a test checks this with the real
//! git. Contents that are no text (not UTF-8, or with a zero byte) cannot stand in a diff, so the diff says of such a
//! file only that it differs. Modes are not known here; a file that is created or deleted is shown with the usual one.

mod hunks;
mod names;

use std::fmt::Write as _;

use hob_base::WsPath;

use crate::{Proposal, ProposedFile};
use names::{diff_side, quote_name};

/// The effect of a proposal, for reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preview {
    /// The preview of each change, in their order.
    pub files: Vec<FilePreview>,
}

/// The effect of a change on one file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilePreview {
    /// The present path, or the future one of a new file.
    pub path: WsPath,
    /// The path to which the file is moved, if it is.
    pub moved_to: Option<WsPath>,
    /// The kind of change to the file.
    pub kind: FileKind,
    /// Number of lines that the change adds.
    pub additions: usize,
    /// Number of lines that the change removes.
    pub deletions: usize,
    /// True if the contents can be shown; if not, `diff` says only that they differ.
    pub is_text: bool,
    /// Its part of the whole diff: from `diff --git` to the end of its last hunk.
    pub diff: String,
}

/// The kind of change to a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileKind {
    /// Its contents change.
    Modified,
    /// The file is new.
    Created,
    /// The file is removed.
    Deleted,
    /// The file moves, perhaps with other contents.
    Moved,
}

impl Preview {
    /// Makes the preview of `proposal`.
    #[must_use]
    pub fn of(proposal: &Proposal) -> Self {
        Self { files: proposal.changes.iter().map(FilePreview::preview_of).collect() }
    }

    /// Returns the diff of all files together.
    #[must_use]
    pub fn diff(&self) -> String {
        self.files.iter().map(|file| file.diff.as_str()).collect()
    }

    /// Returns the number of lines added and removed in all files.
    #[must_use]
    pub fn line_totals(&self) -> (usize, usize) {
        self.files
            .iter()
            .fold((0, 0), |(added, removed), file| (added + file.additions, removed + file.deletions))
    }
}

impl FilePreview {
    fn preview_of(change: &ProposedFile) -> Self {
        let old = change.before.as_deref().unwrap_or_default();
        let new = change.after.as_deref().unwrap_or_default();
        let is_text = hunks::is_text(old) && hunks::is_text(new);
        let hunks = hunks::find_hunks(old, new);
        let mut diff = diff_header(change);
        if is_text && !hunks.text.is_empty() {
            body_names(&mut diff, change);
            diff.push_str(&hunks.text);
        } else if old != new {
            let (old, new) =
                (diff_side("a/", change.before.as_ref().map(|_| &change.path)), new_side(change));
            let _ = writeln!(diff, "Binary files {old} and {new} differ");
        }
        Self {
            path: change.path.clone(),
            moved_to: change.moved_to.clone(),
            kind: kind(change),
            additions: hunks.additions,
            deletions: hunks.deletions,
            is_text,
            diff,
        }
    }
}

fn kind(change: &ProposedFile) -> FileKind {
    match (&change.before, &change.after) {
        (None, _) => FileKind::Created,
        (_, None) => FileKind::Deleted,
        _ if final_path(change) != &change.path => FileKind::Moved,
        _ => FileKind::Modified,
    }
}

fn final_path(change: &ProposedFile) -> &WsPath {
    change.moved_to.as_ref().unwrap_or(&change.path)
}

fn diff_header(change: &ProposedFile) -> String {
    let to = if change.after.is_some() { final_path(change) } else { &change.path };
    let from = if change.before.is_some() { &change.path } else { to };
    let mut out = format!("diff --git {} {}\n", quote_name("a/", from), quote_name("b/", to));
    out.push_str(&match kind(change) {
        FileKind::Modified => String::new(),
        FileKind::Created => "new file mode 100644\n".to_owned(),
        FileKind::Deleted => "deleted file mode 100644\n".to_owned(),
        FileKind::Moved => {
            format!("rename from {}\nrename to {}\n", quote_name("", from), quote_name("", to))
        }
    });
    out
}

fn new_side(change: &ProposedFile) -> String {
    diff_side("b/", change.after.as_ref().map(|_| final_path(change)))
}

fn body_names(diff: &mut String, change: &ProposedFile) {
    // Git does the same: without the tab, other programs would end a name at its first space.
    let ended = |name: String| if name.contains(' ') { name + "\t" } else { name };
    let old = ended(diff_side("a/", change.before.as_ref().map(|_| &change.path)));
    let _ = write!(diff, "--- {old}\n+++ {}\n", ended(new_side(change)));
}
