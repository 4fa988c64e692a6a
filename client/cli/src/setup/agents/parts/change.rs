//! Makes the change of a part in a file: a block between markers, a whole file, or values of a JSON file.
//!
//! A receipt stores the change of a part, so that hob can find the part and remove it from a file that was changed
//! since.

use serde::{Deserialize, Serialize};

use super::texts::{BEGIN, END};
use crate::setup::agents::formats::{Dialect, TakenValue, ValueAt};

/// A change of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PartChange {
    /// Lines of a document; the first and the last of them are markers.
    Block(String),
    /// A file that is hob's alone, with this content.
    File(String),
    /// Values of a JSON file.
    Values {
        values: Vec<ValueAt>,
        /// True if the agent accepts comments in the file.
        comments: bool,
    },
}

/// A text without a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum WithoutPart {
    /// The rest of the text; `None` if all of the file was hob's.
    Text(Option<String>),
    /// The part is not there any more.
    Absent,
    /// It was changed since.
    Changed,
}

impl PartChange {
    /// Makes the change in a text; `None` if it is there. `own` is hob's earlier part in the file, if it is still
    /// there.
    ///
    /// # Errors
    /// The reason why the file is not changed, as a clause.
    pub(super) fn add_to(
        &mut self,
        text: Option<&str>,
        own: Option<&Self>,
    ) -> Result<Option<String>, String> {
        match self {
            Self::Block(block) => add_block(text.unwrap_or_default(), block),
            Self::File(content) => match text {
                None => Ok(Some(content.clone())),
                Some(text) if text == content => Ok(None),
                Some(text) if own == Some(&Self::File(text.to_owned())) => Ok(Some(content.clone())),
                Some(_) => {
                    Err("there is a file already that hob did not write; move it out of the way".to_owned())
                }
            },
            Self::Values { values, comments } => {
                let dialect = if *comments { Dialect::Commas } else { Dialect::Plain };
                let mut changed = text.unwrap_or_default().to_owned();
                // A value that is already there belongs to somebody else, and undo leaves it.
                let mut added = Vec::new();
                for mut value in std::mem::take(values) {
                    let outcome = value.add_to(&changed, dialect);
                    let outcome =
                        outcome.map_err(|error| format!("{error}. Repair the file, then try again"))?;
                    if let Some(with_it) = outcome {
                        changed = with_it;
                        added.push(value);
                    }
                }
                *values = added;
                Ok((!values.is_empty()).then_some(changed))
            }
        }
    }

    /// Removes the part from a text. With `force`, also a changed part.
    ///
    /// # Errors
    /// The reason why the file cannot be changed, as a clause.
    pub(crate) fn take_from(&self, text: &str, force: bool) -> Result<WithoutPart, String> {
        match self {
            Self::Block(block) => Ok(take_block(text, block, force)),
            Self::File(content) => Ok(match text == content || force {
                true => WithoutPart::Text(None),
                false => WithoutPart::Changed,
            }),
            Self::Values { values, .. } => take_values(text, values, force),
        }
    }

    /// Returns true if a text with this part of hob's has all of `other`, so that nothing is left to write.
    pub(super) fn clears_as(&self, other: &Self, text: &str) -> bool {
        match (self, other) {
            (Self::Values { values: own, .. }, Self::Values { values: wanted, .. }) => {
                let places = |values: &[ValueAt]| -> Vec<ValueAt> {
                    values.iter().map(|value| ValueAt { made: 0, ..value.clone() }).collect()
                };
                let own = places(own);
                // Values that somebody else had written before are not among hob's own.
                let is_rest_there = || {
                    let rest = wanted.iter().filter(|value| !own.contains(value)).cloned().collect();
                    let mut rest = Self::Values { values: rest, comments: true };
                    matches!(rest.add_to(Some(text), None), Ok(None))
                };
                own.iter().all(|value| wanted.contains(value)) && is_rest_there()
            }
            _ => self == other,
        }
    }

    /// Returns a text without the part, which is in it; `None` if nothing is left.
    ///
    /// # Errors
    /// The errors of [`Self::take_from`].
    pub(super) fn text_without(&self, text: &str) -> Result<Option<String>, String> {
        Ok(match self.take_from(text, false)? {
            WithoutPart::Text(left) => left,
            WithoutPart::Absent | WithoutPart::Changed => Some(text.to_owned()),
        })
    }

    /// Returns true if a text has the part in hob's form.
    pub(super) fn is_in(&self, text: &str) -> bool {
        matches!(self.take_from(text, false), Ok(WithoutPart::Text(_)))
    }
}

/// Returns the byte range of the block in a text, from its first marker to the end of the line of its last. A marker is
/// a line of its own; if several begin a block, the last of them counts, so that no text of the user's is inside.
fn block_range(text: &str) -> Option<std::ops::Range<usize>> {
    let is_line = |at: usize, marker: &str| {
        (at == 0 || text[..at].ends_with('\n'))
            && text[at + marker.len()..]
                .trim_start_matches('\r')
                .chars()
                .next()
                .is_none_or(|next| next == '\n')
    };
    let first_end = text.match_indices(END).map(|(at, _)| at).find(|at| is_line(*at, END))?;
    let before = &text[..first_end];
    let start = before.rmatch_indices(BEGIN).map(|(at, _)| at).find(|at| is_line(*at, BEGIN))?;
    let end = first_end + END.len();
    let line_end = text[end..].strip_prefix('\n').map_or(end, |_| end + 1);
    Some(start..line_end)
}

fn add_block(text: &str, block: &str) -> Result<Option<String>, String> {
    if let Some(range) = block_range(text) {
        let is_same = text[range.clone()].trim_end() == block.trim_end();
        return Ok((!is_same).then(|| format!("{}{block}{}", &text[..range.start], &text[range.end..])));
    }
    if text.contains(BEGIN) || text.contains(END) {
        return Err(format!("it has only one of the lines `{BEGIN}` and `{END}`; remove it, then try again"));
    }
    let gap = match text {
        "" => "",
        _ if text.ends_with("\n\n") => "",
        _ if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    Ok(Some(format!("{text}{gap}{block}")))
}

fn take_block(text: &str, block: &str, force: bool) -> WithoutPart {
    let Some(range) = block_range(text) else { return WithoutPart::Absent };
    if text[range.clone()].trim_end() != block.trim_end() && !force {
        return WithoutPart::Changed;
    }
    let before = &text[..range.start];
    // The blank line that was added with the block is removed with it.
    let before = if before.ends_with("\n\n") { &before[..before.len() - 1] } else { before };
    let left = format!("{before}{}", &text[range.end..]);
    WithoutPart::Text((!left.trim().is_empty()).then_some(left))
}

fn take_values(text: &str, values: &[ValueAt], force: bool) -> Result<WithoutPart, String> {
    let (mut left, mut found, mut changed) = (text.to_owned(), false, false);
    for value in values.iter().rev() {
        match value.take_from(&left, force).map_err(|error| format!("{error}; repair it, then undo again"))? {
            TakenValue::Text(without) => (left, found) = (without, true),
            TakenValue::Changed => changed = true,
            TakenValue::Absent => {}
        }
    }
    let is_empty = matches!(left.trim(), "" | "{}");
    Ok(match (changed, found) {
        (true, _) => WithoutPart::Changed,
        (false, true) => WithoutPart::Text((!is_empty).then_some(left)),
        (false, false) => WithoutPart::Absent,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const BLOCK: &str = "<!-- hob:begin -->\nAsk hob.\n<!-- hob:end -->\n";

    fn block() -> PartChange {
        PartChange::Block(BLOCK.to_owned())
    }

    #[test]
    fn a_block_comes_at_the_end_and_goes_without_a_trace() {
        for before in ["", "# Mine\n", "# Mine\n\n", "# Mine\n\ntext\n"] {
            let after = block().add_to(Some(before), None).expect("added").expect("new");
            assert!(after.starts_with(before) && after.ends_with(BLOCK), "{after:?}");
            assert_eq!(block().add_to(Some(&after), None), Ok(None), "twice is once");
            let WithoutPart::Text(left) = block().take_from(&after, false).expect("taken") else {
                panic!("{after:?}");
            };
            assert_eq!(left.unwrap_or_default().trim_end(), before.trim_end());
        }
        let after = block().add_to(Some("# Mine"), None).expect("added").expect("new");
        assert_eq!(after, format!("# Mine\n\n{BLOCK}"));
    }

    #[test]
    fn an_older_block_is_replaced_where_it_is() {
        let older = BLOCK.replace("Ask", "Please ask");
        let after = block().add_to(Some(&format!("a\n\n{older}b\n")), None).expect("added").expect("new");
        assert_eq!(after, format!("a\n\n{BLOCK}b\n"));
        assert_eq!(block().take_from(&after, false), Ok(WithoutPart::Text(Some("a\nb\n".into()))));
        assert_eq!(block().take_from(&format!("a\n\n{older}"), false), Ok(WithoutPart::Changed));
        assert_eq!(
            block().take_from(&format!("a\n\n{older}"), true),
            Ok(WithoutPart::Text(Some("a\n".into())))
        );
        assert_eq!(block().take_from("a\n", false), Ok(WithoutPart::Absent));
        assert!(block().add_to(Some("<!-- hob:begin -->\n"), None).is_err());
    }

    #[test]
    fn a_file_of_somebody_else_is_never_replaced() {
        let mut own = PartChange::File("new".into());
        assert_eq!(own.add_to(None, None), Ok(Some("new".into())));
        assert_eq!(own.add_to(Some("new"), None), Ok(None));
        assert!(own.add_to(Some("theirs"), None).is_err());
        assert_eq!(
            own.add_to(Some("older"), Some(&PartChange::File("older".into()))),
            Ok(Some("new".into()))
        );
        assert_eq!(own.take_from("new", false), Ok(WithoutPart::Text(None)));
        assert_eq!(own.take_from("mine", false), Ok(WithoutPart::Changed));
    }

    #[test]
    fn only_values_that_were_added_are_taken() {
        let version = ValueAt { stays_beside_others: true, ..ValueAt::named(&["version"], 1.into()) };
        let hook = ValueAt::item(&["hooks", "postToolUse"], json!({"command": "hob hook cursor"}));
        let change = || PartChange::Values { values: vec![version.clone(), hook.clone()], comments: false };
        let mut fresh = change();
        let after = fresh.add_to(None, None).expect("added").expect("new");
        assert_eq!(fresh.take_from(&after, false), Ok(WithoutPart::Text(None)));
        // The user added a hook, so the version has to stay.
        let shared = after.replace("\"hooks\": {", "\"hooks\": {\n    \"stop\": [{\"command\": \"x\"}],");
        let Ok(WithoutPart::Text(Some(left))) = fresh.take_from(&shared, false) else { panic!("{shared}") };
        assert!(left.contains("\"version\": 1") && left.contains("stop") && !left.contains("hob"), "{left}");
        let mut second = change();
        let before = "{\"version\": 1, \"hooks\": {\"stop\": []}}";
        let after = second.add_to(Some(before), None).expect("added").expect("new");
        assert_eq!(second.take_from(&after, false), Ok(WithoutPart::Text(Some(before.into()))));
        assert_eq!(second.take_from(before, false), Ok(WithoutPart::Absent));
    }
}
