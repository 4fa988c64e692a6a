//! Asks for a hover, and splits it into signature and documentation.
//!
//! Servers answer in Markdown made for tooltips. The first fenced block is the signature, the text after it the
//! documentation; a server that sends plain text puts the signature on its first lines up to a blank one.

use lsp_types::request::HoverRequest;
use lsp_types::{Hover, HoverContents, HoverParams, MarkedString};

use super::context::ServerQueryContext;
use super::place::RequestPosition;
use crate::instance::{Instance, ServerAnswer};
use crate::live::LiveError;

/// The signature and documentation of a name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TypeInfo {
    /// Its type or declaration, as the language writes it.
    pub signature: String,
    /// Its documentation; empty if there is none.
    pub docs: String,
    /// First and last line and column of the name, 1-based; `None` where the server does not give them.
    pub range: Option<((u32, u32), (u32, u32))>,
}

/// Returns the type and documentation of the name at `at`; `None` where the server has neither.
///
/// # Errors
/// [`LiveError`].
pub fn type_of(
    instance: &Instance,
    at: &RequestPosition,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Option<TypeInfo>>, LiveError> {
    let params = HoverParams {
        text_document_position_params: at.to_lsp_params(instance.root()),
        work_done_progress_params: Default::default(),
    };
    let answer = asking.ask_about_place::<HoverRequest>(instance, at, ("hoverProvider", &params))?;
    Ok(answer.map(|hover| hover.map(read).filter(|info| !info.signature.is_empty() || !info.docs.is_empty())))
}

fn read(hover: Hover) -> TypeInfo {
    let one_based = |position: lsp_types::Position| (position.line + 1, position.character + 1);
    let range = hover.range.map(|range| (one_based(range.start), one_based(range.end)));
    let (signature, docs) = match hover.contents {
        HoverContents::Scalar(one) => split_hover(&as_markdown(one)),
        HoverContents::Array(all) => {
            split_hover(&all.into_iter().map(as_markdown).collect::<Vec<_>>().join("\n\n"))
        }
        HoverContents::Markup(markup) => split_hover(&markup.value),
    };
    TypeInfo { signature, docs, range }
}

fn as_markdown(marked: MarkedString) -> String {
    match marked {
        MarkedString::String(text) => text,
        MarkedString::LanguageString(code) => format!("```{}\n{}\n```", code.language, code.value),
    }
}

/// Splits a hover's Markdown into signature and documentation; either may be empty.
fn split_hover(markdown: &str) -> (String, String) {
    let text = markdown.replace("\r\n", "\n");
    let Some((before, rest)) = text.split_once("```") else {
        let (first, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
        return (first.trim().to_owned(), rest.trim().to_owned());
    };
    // The word behind the fence is the language.
    let body = rest.split_once('\n').map_or("", |(_, body)| body);
    let (signature, after) = body.split_once("\n```").unwrap_or((body, ""));
    let after = after.split_once('\n').map_or("", |(_, after)| after);
    let rule = |line: &&str| !matches!(line.trim(), "---" | "***" | "___");
    let docs: Vec<&str> = before.lines().chain(after.lines()).filter(rule).collect();
    (signature.trim().to_owned(), docs.join("\n").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_and_documentation_are_told_apart() {
        let both = |signature: &str, docs: &str| (signature.to_owned(), docs.to_owned());
        for (markdown, expected) in [
            (
                "```python\n(function) def f(x: int) -> str\n```\n---\nSays it.\n\nTwice.",
                both("(function) def f(x: int) -> str", "Says it.\n\nTwice."),
            ),
            ("```rust\nmycrate\n```\n\n```rust\nfn f()\n```", both("mycrate", "```rust\nfn f()\n```")),
            ("function `f`\n\n---\ntext", both("function `f`", "---\ntext")),
            ("int x\n\nA number.", both("int x", "A number.")),
            ("```\r\nlet a\r\n```", both("let a", "")),
            ("```unclosed", both("", "")),
            ("", both("", "")),
        ] {
            assert_eq!(split_hover(markdown), expected, "{markdown:?}");
        }
    }
}
