//! Answers `edit_text`: replaces a piece of text, or the matches of a regex, in one file.

use hob_edit::{Proposal, RegexEdit, TextEdit, replace_matches, replace_text};
use hob_proto::ToolError;
use hob_proto::tools::edit::TextArgs;

use super::super::{NeededIndex, ToolCall, ToolOutcome};
use super::{EditDraft, guard};
use hob_results::edit as to_proto;

const TOOL: &str = "edit_text";

/// The edit in one of its two shapes.
enum TextEditShape<'a> {
    Text(TextEdit<'a>),
    Regex(RegexEdit<'a>),
}

pub(crate) fn text(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: TextArgs = call.parse_args()?;
    let asked = shape_of_args(&args)?;
    let workspace = call.workspace(NeededIndex::Text)?;
    let desk = EditDraft::new(call, workspace, args.stage)?;
    let path = guard::real_path(&desk.workspace, &args.file)?;
    let before = desk.contents_before(call, &path)?;
    let splices = match &asked {
        TextEditShape::Text(edit) => replace_text(&before, edit),
        TextEditShape::Regex(edit) => replace_matches(&before, edit),
    };
    let splices = splices.map_err(|error| to_proto::text_error(&error, &path))?;
    let places = splices.len();
    let label = match places {
        1 => format!("Replace text in {path}"),
        _ => format!("Replace text at {places} places in {path}"),
    };
    let changes = EditDraft::change_of(path, before, &splices)?.into_iter().collect();
    desk.propose(call, Proposal { label, tool: TOOL.to_owned(), changes }, None)
}

fn shape_of_args(args: &TextArgs) -> Result<TextEditShape<'_>, ToolError> {
    let wrong = |what: &str| {
        Err(ToolError::bad_args(what).hint("Pass file, old and new; or file, pattern and replacement."))
    };
    match (&args.old, &args.new, &args.pattern, &args.replacement) {
        (Some(old), Some(new), None, None) => {
            Ok(TextEditShape::Text(TextEdit { old, new, expected: args.expected.unwrap_or(1) }))
        }
        (None, None, Some(pattern), Some(replacement)) => {
            Ok(TextEditShape::Regex(RegexEdit { pattern, replacement, expected: args.expected }))
        }
        (Some(_), None, None, None) => {
            wrong("`new` is missing: what takes the place of `old` (it may be empty)")
        }
        (None, None, Some(_), None) => wrong("`replacement` is missing: what takes the place of the matches"),
        (None, None, None, None) => wrong("neither `old` nor `pattern` is given"),
        _ => wrong("`old` and `new` are one way to say it, `pattern` and `replacement` the other"),
    }
}
