//! Gets the diagnostics of a file by a command, for servers that do not answer the protocol's request. Such a server
//! pushes only changes: it pushes nothing for a file without errors before and now.
//!
//! The answers have tsserver's form; the servers around it pass them on.

use hob_base::WsPath;
use lsp_types::request::{ExecuteCommand, Request};
use lsp_types::{Diagnostic, DiagnosticSeverity, ExecuteCommandParams, NumberOrString, Position, Range};
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::ServerQueryContext;
use super::place::RequestPosition;
use crate::instance::{Completeness, Instance, ServerAnswer};
use crate::live::LiveError;
use crate::rpc::CallError;
use crate::spec::DiagnosticsCommand;

/// The field of a server's capabilities that lists its commands.
const COMMANDS: &str = "executeCommandProvider";

/// One diagnostic as tsserver writes it.
#[derive(Deserialize)]
struct TsserverDiagnostic {
    start: TsserverPosition,
    end: TsserverPosition,
    text: String,
    code: Option<i32>,
    category: String,
    source: Option<String>,
}

/// A place, 1-based, in UTF-16 units.
#[derive(Deserialize)]
struct TsserverPosition {
    line: u32,
    offset: u32,
}

/// Returns all diagnostics of a file; `None` where the server does not know the command, or its answer has another
/// form.
pub(super) fn diagnostics_by_command(
    instance: &Instance,
    file: &WsPath,
    judges: DiagnosticsCommand,
    asking: ServerQueryContext<'_>,
) -> Result<Option<ServerAnswer<Vec<Diagnostic>>>, LiveError> {
    if !instance.has_capability(COMMANDS, ExecuteCommand::METHOD) {
        return Ok(None);
    }
    let path = instance.root().join_ws(file);
    let path = path.as_path().to_string_lossy();
    let at = RequestPosition { file: file.clone(), line: 1, col: 1 };
    let mut all = ServerAnswer { value: Vec::new(), completeness: Completeness::Complete };
    for question in judges.questions {
        let params = ExecuteCommandParams {
            command: judges.command.to_owned(),
            arguments: vec![json!(question), json!({"file": path})],
            ..ExecuteCommandParams::default()
        };
        let answer = match asking.ask_about_place::<ExecuteCommand>(instance, &at, (COMMANDS, &params)) {
            Err(LiveError::Refused { error: CallError::Refused(_), .. }) => return Ok(None),
            outcome => outcome?,
        };
        let Some(found) = read(answer.value) else { return Ok(None) };
        all.value.extend(found);
        if all.completeness == Completeness::Complete {
            all.completeness = answer.completeness;
        }
    }
    Ok(Some(all))
}

fn read(answer: Option<Value>) -> Option<Vec<Diagnostic>> {
    let found: Vec<TsserverDiagnostic> = serde_json::from_value(answer?.get_mut("body")?.take()).ok()?;
    Some(found.into_iter().map(to_lsp_diagnostic).collect())
}

fn to_lsp_diagnostic(found: TsserverDiagnostic) -> Diagnostic {
    let position = |spot: &TsserverPosition| Position {
        line: spot.line.saturating_sub(1),
        character: spot.offset.saturating_sub(1),
    };
    let severity = match found.category.as_str() {
        "warning" => DiagnosticSeverity::WARNING,
        "suggestion" => DiagnosticSeverity::HINT,
        _ => DiagnosticSeverity::ERROR,
    };
    Diagnostic {
        range: Range { start: position(&found.start), end: position(&found.end) },
        severity: Some(severity),
        code: found.code.map(NumberOrString::Number),
        source: Some(found.source.unwrap_or_else(|| "typescript".to_owned())),
        message: found.text,
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tsserver_says_is_read_and_nothing_else() {
        let spot = |line, offset| json!({"line": line, "offset": offset});
        let body = json!([{"start": spot(4, 5), "end": spot(4, 6), "text": "no x", "code": 2322, "category": "error"}]);
        let read = |answer: Value| super::read(Some(answer));
        let found = read(json!({"type": "response", "body": body})).expect("it is an answer");
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.range.start.line, one.range.start.character, one.message.as_str()), (3, 4, "no x"));
        assert_eq!(one.severity, Some(DiagnosticSeverity::ERROR));
        assert_eq!(read(json!({"body": []})), Some(Vec::new()));
        for other in [json!(null), json!({"type": "cancelled"}), json!({"body": [{"text": "no place"}]})] {
            assert_eq!(read(other), None);
        }
    }
}
