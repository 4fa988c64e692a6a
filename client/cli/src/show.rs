//! Prints an answer: the result on standard output, remarks about it on standard error.

use hob_client::DaemonAnswer;
use hob_proto::{Envelope, ErrorCode, ToolError};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::paint::paint_answer;
use super::term::{self, Style};
use super::visible::on_one_line;
use super::{CommandFailure, CommandOutcome, render};

/// Prints an answer in its text form; a failure goes to standard error.
pub(crate) fn text(answer: &DaemonAnswer) -> Result<CommandOutcome, CommandFailure> {
    if answer.ok {
        term::print(&format!(
            "{}\n",
            paint_answer(&answer.envelope, &Style::of_stdout()).trim_end_matches('\n')
        ))?;
        return Ok(if found_nothing(&answer.envelope) {
            CommandOutcome::NothingFound
        } else {
            CommandOutcome::Done
        });
    }
    term::print_to_stderr(&paint_answer(&answer.envelope, &Style::of_stderr()));
    let is_unreachable = answer.envelope.starts_with("DAEMON_UNAVAILABLE:");
    Ok(if is_unreachable { CommandOutcome::NoDaemon } else { CommandOutcome::Refused })
}

/// Returns true if an answer consists of names that were not found.
fn found_nothing(text: &str) -> bool {
    text.starts_with("not found: ") && text.lines().skip(1).all(|line| line.starts_with('['))
}

/// Prints an answer in its JSON form, laid out for people; with `json` exactly the envelope.
pub(crate) fn print_answer(answer: &DaemonAnswer, json: bool) -> Result<CommandOutcome, CommandFailure> {
    let parsed = Envelope::parse(&answer.envelope);
    let outcome = answer_outcome(answer.ok, parsed.as_ref().ok());
    if json {
        term::print(&format!("{}\n", answer.envelope))?;
        return Ok(outcome);
    }
    let envelope = parsed
        .map_err(|error| CommandFailure::Daemon(format!("the answer cannot be read: {error}; try --json")))?;
    if let Some(data) = &envelope.data {
        term::print(&render::render_data(data, &Style::of_stdout()))?;
    }
    print_remarks(&envelope);
    Ok(outcome)
}

/// Reads the result of an answer in its JSON form; `None` if there is no result, or it has another shape than expected.
pub(crate) fn result_of<T: DeserializeOwned>(answer: &DaemonAnswer) -> Option<T> {
    Envelope::parse(&answer.envelope).ok()?.data.and_then(|data| serde_json::from_value(data).ok())
}

/// Prints the result as `render` lays it out; works as [`print_answer`] with `json`, or where `render` returns `None`.
pub(crate) fn print_result<T: DeserializeOwned>(
    answer: &DaemonAnswer,
    json: bool,
    render: impl FnOnce(&T, &Style) -> Option<String>,
) -> Result<CommandOutcome, CommandFailure> {
    let result = (!json).then(|| result_of(answer)).flatten();
    let Some(text) = result.and_then(|result| render(&result, &Style::of_stdout())) else {
        return print_answer(answer, json);
    };
    term::print(&text)?;
    remarks_of(answer);
    Ok(CommandOutcome::Done)
}

/// Prints only the remarks besides the result, for commands that print the result themselves.
pub(crate) fn remarks_of(answer: &DaemonAnswer) {
    if let Ok(envelope) = Envelope::parse(&answer.envelope) {
        print_remarks(&envelope);
    }
}

fn print_remarks(envelope: &Envelope) {
    for line in remarks(envelope, &Style::of_stderr()) {
        term::print_to_stderr(&line);
    }
}

fn answer_outcome(ok: bool, envelope: Option<&Envelope>) -> CommandOutcome {
    let code = envelope.and_then(|envelope| envelope.error.as_ref()).map(|error| error.code);
    match (ok, code) {
        (true, _) => CommandOutcome::Done,
        (false, Some(ErrorCode::DaemonUnavailable)) => CommandOutcome::NoDaemon,
        (false, _) => CommandOutcome::Refused,
    }
}

/// Returns the remarks of an answer besides its result.
fn remarks(envelope: &Envelope, style: &Style) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(error) = &envelope.error {
        lines.extend(error_lines(error, style));
    }
    if let Some(dropped) = &envelope.dropped {
        // The note has the kind and the number itself.
        lines.push(style.note(on_one_line(&dropped.note)));
    }
    let warning = |warning: &String| format!("{} {}", style.notice("warning:"), on_one_line(warning));
    lines.extend(envelope.warnings.iter().map(warning));
    lines
}

fn error_lines(error: &ToolError, style: &Style) -> Vec<String> {
    let code = serde_json::to_value(error.code).ok();
    let code = code.as_ref().and_then(Value::as_str).unwrap_or("ERROR");
    // Only a message about a pattern has several lines, because the place of the error is shown below the pattern.
    let message = match error.code {
        ErrorCode::BadPattern => error.message.replace('\n', "\n  ").into(),
        _ => on_one_line(&error.message),
    };
    let mut lines = vec![format!("{} {message}", style.alarm(format!("{code}:")))];
    if !error.hint.is_empty() {
        lines.push(format!("  {}", on_one_line(&error.hint)));
    }
    if !error.more.is_empty() {
        let more = render::plain_text(&render::tame_names(&Value::Object(error.more.clone())), style);
        lines.extend(more.lines().map(|line| format!("  {line}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_all_wrong_are_a_failure() {
        assert!(found_nothing("not found: a.py, b\n[a note]\n"));
        assert!(!found_nothing("a.py\n 1 x\nnot found: b\n") && !found_nothing("none"));
    }

    #[test]
    fn codes_decide_how_it_ended() {
        let envelope = |code: &str| {
            let text = format!(
                r#"{{"ok":false,"error":{{"code":"{code}","message":"m","hint":"h","language":"py"}},
                "tokenBudget":{{"requested":1,"used":1,"max":1}},"truncated":false,"warnings":["w"]}}"#
            );
            Envelope::parse(&text).expect("an envelope")
        };
        assert_eq!(answer_outcome(true, None), CommandOutcome::Done);
        assert_eq!(answer_outcome(false, Some(&envelope("BAD_PATTERN"))), CommandOutcome::Refused);
        assert_eq!(answer_outcome(false, Some(&envelope("DAEMON_UNAVAILABLE"))), CommandOutcome::NoDaemon);
        let lines = remarks(&envelope("LSP_UNAVAILABLE"), &Style::default());
        assert_eq!(lines, ["LSP_UNAVAILABLE: m", "  h", "  language: py", "warning: w"]);
    }
}
