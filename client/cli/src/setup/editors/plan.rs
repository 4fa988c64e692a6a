//! Plans the set-up of an editor: texts, and the place of each.
//!
//! A file that hob made begins with a mark, and hob may replace it; any other file is the user's, and hob only reads
//! it. hob shows the text for such a file, and the user puts it there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::term::Style;

/// The mark that makes a file hob's own: it is in the first line.
const MARK: &str = "Written by `hob setup";

/// Everything to be done for one editor.
#[derive(Debug)]
pub(super) struct EditorSetupPlan {
    /// The steps, in their order.
    pub(super) steps: Vec<EditorSetupStep>,
    /// Sentences that the user should know.
    pub(super) notes: Vec<&'static str>,
}

/// A text and its place.
#[derive(Debug)]
pub(super) struct EditorSetupStep {
    /// The purpose of the text, for people.
    pub(super) about: &'static str,
    pub(super) place: SetupTextPlace,
    pub(super) text: String,
}

/// The place of a text.
#[derive(Debug)]
pub(super) enum SetupTextPlace {
    /// A file of its own. The text begins with the mark.
    File(PathBuf),
    /// Into a file of the user.
    Into(PathBuf),
    /// A file of the user, if the step before does not apply.
    Instead(PathBuf),
}

/// Returns the first line of a file of hob's own, without the marks of a comment.
pub(super) fn mark_line(editor: &str) -> String {
    format!("{MARK} {editor} --write`, which makes it anew as long as this line is there.")
}

/// The outcome of writing a step.
#[derive(Debug, PartialEq, Eq)]
enum StepOutcome {
    /// The file is new, or was hob's.
    Done,
    /// The file had this text already.
    Same,
    /// Another program's or the user's file is in its place.
    Taken,
    /// The text is for the user's file, and was only shown.
    Shown,
}

impl EditorSetupPlan {
    /// Renders the steps for people.
    pub(super) fn steps_text(&self, style: &Style) -> String {
        let steps = self.steps.iter().map(|step| step.step_text(style, step.heading()));
        steps.chain([self.notes_text(style)]).collect()
    }

    /// Returns the steps for scripts.
    pub(super) fn as_json(&self) -> Value {
        let step = |step: &EditorSetupStep| {
            let (kind, path) = match &step.place {
                SetupTextPlace::File(path) => ("file", path),
                SetupTextPlace::Into(path) => ("into", path),
                SetupTextPlace::Instead(path) => ("instead", path),
            };
            json!({"about": step.about, "kind": kind, "path": path.to_string_lossy(), "text": step.text})
        };
        json!({"steps": self.steps.iter().map(step).collect::<Vec<_>>(), "notes": self.notes})
    }

    /// Writes hob's own files, and shows the other texts.
    ///
    /// # Errors
    /// The system's error, with the file.
    pub(super) fn write(&self, style: &Style) -> io::Result<String> {
        let mut told = String::new();
        for step in &self.steps {
            let path = step.place.path().display();
            told.push_str(&match step.write()? {
                StepOutcome::Done => format!("written: {path}\n"),
                StepOutcome::Same => format!("{path} is as it should be\n"),
                StepOutcome::Taken => {
                    let heading = format!("{path} is there and not hob's: it is left as it is. To add to it");
                    step.step_text(style, heading)
                }
                StepOutcome::Shown => step.step_text(style, step.heading()),
            });
        }
        told.push_str(&self.notes_text(style));
        Ok(told)
    }

    fn notes_text(&self, style: &Style) -> String {
        self.notes.iter().map(|note| style.note(note) + "\n").collect()
    }
}

impl SetupTextPlace {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) | Self::Into(path) | Self::Instead(path) => path,
        }
    }
}

impl EditorSetupStep {
    /// Creates a step with a file of hob's own.
    pub(super) fn file(about: &'static str, path: PathBuf, text: String) -> Self {
        Self { about, place: SetupTextPlace::File(path), text }
    }

    /// Creates a step with lines for a file of the user.
    pub(super) fn into(about: &'static str, path: PathBuf, text: impl Into<String>) -> Self {
        Self { about, place: SetupTextPlace::Into(path), text: text.into() }
    }

    /// Creates a step with lines for a file of the user, instead of the step before.
    pub(super) fn instead(about: &'static str, path: PathBuf, text: String) -> Self {
        Self { about, place: SetupTextPlace::Instead(path), text }
    }

    fn heading(&self) -> String {
        let (about, path) = (self.about, self.place.path().display());
        match self.place {
            SetupTextPlace::File(_) => format!("{about}: the file {path}"),
            SetupTextPlace::Into(_) => format!("{about}: add to {path}"),
            SetupTextPlace::Instead(_) => format!("{about}, instead: add to {path}"),
        }
    }

    fn step_text(&self, style: &Style, heading: String) -> String {
        format!("{}\n\n{}\n", style.bold(heading), self.text)
    }

    fn write(&self) -> io::Result<StepOutcome> {
        let SetupTextPlace::File(path) = &self.place else { return Ok(StepOutcome::Shown) };
        let named = |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display()));
        match fs::read(path) {
            Ok(found) if found == self.text.as_bytes() => return Ok(StepOutcome::Same),
            Ok(found) if !is_ours(&found) => return Ok(StepOutcome::Taken),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path.parent().unwrap_or(path)).map_err(named)?;
            }
            Err(error) => return Err(named(error)),
        }
        fs::write(path, &self.text).map_err(named)?;
        Ok(StepOutcome::Done)
    }
}

fn is_ours(found: &[u8]) -> bool {
    let first = found.split(|byte| *byte == b'\n').next().unwrap_or_default();
    String::from_utf8_lossy(first).contains(MARK)
}
