//! Gets the diagnostics of a file: asks the server if it answers such a request, and waits if it only pushes them.
//!
//! Diagnostics count when they are about the present contents. A server that has pushed nothing for those has not said
//! that they have no errors, so an empty list is complete only if the server has sent it.

use std::time::Duration;

use lsp_types::request::{DocumentDiagnosticRequest, Request};
use lsp_types::{
    Diagnostic, DiagnosticSeverity, DocumentDiagnosticReport, DocumentDiagnosticReportResult, NumberOrString,
};
use serde_json::{Value, json};

use hob_base::WsPath;

use super::commanded::diagnostics_by_command;
use super::context::ServerQueryContext;
use super::place::RequestPosition;
use crate::instance::{Completeness, Instance, ServerAnswer};
use crate::live::{LiveError, of_call};
use crate::ready::Readiness;
use crate::uri::{self, FileRef};

/// Longest time to wait for pushed diagnostics.
const VERDICT_WITHIN: Duration = Duration::from_secs(10);

const PULL: (&str, &str) = ("diagnosticProvider", DocumentDiagnosticRequest::METHOD);

/// The protocol's own request, without absent fields: its type in `lsp-types` writes them as `null`, which TypeScript's
/// server refuses.
enum Pull {}

impl Request for Pull {
    type Params = Value;
    type Result = DocumentDiagnosticReportResult;
    const METHOD: &'static str = PULL.1;
}

/// The severity of a diagnostic, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The code does not work.
    Error,
    /// The code may not work.
    Warning,
    /// The code works; the message is only worth knowing.
    Information,
    /// It is a suggestion only.
    Hint,
}

impl Severity {
    /// Returns the word for the severity.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Information => "information",
            Self::Hint => "hint",
        }
    }

    /// Returns the severity that a word stands for; `None` for an unknown word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Error, Self::Warning, Self::Information, Self::Hint].into_iter().find(|one| one.word() == word)
    }

    /// Converts the protocol's severity; a missing one counts as an error, as in editors.
    fn from_lsp(severity: Option<DiagnosticSeverity>) -> Self {
        match severity {
            Some(DiagnosticSeverity::WARNING) => Self::Warning,
            Some(DiagnosticSeverity::INFORMATION) => Self::Information,
            Some(DiagnosticSeverity::HINT) => Self::Hint,
            _ => Self::Error,
        }
    }
}

/// One diagnostic.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Diagnosis {
    /// The file that the diagnostic is about.
    pub file: FileRef,
    /// Line and column, 1-based, in UTF-16 units.
    pub at: (u32, u32),
    /// Severity of the diagnostic, from error to hint.
    pub severity: Severity,
    /// The rule, as the server calls it.
    pub code: Option<String>,
    /// The message for people, as the server writes it.
    pub message: String,
    /// The tool that reports it: a compiler, a linter.
    pub source: Option<String>,
}

/// Returns the present diagnostics of a file.
///
/// # Errors
/// [`LiveError`].
pub fn diagnostics(
    instance: &Instance,
    file: &WsPath,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<Diagnosis>>, LiveError> {
    let commanded = || match instance.spec().judges {
        Some(judges) => diagnostics_by_command(instance, file, judges, asking),
        None => Ok(None),
    };
    let answer = if instance.has_capability(PULL.0, PULL.1) {
        pull_diagnostics(instance, file, asking)?
    } else if let Some(answer) = commanded()? {
        answer
    } else {
        let failed = |error| of_call(instance.spec().name, PULL.1, error);
        // Without any open file the server may have nothing to load, and would never be ready.
        let early = instance.spec().open.wants_asked_file() && instance.readiness() != Readiness::Ready;
        if early && !instance.open(file, asking.read).map_err(failed)? {
            return Err(LiveError::Unreadable(file.clone()));
        }
        let outcome =
            instance.await_diagnostics(file, VERDICT_WITHIN, asking.read, asking.cancel).map_err(failed)?;
        outcome.ok_or_else(|| LiveError::Unreadable(file.clone()))?
    };
    let here = FileRef::Inside(file.clone());
    Ok(answer.map(|list| list.into_iter().map(|one| to_diagnosis(&here, one)).collect()).map(in_order))
}

/// Returns the known diagnostics of the project: checks open files anew, and takes the last diagnostics for the others.
/// Never complete, because no server lists the files that it has not checked.
///
/// # Errors
/// [`LiveError`].
pub fn known_diagnostics(
    instance: &Instance,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<Diagnosis>>, LiveError> {
    let open = instance.all_open();
    let mut all = Vec::new();
    for file in &open {
        match diagnostics(instance, file, asking) {
            Ok(answer) => all.extend(answer.value),
            // The file went away meanwhile.
            Err(LiveError::Unreadable(_)) => {}
            Err(error) => return Err(error),
        }
    }
    for (path, pushed) in instance.session().diagnostics.all_by_path() {
        let place = FileRef::from_path(path, instance.root());
        let FileRef::Inside(file) = &place else { continue };
        if !open.contains(file) && instance.root().join_ws(file).as_path().exists() {
            all.extend(pushed.list.into_iter().map(|one| to_diagnosis(&place, one)));
        }
    }
    let why = format!("{} has judged only files that it was asked about", instance.spec().name);
    Ok(ServerAnswer { value: in_order(all), completeness: Completeness::Partial(why) })
}

fn pull_diagnostics(
    instance: &Instance,
    file: &WsPath,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<Diagnostic>>, LiveError> {
    // Servers check only open files, even those that answer other questions about closed ones.
    let opened = instance.open(file, asking.read);
    if !opened.map_err(|error| of_call(instance.spec().name, PULL.1, error))? {
        return Err(LiveError::Unreadable(file.clone()));
    }
    let uri = uri::of_path(&instance.root().join_ws(file));
    let params = json!({"textDocument": {"uri": uri.as_str()}});
    let at = RequestPosition { file: file.clone(), line: 1, col: 1 };
    let answer = asking.ask_about_place::<Pull>(instance, &at, (PULL.0, &params))?;
    let ServerAnswer { value, completeness } = answer;
    match value {
        DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(full)) => {
            Ok(ServerAnswer { value: full.full_document_diagnostic_report.items, completeness })
        }
        // "Unchanged" has no meaning here, because hob gave no earlier result.
        DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Unchanged(_))
        | DocumentDiagnosticReportResult::Partial(_) => {
            let why = "the server gave no verdict of its own".to_owned();
            Ok(ServerAnswer { value: Vec::new(), completeness: Completeness::Unknown(why) })
        }
    }
}

fn to_diagnosis(file: &FileRef, one: Diagnostic) -> Diagnosis {
    let start = one.range.start;
    Diagnosis {
        file: file.clone(),
        at: (start.line.saturating_add(1), start.character.saturating_add(1)),
        severity: Severity::from_lsp(one.severity),
        code: one.code.map(|code| match code {
            NumberOrString::Number(number) => number.to_string(),
            NumberOrString::String(text) => text,
        }),
        message: one.message,
        source: one.source,
    }
}

/// Sorts diagnostics and drops repeats: servers send them in any order, and sometimes twice.
fn in_order(mut all: Vec<Diagnosis>) -> Vec<Diagnosis> {
    all.sort();
    all.dedup();
    all
}
